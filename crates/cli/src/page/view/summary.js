// The score of the period, what it is worth, and how many it comes from.

import { answered, changeBetween, isFew, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { changeVerdict, comparedWith, respondentsSentence } from "../model/sentences.js";
import { changeMark, mix } from "./bars.js";
import { count, h } from "./dom.js";
import { drawPartProblem, drawSkipped } from "./states.js";

export function drawSummary({ question, figures, before }, actions) {
  const known = figures.responses > 0;
  const few = known && isFew(figures);
  const interval = `95% interval ${format.scoreInterval(figures)}`;
  return h("section.summary", { id: "summary", "aria-label": "The whole period" },
    h("div.score",
      h("h1", "Net Promoter Score"),
      h(few ? "p.figure.few" : "p.figure", { id: "nps" }, known ? format.score(figures.nps) : "–"),
      h("p.soft", known ? interval : "There is no response in this period."),
      few && h("p.soft", { id: "few" }, `${format.counted(figures.responses, "response")}: too few to tell`),
      changed(question, figures, before, actions),
      drawSkipped(figures)),
    h("div.counts",
      volumes(question, figures, before),
      question.respondents && h("p.soft", respondentsSentence(figures)), known && kinds(figures)));
}

function changed(question, figures, before, { retry }) {
  if (question.before === "none" || figures.responses === 0) return null;
  if (!before) return h("p.change.bone");
  const name = comparedWith(question);
  const lost = `The figures of ${name} could not be loaded.`;
  if (before.failure) return drawPartProblem(before.failure, retry, lost);
  if (before.none) return null;
  const dates = format.dates(before.period);
  if (before.figures.responses === 0) {
    return h("p.change.soft", `There are no responses to compare with (${dates}).`);
  }
  const change = changeBetween(before.figures, figures);
  return h("p.change", { title: dates },
    changeMark(change), ` vs ${name} `, h("span.measured", `(${format.score(before.figures.nps)})`),
    h("span.verdict", changeVerdict(change)),
    before.begins && h("span.soft", `No data before ${format.day(before.begins)}`));
}

function volumes(question, figures, before) {
  const { responses, displays, dismissed } = figures;
  const volume = (label, figure, note) => (
    h("div.volume", h("dt", label), h("dd", h("span.figure", figure), note && h("span.soft", note))));
  const isComparable = before?.figures?.displays > 0 && !before.begins;
  const more = isComparable && format.signedWhole(responses - before.figures.responses);
  const compared = more && `${more} vs ${comparedWith(question)}`;
  const all = answered(figures);
  const refused = `${format.share(dismissed, displays)} of surveys shown`;
  const answers = question.respondents ? `${format.counted(all, "answer")} ` : "";
  return h("dl.volumes",
    volume(question.respondents ? "People" : "Responses", count(responses), compared),
    // If every survey was answered, unanswered ones are not recorded, and the rate is not known.
    all < displays
      && volume("Response rate", format.share(all, displays), `${answers}of ${format.shown(displays)}`),
    dismissed > 0 && volume("Dismissed", count(dismissed), refused));
}

function kinds(figures) {
  const share = (name) => h("span.soft", format.share(figures[name], figures.responses));
  const kind = (name) => (
    h(`div.kind.${name}`, h("dt", name), h("dd", h("strong", count(figures[name])), " ", share(name))));
  return h("div.kinds", mix(figures), h("dl", KINDS.map(kind)));
}
