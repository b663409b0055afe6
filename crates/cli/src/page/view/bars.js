// Bars and lines: the frequencies of the ratings, the mix of a group, and the interval of a score.

import { kindOf, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { isCutOff } from "../model/scales.js";
import { card, count, figuresTable, h } from "./dom.js";

// Draws the interval of a score, across it the `overall` one if there is one, and marks where it goes on beyond the
// scale, as the trend does. The text beside the drawing says the same.
export function scale(figures, range, overall) {
  const [{ nps, npsLow, npsHigh, responses }, { min, max }] = [figures, range];
  const at = (score) => (100 * (Math.max(min, Math.min(max, score)) - min)) / (max - min);
  const mark = (kind, score, style) => h(`span.${kind}`, { style: { left: `${at(score)}%`, ...style } });
  const { above, below } = isCutOff(figures, range);
  return h("div.scale", { "aria-hidden": "true" }, min < 0 && max > 0 && mark("zero", 0),
    overall !== undefined && mark("overall", overall),
    responses > 0 && mark("band", npsLow, { width: `${at(npsHigh) - at(npsLow)}%` }),
    responses > 0 && nps >= min && nps <= max && mark("dot", nps),
    above && mark("beyond.above", max), below && mark("beyond.below", min));
}

// Draws a change of a score, in the color of its direction if it is clear.
export function changeMark({ points, verdict }) {
  const size = format.score(Math.abs(points));
  if (size === "0.0") return "unchanged";
  const [sign, label] = points > 0 ? ["▲", "up"] : ["▼", "down"];
  const arrow = h("span", { role: "img", "aria-label": label }, sign);
  return h(verdict === "clear" ? `strong.${label}` : "strong", arrow, " ", size);
}

// Draws what a group contributes to the change of the whole score: a bar from the centre, as long as its part
// of the `largest` one, and the points that come from its score and from its share, if it is in both periods.
export function contributionBar({ contribution: points, fromScore, fromShare }, largest) {
  const width = (50 * Math.abs(points)) / largest;
  const style = { width: `${width}%`, left: `${points < 0 ? 50 - width : 50}%` };
  const bar = h("div.contribution", { "aria-hidden": "true" }, h("span.zero"),
    h(points < 0 ? "span.down" : "span.up", { style }));
  const parts = fromScore === null ? "in one period" : `${format.signed(fromScore)} ${format.signed(fromShare)}`;
  return [bar, h("span.by", parts)];
}

// Makes a bar of detractors, passives and promoters. The text beside the bar says the same.
export function mix(figures) {
  const part = (kind) => figures[kind] > 0 && h(`span.${kind}`, { style: { "flex-grow": figures[kind] } });
  return h(figures.responses > 0 ? "div.mix" : "div.mix.none", { "aria-hidden": "true" }, KINDS.map(part));
}

export function drawRatings({ figures }) {
  const { frequency, responses } = figures;
  if (responses === 0) return h("section", { id: "ratings", hidden: true });
  const most = Math.max(1, ...frequency);
  const bar = (times, rating) => h("div.rating",
    h("div.column",
      h("span.times", count(times)),
      times > 0 && h(`span.bar.${kindOf(rating)}`, { style: { "--part": times / most } })),
    h("span.name", String(rating)));
  const said = KINDS.map((kind) => format.ofKind(figures[kind], kind)).join(", ");
  const label = `How often each rating was given: ${said}`;
  const chart = h("div.sized", h("div.ratings", { role: "img", "aria-label": label },
    h("div.bars", frequency.map(bar)), h("div.spans", KINDS.map((name) => h(`span.${name}`, name)))));
  const row = (times, rating) => [String(rating), format.count(times), format.share(times, responses)];
  return card("ratings", { title: "Ratings" }, chart,
    figuresTable("Responses with each rating", ["Rating", "Responses", "Share"], frequency.map(row)));
}
