// The frequencies of the ratings.

import * as format from "../model/format.js";
import { ratingsSentence } from "../model/sentences.js";
import { card, figuresTable, h, legend } from "./dom.js";

const kind = (rating) => (rating <= 6 ? "detractors" : rating <= 8 ? "passives" : "promoters");

export function drawRatings({ figures }) {
  const { frequency, responses } = figures;
  const most = Math.max(1, ...frequency);
  const bar = (times, rating) => h("div", { class: "rating" },
    h("div", { class: "column" },
      h("span", { class: "times" }, format.count(times)),
      h("span", { class: `bar ${kind(rating)}`, style: { height: `calc((100% - 1.5em) * ${times / most})` } })),
    h("span", { class: "name" }, String(rating)));
  const span = (name, label) => h("span", { class: name }, label);
  const chart = h("div", { class: "ratings", role: "img", "aria-labelledby": "ratings-sentence" },
    h("div", { class: "bars" }, frequency.map(bar)),
    h("div", { class: "spans" }, span("detractors", "detractors"), span("passives", "passives"), span("promoters", "promoters")));
  const rows = frequency.map((times, rating) => [String(rating), format.count(times), format.share(times, responses)]);
  return card("ratings", { title: "Ratings", aside: h("div", { class: "ratings-legend" }, legend()), sentence: ratingsSentence(frequency) }, chart, figuresTable("Responses with each rating", ["Rating", "Responses", "Share"], rows));
}
