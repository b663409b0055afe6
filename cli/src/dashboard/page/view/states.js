// What stands in the page's place when there are no figures: a problem, or nothing to show.

import { addDays, daysBetween } from "../model/calendar.js";
import * as format from "../model/format.js";
import { button, h } from "./dom.js";
import { isPassing, problemLines, problemTitle } from "./problems.js";

function state(title, lines, actions) {
  const line = (text) => h("p", text);
  return h("section.state", { tabindex: "-1" }, h("h1", title), lines.map(line), h("p.ways", actions));
}

function way(label, onclick) {
  return button("primary", label, onclick);
}

// Draws a failure, with a way on.
export function drawProblem(failure, question, { reload, change }) {
  const ways = isPassing(failure) ? [way("Try again", reload)] : [];
  const days = question?.start ? daysBetween(question.start, question.end) : 0;
  if (failure.code === "period_too_large" && days > 1) {
    const start = addDays(question.start, Math.floor(days / 2));
    ways.push(way("Show the later half", () => change({ start, before: undefined })));
  }
  if (failure.code.endsWith("_parameter") && question?.filters.length > 0) ways.push(way("Remove the filters", () => change({ filters: [] })));
  return state(problemTitle(failure), problemLines(failure), ways);
}

// Draws an address that says something that means nothing.
export function drawMistakes(problems, goOn) {
  const quoted = problems.map((problem) => h("code", { dir: "auto" }, problem.slice(0, 200)));
  return state("Part of this link is not understood", ["Ignoring it would show other figures than it means:", ...quoted], [way("Open it without that", goOn)]);
}

// Draws a period without displays. `findData` finds the way to one that has some.
export function drawEmpty(question, { change, findData }) {
  const note = h("span", { role: "status" }, "Looking for a period that has some …");
  const filtered = question.filters.length > 0;
  const ways = h("p.ways");
  const remove = filtered ? way("Remove the filters", () => change({ filters: [] })) : null;
  if (remove) ways.append(remove);
  findData().then(({ extent, words }) => {
    note.textContent = extent ? `The data goes from ${extent.start.slice(0, 4)} to ${extent.latest.year}.` : words;
    if (!extent) return;
    const { latest } = extent;
    const period = (to) => ({ start: to.start, end: to.end, before: undefined, interval: undefined });
    ways.prepend(
      way(`Show ${latest.year} (${format.counted(latest.displays, "display")})`, () => change(period(latest))),
      way("Show all", () => change(period(extent))));
  });
  const where = filtered ? "with these filters" : "of this project";
  return h("section.state", { id: "empty" }, h("h1", "No displays in this period"),
    h("p", `There is no display ${where} from ${format.dates(question)}.`), h("p", note), ways);
}
