// Bars and lines: the frequencies of the ratings, the mix of a group, and a score from −100 to +100.

import { kindOf, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { ratingsSentence } from "../model/sentences.js";
import { card, count, figuresTable, h, legend } from "./dom.js";

const at = (score) => `${(score + 100) / 2}%`;

// Makes the line; `before` marks another period's score on it. What it shows is in the text beside it.
export function scale({ nps, npsLow, npsHigh, responses }, before) {
  const mark = (kind, score) => h(`span.${kind}`, { style: { left: at(score) } });
  const known = responses > 0;
  const band = known && h("span.band", { style: { left: at(npsLow), width: `${(npsHigh - npsLow) / 2}%` } });
  return h("div.scale", { "aria-hidden": "true" }, mark("zero", 0), band, before && mark("before", before.nps), known && mark("dot", nps));
}

// Makes a bar of detractors, passives and promoters. What it shows is in the text beside it.
export function mix(figures) {
  const part = (kind) => figures[kind] > 0 && h(`span.${kind}`, { style: { "flex-grow": figures[kind] } });
  return h(figures.responses > 0 ? "div.mix" : "div.mix.none", { "aria-hidden": "true" }, KINDS.map(part));
}

export function drawRatings({ figures }) {
  const { frequency, responses } = figures;
  const most = Math.max(1, ...frequency);
  const bar = (times, rating) => h("div.rating",
    h("div.column", h("span.times", count(times)), h(`span.bar.${kindOf(rating)}`, { style: { "--part": times / most } })),
    h("span.name", String(rating)));
  const chart = h("div.sized", h("div.ratings", { role: "img", "aria-labelledby": "ratings-sentence" },
    h("div.bars", frequency.map(bar)),
    h("div.spans", KINDS.map((name) => h(`span.${name}`, name)))), legend());
  const rows = frequency.map((times, rating) => [String(rating), format.count(times), format.share(times, responses)]);
  return card("ratings", { title: "Ratings", sentence: ratingsSentence(frequency) }, chart, figuresTable("Responses with each rating", ["Rating", "Responses", "Share"], rows));
}
