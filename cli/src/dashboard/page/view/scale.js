// A score and its interval on the line from −100 to +100.

import { KINDS } from "../model/figures.js";
import { h } from "./dom.js";

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
