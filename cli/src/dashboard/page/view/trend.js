// The trend: the score of each interval with its band, and under it the responses, which explain its noise.

import { KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { MAX_LINES, yesOrNo } from "../model/question.js";
import { fullScale, isCutOff, scoreScale, scoresOf } from "../model/scales.js";
import { trendSentence } from "../model/sentences.js";
import { button, card, figuresTable, foreign, h, menu, unseen } from "./dom.js";
import { drawPartProblem, problemText } from "./states.js";
import { lineStyle } from "./trend-marks.js";
import { plot } from "./trend-plot.js";

export function drawTrend(answer, { change, look }) {
  const { question, series } = answer;
  const title = `Score and responses by ${question.interval}`;
  if (series.failure) return card("trend", { title }, drawPartProblem(series.failure, question, { change }));
  const points = series.value;
  const loading = question.lines.map((name) => ({ name, problem: "loading …" }));
  const lines = (answer.lines ?? loading).map(({ name, points: scores = [], problem }) => ({ name, label: labelOf(question, name), points: scoresOf(scores), problem }));
  const scales = { fit: scoreScale(points, lines.map((line) => line.points)), full: fullScale };
  const trend = { points, lines, scale: scales[question.scale ?? "fit"] };
  const chart = h("div.trend-chart", { "data-control": "trend", tabindex: "0", role: "slider", "aria-label": `Intervals by ${question.interval}`, "aria-describedby": "trend-hint",
    "aria-valuemin": "1", "aria-valuemax": String(points.length), "aria-valuenow": String(points.length), "aria-valuetext": spoken(trend, points.length - 1) });
  const narrow = (index) => {
    const { start, end } = points[index];
    if (points.length > 1) change({ start, end, before: undefined, interval: undefined });
  };
  interact(chart, trend, narrow);
  const hint = h("p.hint", { id: "trend-hint" }, points.length > 1 ? [
    h("span.mouse", "A click narrows the period to one interval; so does Enter, after the arrow keys."),
    h("span.touch", "A touch shows an interval; a second one narrows the period to it."),
  ] : "");
  const tools = h("div.tools", zoom(scales.fit, question, look), adder(answer, look));
  return card("trend", { title, aside: tools, sentence: [trendSentence(points, lines.flatMap((line) => line.points)), question.respondents ? ` Each person with an id counts once in each ${question.interval}.` : null] }, chart, key(trend, look), hint, table(trend));
}

// Makes the switch between the scale that fits and the whole one, if they differ.
function zoom(fit, { scale }, look) {
  if (fit.min === fullScale.min && fit.max === fullScale.max) return null;
  const zoomed = `${format.signedWhole(fit.min)} to ${format.signedWhole(fit.max)}`;
  return button("link", scale ? `Zoom in on ${zoomed}` : "Show −100 to +100", () => look({ scale: scale ? undefined : "full" }), { "data-control": "scale" });
}

function labelOf({ groupType }, name) {
  return groupType === "boolean" ? yesOrNo(name === "true") : name || "empty";
}

// Makes the menu of the groups that can become lines.
function adder(answer, look) {
  const { question: { group, lines }, question } = answer;
  if (!group || lines.length >= MAX_LINES) return null;
  return menu("chip.dashed", "line", [unseen("Add to the trend: "), "+ group"], () => {
    const { value, failure } = answer.groups ?? {};
    if (!value) return h("p.hint", failure ? problemText(failure) : "The groups are still loading.");
    const names = value.filter((one) => !one.other && one.group !== null).map((one) => String(one.group)).filter((name) => !lines.includes(name));
    if (names.length === 0) return h("p.hint", "There is no other group.");
    return h("div.options", names.map((name) => button("option", foreign(labelOf(question, name)), () => look({ lines: [...lines, name] }))));
  });
}

// Explains the lines and the marks of the chart, of which there may be none.
function key({ points, lines, scale }, look) {
  const cutOff = [points, ...lines.map((line) => line.points)].flat().some((point) => isCutOff(point, scale).above || isCutOff(point, scale).below);
  const names = lines.map(({ name }) => name);
  const entries = lines.map(({ name, label, problem }, at) => h("span.group-line", { style: lineStyle(at) }, foreign(label), problem && h("span.problem", problem),
    button("remove-line", "×", () => look({ lines: names.filter((one) => one !== name) }), { "data-control": "line", "aria-label": `Remove the line of ${label.slice(0, 100)}` })));
  entries.push(...points.filter(({ partial }) => partial).map((point) => h("span.key.partial", fullName(point))));
  if (cutOff) entries.push(h("span.key.cut-off", "goes on beyond the scale"));
  return entries.length > 0 ? h("p.legend", entries) : null;
}

// Draws the chart, and lets a pointer and the keyboard show an interval and narrow the period to it.
function interact(chart, trend, narrow) {
  const { points } = trend;
  let shown = null;
  const tip = h("div.tip", { hidden: true });
  const show = (index) => {
    shown = index;
    tip.hidden = index === null;
    if (index === null) return;
    tip.replaceChildren(...tooltip(trend, index));
    chart.setAttribute("aria-valuenow", String(index + 1));
    chart.setAttribute("aria-valuetext", spoken(trend, index));
  };
  const drawn = plot(chart, trend, tip, show);
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
  return point.partial ? `${point.name}, ${point.partial} (${format.dates(point)})` : point.name;
}

function tooltip({ points, lines }, at) {
  const point = points[at];
  const score = scored(point);
  const kind = (name) => h(`span.key.${name}`, format.ofKind(point[name], name));
  return [
    h("strong", fullName(point)),
    score ? h("span", score[0], h("span.soft", ` (${score[1]})`)) : null,
    h("span", volume(point)),
    ...(score ? KINDS.toReversed().map(kind) : []),
    ...lines.flatMap(({ points: scores, ...line }, index) => (scores.length > 0 ? [h("span.group-line", { style: lineStyle(index) }, foreign(line.label), `\u00a0${lineScore(scores[at])}`)] : [])),
  ].filter(Boolean);
}

// Says the score of a group in an interval, and on how many responses it rests.
function lineScore(of) {
  return of.responses > 0 ? `${format.score(of.nps)} (${format.counted(of.responses, "response")})` : "no responses";
}

function spoken({ points, lines }, at) {
  const point = points[at];
  const score = scored(point);
  const others = lines.filter((line) => line.points.length > 0).map((line) => `; ${format.isolated(line.label)}: ${lineScore(line.points[at])}`);
  return `${fullName(point)}: ${score ? `${score[0]}, ${score[1]}, ` : ""}${volume(point)}${others.join("")}`;
}

function table({ points, lines }) {
  const head = ["Interval", "NPS", "95%", "Responses", "Displays", "Dismissed", "Promoters", "Passives", "Detractors"];
  const counts = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"];
  if ("superseded" in points[0]) {
    head.push("Left out");
    counts.push("superseded");
  }
  const shown = lines.filter((line) => line.points.length > 0);
  for (const { label } of shown) head.push([foreign(label), " NPS"], [foreign(label), " responses"]);
  const rows = points.map((point, at) => {
    const [score, interval] = scored(point) ?? ["–", "–"];
    const others = shown.flatMap(({ points: scores }) => [scores[at].responses > 0 ? format.score(scores[at].nps) : "–", format.count(scores[at].responses)]);
    return [fullName(point), score.replace("NPS ", ""), interval, ...counts.map((name) => format.count(point[name])), ...others];
  });
  return figuresTable("Score and responses of each interval", head, rows);
}
