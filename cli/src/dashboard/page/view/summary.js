// The score of the period, what it is worth, and how many it comes from.

import { answered, changeBetween, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { changeSentence, comparedWith, outsideSentence, rateOf, respondentsSentence } from "../model/sentences.js";
import { mix, scale } from "./bars.js";
import { count, h } from "./dom.js";

export function drawSummary({ question, figures, before }) {
  const { responses, nps, npsLow, npsHigh } = figures;
  const known = responses > 0;
  const interval = known ? `between ${format.whole(npsLow)} and ${format.whole(npsHigh)} with 95% confidence` : "There is no response in this period.";
  return h("section.summary", { id: "summary", "aria-label": "The whole period" },
    h("div.score",
      h("h1", "Net Promoter Score"),
      h("p.figure", { id: "nps" }, known ? format.score(nps) : "–"),
      h("p.soft", interval),
      explained(figures)),
    h("div.standing", scaled(figures, before), changed(question, figures, before)),
    h("div.counts", volumes(question, figures, before), question.respondents ? h("p.soft", respondentsSentence(figures)) : null),
    kinds(figures));
}

function explained(figures) {
  const sentence = outsideSentence([figures]);
  return sentence ? h("p.soft.outside", sentence) : null;
}

function scaled(figures, before) {
  const other = before?.figures?.responses > 0 ? before.figures : null;
  return h("div", scale(figures, other), h("div.ends", { "aria-hidden": "true" }, h("span", "−100"), h("span", "0"), h("span", "+100")));
}

function changed(question, figures, before) {
  if (question.before === "none") return null;
  if (!before) return h("p.change.bone");
  const name = comparedWith(question);
  const dates = format.dates(before.period ?? question);
  const named = name === dates ? name : `${name} (${dates})`;
  const line = (text) => h("p.change", text);
  if (before.none) return line("This is all the data: there is no period before to compare with.");
  if (before.failure) return line(`The figures of ${name} could not be loaded.`);
  if (before.figures.responses === 0) return line(`No responses in ${named} to compare with.`);
  if (figures.responses === 0) return null;
  const { change, on, verdict } = changeSentence(changeBetween(before.figures, figures), name, before.begins);
  return h("p.change", { title: dates }, h("strong", change), ` ${on} `, measured(before.figures), " ", h("span.verdict", verdict));
}

// The score of the period before, with its mark on the line.
function measured({ nps }) {
  return h("span.measured", "(", h("span.before-key", { "aria-hidden": "true" }), ` ${format.score(nps)}).`);
}

function volumes(question, figures, before) {
  const { responses, displays, dismissed } = figures;
  const more = before?.figures?.displays > 0 && !before.begins ? `${format.signedCount(responses - before.figures.responses)} on ${comparedWith(question)}` : "in this period";
  const { rate, of } = rateOf(answered(figures), displays);
  const volume = (label, figure, note) => h("div.volume", h("dt", label), h("dd", h("span.figure", figure), h("span.soft", note)));
  return h("dl.volumes",
    volume("Responses", count(responses), more),
    volume("Response rate", rate, of),
    volume("Dismissed", count(dismissed), `${format.share(dismissed, displays)} of displays`));
}

function kinds(figures) {
  const kind = (name) => h(`div.kind.${name}`, h("dt", name), h("dd", h("strong", count(figures[name])), " ", h("span.soft", format.share(figures[name], figures.responses))));
  return h("div.kinds", mix(figures), h("dl", KINDS.map(kind)));
}
