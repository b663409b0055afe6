// The trend: the score of each interval with its band, and under it the responses, which explain its noise.

import { KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { trendSentence } from "../model/sentences.js";
import { card, figuresTable, h } from "./dom.js";
import { problemText } from "./states.js";
import { plot } from "./trend-plot.js";

export function drawTrend({ question, series }, { change }) {
  const title = `Score and responses by ${question.interval}`;
  if (series.failure) return card("trend", { title }, h("p.problem", problemText(series.failure)));
  const points = series.value;
  const chart = h("div.trend-chart", { "data-control": "trend", tabindex: "0", role: "slider", "aria-label": `Intervals by ${question.interval}`, "aria-describedby": "trend-hint",
    "aria-valuemin": "1", "aria-valuemax": String(points.length), "aria-valuenow": String(points.length), "aria-valuetext": spoken(points.at(-1)) });
  const narrow = (index) => {
    const { start, end } = points[index];
    if (points.length > 1) change({ start, end, before: undefined, interval: undefined });
  };
  interact(chart, points, narrow);
  const hint = h("p.hint", { id: "trend-hint" }, points.length > 1 ? "A click narrows the period to one interval; so does Enter, after the arrow keys." : "");
  return card("trend", { title, sentence: [trendSentence(points), question.respondents ? ` Each person with an id counts once in each ${question.interval}.` : null] }, chart, hint, table(points));
}

// Draws the chart, and lets a pointer and the keyboard show an interval and narrow the period to it.
function interact(chart, points, narrow) {
  let shown = null;
  const tip = h("div.tip", { hidden: true });
  const show = (index) => {
    shown = index;
    tip.hidden = index === null;
    if (index === null) return;
    tip.replaceChildren(...tooltip(points[index]));
    chart.setAttribute("aria-valuenow", String(index + 1));
    chart.setAttribute("aria-valuetext", spoken(points[index]));
  };
  const drawn = plot(chart, points, tip, show);
  chart.addEventListener("keydown", (event) => {
    const at = shown ?? points.length - 1;
    const last = points.length - 1;
    const moves = { ArrowLeft: shown === null ? last : at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last, PageUp: at - 10, PageDown: at + 10 };
    if (event.key === "Enter" && shown !== null) narrow(shown);
    else if (event.key in moves) drawn.select(Math.max(0, Math.min(last, moves[event.key])));
    else return;
    event.preventDefault();
  });
  chart.addEventListener("blur", () => drawn.select(null));
  // A finger shows an interval first, and narrows with a second touch.
  let touched = null;
  chart.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch" ? shown : undefined;
  });
  chart.addEventListener("click", () => {
    if (shown !== null && (touched === undefined || touched === shown)) narrow(shown);
  });
}

function scored({ responses, nps, npsLow, npsHigh }) {
  return responses > 0 ? [`NPS ${format.score(nps)}`, `${format.whole(npsLow)} to ${format.whole(npsHigh)}`] : null;
}

function volume({ responses, displays, superseded }) {
  if (displays === 0) return "no displays";
  const earlier = superseded > 0 ? ` (and ${format.count(superseded)} earlier)` : "";
  return `${responses === 0 ? "no responses" : format.counted(responses, "response")}${earlier} of ${format.counted(displays, "display")}`;
}

function fullName(point) {
  return point.cut ? `${point.name} (${format.dates(point)})` : point.name;
}

function tooltip(point) {
  const score = scored(point);
  const kind = (name) => h(`span.key.${name}`, format.ofKind(point[name], name));
  return [
    h("strong", fullName(point)),
    score ? h("span", score[0], h("span.soft", ` (${score[1]})`)) : null,
    h("span", volume(point)),
    ...(score ? KINDS.toReversed().map(kind) : []),
  ].filter(Boolean);
}

function spoken(point) {
  const score = scored(point);
  return `${fullName(point)}: ${score ? `${score[0]}, ${score[1]}, ` : ""}${volume(point)}`;
}

function table(points) {
  const head = ["Interval", "NPS", "95%", "Responses", "Displays", "Dismissed", "Promoters", "Passives", "Detractors"];
  const counts = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"];
  if ("superseded" in points[0]) {
    head.push("Left out");
    counts.push("superseded");
  }
  const rows = points.map((point) => {
    const [score, interval] = scored(point) ?? ["–", "–"];
    return [fullName(point), score.replace("NPS ", ""), interval, ...counts.map((name) => format.count(point[name]))];
  });
  return figuresTable("Score and responses of each interval", head, rows);
}
