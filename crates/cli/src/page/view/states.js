// What stands in the page's place when there are no figures: a problem and its way on, or nothing to show.

import * as format from "../model/format.js";
import { addDays, daysBetween } from "../model/period.js";
import { formatAddress } from "../model/question.js";
import { questionWords } from "./bar.js";
import { button, command, h } from "./dom.js";
import { zoneHere } from "./pickers.js";

// The failures that are not the API's have no title, and some of it have one that says little to people.
const TITLES = {
  unreachable: "No connection",
  unexpected: "The server gave an unexpected answer",
  internal: "The service failed",
  invalid_parameter: "The API does not accept this question",
  unknown_parameter: "The API does not know a part of this question",
  unavailable: "The service is busy",
  bad_gateway: "The API cannot be reached",
};

const problemTitle = ({ code, title }) => TITLES[code] ?? title ?? "The service refused the question";

// The controls that say what failed, by the parameter that the API names, or by the failure.
const CONTROLS = {
  timezone: "zone", startDate: "period", endDate: "period", interval: "interval", weekStart: "interval",
  respondents: "respondents", filter: "filter",
  period_too_large: "period", too_many_respondents: "respondents",
};

// Returns the control of the bar that caused a failure; null if none did.
export const causeOf = ({ code, parameter }) => CONTROLS[code] ?? CONTROLS[parameter] ?? null;

// Explains a failure for the place beside the control that caused it.
export const drawBeside = (failure, question, actions) => (
  h("div.beside.problem", { role: "alert" }, h("span", problemText(failure)), ways(failure, question, actions)));

// Says what happened in the API's words or in better ones, with the id that the service logged.
function lines({ code, details, id, status }) {
  const own = code === "unexpected" ? [`It answered with status ${status}, and not as this API does.`] : [];
  const request = code === "internal" && id ? [`Request ${id}`] : [];
  return [...own, ...details, ...request];
}

// Says what happened in one line, for a part of the page.
export const problemText = (failure) => `${problemTitle(failure)}. ${lines(failure).join(" ")}`;

// Draws that a part of the page failed, with a way to ask for it again if that may help.
export function drawPartProblem(failure, retry, lost = "") {
  return h("p.problem", `${lost} ${problemText(failure)} `, mayPass(failure) && button("link", "Try again", retry));
}

// Draws how many records could not be read, and what lists them.
export function drawSkipped({ skipped }) {
  if (!(skipped > 0)) return null;
  const are = skipped === 1 ? "is" : "are";
  const said = `${format.counted(skipped, "record")} could not be read and ${are} not counted; `;
  return h("p.skipped", said, h("code", "feedback check"), " says why.");
}

// Returns whether the same question may succeed later.
export const mayPass = ({ code, status = 500 }) => code === "unexpected" || status === 429 || status >= 500;

function state(title, paragraphs, buttons, attributes = {}) {
  return h("section.state", { tabindex: "-1", ...attributes },
    h("h1", title), paragraphs.map((one) => h("p", one)), h("p.ways", buttons));
}

const way = (label, onclick) => button("primary", label, onclick);
const removal = (change) => way("Remove the filters", () => change({ filters: [] }));

function ways(failure, question, { reload, change }) {
  const { code, parameter } = failure;
  const days = question?.start ? daysBetween(question.start, question.end) : 0;
  const isTooMuch = code === "period_too_large" || code === "too_many_respondents";
  const isOfPeople = code === "too_many_respondents" || parameter === "respondents";
  const half = () => change({ start: addDays(question.start, Math.floor(days / 2)), end: question.end });
  return [
    mayPass(failure) && way("Try again", reload),
    parameter === "timezone" && way(`Use ${zoneHere}`, () => change({ timezone: zoneHere })),
    isOfPeople && question?.respondents && way("Count every rating", () => change({ respondents: undefined })),
    isTooMuch && days > 1 && way("Show the later half", half),
    code.endsWith("_parameter") && question?.filters.length > 0 && removal(change),
  ];
}

// Draws a failure, with a way on.
export const drawProblem = (failure, question, actions) => (
  state(problemTitle(failure), lines(failure), ways(failure, question, actions)));

// Draws what stands above the last figures where newer ones could not be loaded.
export function drawStale(failure, question, { time, question: shown }, actions) {
  const [at, now] = [time, new Date()].map((instant) => format.dateIn(instant, shown.timezone));
  const since = format.time(time, shown.timezone, at === now ? {} : { day: "numeric", month: "short" });
  const which = formatAddress(shown) === formatAddress(question) ? [] : [": ", ...questionWords(shown)];
  return h("p.stale-note.problem", { role: "alert" }, h("span", problemText(failure)),
    h("span", `Figures of ${since}`, which, "."), ways(failure, question, actions));
}

// Draws what stands under the bar where an error in it leaves nothing to show.
export const drawNothing = () => (
  state("There is nothing to show yet", ["The message above says what to change."], []));

// Says which parts of an address mean nothing.
export function drawMistakes(problems, goOn) {
  const quoted = (text) => h("code", { dir: "auto" }, text.slice(0, 200));
  const why = "Ignoring it would show other figures than it means:";
  const isPeriod = problems.some((text) => text.startsWith("period="));
  const periods = "A period is 30d, 12w, 12mo, 1y, 2026, 2026-Q3, 2026-09 or 2026-W41.";
  const said = [why, ...problems.map(quoted), ...(isPeriod ? [periods] : [])];
  return state("Part of this link is not understood", said, way("Open it without that", goOn));
}

// Draws a period in which no survey was shown. `data` stands for the folder that is being served, if there is
// one; `findData` finds the way to a period that has some.
export function drawEmpty({ question, figures }, { data }, { change, findData, reload }) {
  const note = h("span", { role: "status" }, "Looking for the data …");
  const folder = data ? ` --data ${data}` : "";
  const filtered = question.filters.length > 0;
  const title = filtered ? "Nothing matches these filters." : `No surveys shown ${format.dates(question)}.`;
  const drawn = state(title, [note], filtered && removal(change), { id: "empty" });
  const buttons = drawn.querySelector(".ways");
  buttons.before(...[drawSkipped(figures)].filter(Boolean));
  findData().then(({ extent, words, isNew }) => {
    note.textContent = words;
    if (isNew) {
      drawn.querySelector("h1").textContent = "No data yet";
      note.textContent = `The project ${question.project} has no records. Import some:`;
      const line = `feedback import responses FILE --project ${question.project}${folder}`;
      buttons.before(h("p.command", command(line)));
      buttons.append(way("Refresh", reload));
    }
    if (!extent) return;
    const { start, end, displays } = extent.latest;
    const years = [...new Set([extent.start, start].map((date) => date.slice(0, 4)))];
    note.textContent = `${filtered ? "What matches" : "The data"} is from ${years.join(" to ")}.`;
    const show = () => change({ start, end, interval: undefined });
    buttons.prepend(way(`Show ${years.at(-1)} (${format.shown(displays)})`, show));
  });
  return drawn;
}
