// A score and its interval on the line from −100 to +100.

import { h } from "./dom.js";

const at = (score) => `${(score + 100) / 2}%`;

// Makes the line; `before` marks another period's score on it. What it shows is in the text beside it.
export function scale({ nps, npsLow, npsHigh, responses }, before) {
  const mark = (kind, score) => h("span", { class: kind, style: { left: at(score) } });
  const band = responses > 0 ? h("span", { class: "band", style: { left: at(npsLow), width: `${(npsHigh - npsLow) / 2}%` } }) : null;
  return h("div", { class: "scale", "aria-hidden": "true" }, mark("zero", 0), band,
    before ? mark("before", before.nps) : null, responses > 0 ? mark("dot", nps) : null);
}

// Makes a bar of detractors, passives and promoters. What it shows is in the text beside it.
export function mix({ detractors, passives, promoters, responses }) {
  const part = (kind, value) => (value > 0 ? h("span", { class: kind, style: { "flex-grow": value } }) : null);
  const parts = [part("detractors", detractors), part("passives", passives), part("promoters", promoters)];
  return h("div", { class: responses > 0 ? "mix" : "mix none", "aria-hidden": "true" }, parts);
}
