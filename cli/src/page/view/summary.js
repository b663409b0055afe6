// The score of the period, what it is worth, and how many it comes from.

import { answered, changeBetween, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { changeVerdict, comparedWith, respondentsSentence } from "../model/sentences.js";
import { mix } from "./bars.js";
import { count, h } from "./dom.js";

export function drawSummary({ question, figures, before }) {
  const known = figures.responses > 0;
  const interval = `95% interval ${format.scoreInterval(figures)}`;
  return h("section.summary", { id: "summary", "aria-label": "The whole period" },
    h("div.score",
      h("h1", "Net Promoter Score"),
      h("p.figure", { id: "nps" }, known ? format.score(figures.nps) : "–"),
      h("p.soft", known ? interval : "There is no response in this period."),
      changed(question, figures, before)),
    h("div.counts",
      volumes(question, figures, before),
      question.respondents && h("p.soft", respondentsSentence(figures)), known && kinds(figures)));
}

function changed(question, figures, before) {
  if (question.before === "none" || figures.responses === 0) return null;
  if (!before) return h("p.change.bone");
  const name = comparedWith(question);
  if (before.failure) return h("p.change.soft", `The figures of ${name} could not be loaded.`);
  if (before.none || before.figures.responses === 0) return null;
  const change = changeBetween(before.figures, figures);
  const size = format.score(Math.abs(change.difference));
  const [sign, label] = change.difference > 0 ? ["▲", "up"] : ["▼", "down"];
  const arrow = size !== "0.0" && [h("span", { role: "img", "aria-label": label }, sign), " "];
  return h("p.change", { title: format.dates(before.period) },
    h("strong", arrow, size), ` vs ${name} `, h("span.measured", `(${format.score(before.figures.nps)})`),
    h("span.verdict", changeVerdict(change)),
    before.begins && h("span.soft", `No data before ${format.day(before.begins)}`));
}

function volumes(question, figures, before) {
  const { responses, displays, dismissed } = figures;
  const volume = (label, figure, note) => (
    h("div.volume", h("dt", label), h("dd", h("span.figure", figure), h("span.soft", note))));
  const isComparable = before?.figures?.displays > 0 && !before.begins;
  const more = isComparable && format.signedWhole(responses - before.figures.responses);
  const compared = more ? `${more} vs ${comparedWith(question)}` : "in this period";
  const all = answered(figures);
  const refused = `${format.share(dismissed, displays)} of surveys shown`;
  return h("dl.volumes",
    volume("Responses", count(responses), compared),
    // Where every survey was answered, no others are recorded, and the rate is not known.
    all < displays && volume("Response rate", format.share(all, displays), `of ${format.shown(displays)}`),
    dismissed > 0 && volume("Dismissed", count(dismissed), refused));
}

function kinds(figures) {
  const share = (name) => h("span.soft", format.share(figures[name], figures.responses));
  const kind = (name) => (
    h(`div.kind.${name}`, h("dt", name), h("dd", h("strong", count(figures[name])), " ", share(name))));
  return h("div.kinds", mix(figures), h("dl", KINDS.map(kind)));
}
