// The frequencies of the ratings.

import { KINDS, kindOf } from "../model/figures.js";
import * as format from "../model/format.js";
import { ratingsSentence } from "../model/sentences.js";
import { card, figuresTable, h, legend } from "./dom.js";

export function drawRatings({ figures }) {
  const { frequency, responses } = figures;
  const most = Math.max(1, ...frequency);
  const bar = (times, rating) => h("div.rating",
    h("div.column",
      h("span.times", format.count(times)),
      h(`span.bar.${kindOf(rating)}`, { style: { height: `calc((100% - 1.5em) * ${times / most})` } })),
    h("span.name", String(rating)));
  const chart = h("div.ratings", { role: "img", "aria-labelledby": "ratings-sentence" },
    h("div.bars", frequency.map(bar)),
    h("div.spans", KINDS.map((name) => h(`span.${name}`, name))));
  const rows = frequency.map((times, rating) => [String(rating), format.count(times), format.share(times, responses)]);
  return card("ratings", { title: "Ratings", aside: h("div.ratings-legend", legend()), sentence: ratingsSentence(frequency) }, chart, figuresTable("Responses with each rating", ["Rating", "Responses", "Share"], rows));
}
