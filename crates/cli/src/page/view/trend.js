// The trend: the score of each interval with its band, and under it the responses, which explain its noise.

import { COUNTS, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { MAX_LINES, windowOf, yesOrNo } from "../model/question.js";
import { fullScale, hasLine, scoreScale, scoresOf } from "../model/scales.js";
import { trendSentence } from "../model/sentences.js";
import { button, card, figuresTable, foreign, h, menu, said, unseen } from "./dom.js";
import { drawPartProblem, problemText } from "./states.js";
import { plot } from "./trend-plot.js";

export function drawTrend(answer, { change, look, retry }) {
  const { question, series } = answer;
  const window = windowOf(question);
  const title = window ? `Score of ${window} days, by ${question.interval}`
    : `Score and responses by ${question.interval}`;
  if (series.failure) return card("trend", { title }, drawPartProblem(series.failure, retry));
  // A window is whole where its interval is not.
  const points = window ? series.value.map((point) => ({ ...point, partial: null })) : series.value;
  const compared = previous(answer, points);
  const groups = groupLines(answer);
  const scores = [...compared, ...groups].map((line) => line.points);
  const scale = question.scale ? fullScale : scoreScale(points, scores);
  const lines = [...compared.filter((line) => hasLine(line.points, scale)), ...groups];
  const trend = { points, lines, scale, window };
  const { length } = points;
  const chart = h("div.trend-chart", {
    "data-control": "trend", tabindex: "0", role: "slider", "aria-label": `Intervals by ${question.interval}`,
    "aria-description": length > 1 && "Arrow keys show an interval, Enter narrows the period to it.",
    "aria-valuemin": "1", "aria-valuemax": length, "aria-valuenow": length,
    "aria-valuetext": spoken(trend, length - 1),
  });
  const readout = h("div.readout", { style: { "--lines": lines.length } },
    "Touch an interval for its figures, and again to narrow the period to it.");
  const narrow = (first, last) => {
    if (length === 1) return;
    const within = question.within ?? `${question.start}/${question.end}/${question.interval}`;
    change({ start: points[first].start, end: points[last].end, interval: undefined, within });
  };
  interact(chart, readout, trend, narrow);
  const lost = "The intervals of the earlier period could not be loaded.";
  return card("trend", { title, aside: adder(answer, look) }, chart, readout,
    answer.before?.failure && drawPartProblem(answer.before.failure, retry, lost),
    key(trend, question, { look, retry }), !window && said(trendSentence(points)), table(trend));
}

// Makes the line of the period before, interval by interval.
function previous({ question, before }, points) {
  if (!before?.points) return [];
  const scores = scoresOf(before.points);
  const aligned = points.map((_, at) => scores[at] ?? { responses: 0, nps: null });
  const label = format.periodName(before.period, question.start.slice(0, 4));
  return [{ label, points: aligned, style: "before" }];
}

function groupLines({ question, lines }) {
  const loading = question.lines.map((name) => ({ name, problem: "loading …" }));
  return (lines ?? loading).map(({ points = [], ...line }, at) => (
    { ...line, label: labelOf(question, line.name), points: scoresOf(points), style: `group-${at + 1}` }));
}

function labelOf({ groupType }, name) {
  return groupType === "boolean" ? yesOrNo(name === "true") : name || "empty";
}

// Makes the menu of the groups that can become lines.
function adder(answer, look) {
  const { question: { group, lines }, question } = answer;
  if (!group) return null;
  return menu("chip.dashed", "line", [unseen("Add to the trend: "), "+ group"], () => {
    const { value, failure } = answer.groups ?? {};
    if (lines.length >= MAX_LINES) return h("p.hint", "Five lines at most.");
    if (!value) return h("p.hint", failure ? problemText(failure) : "The groups are still loading.");
    const named = value.filter((one) => !one.other && one.group !== null).map((one) => String(one.group));
    const names = named.filter((name) => !lines.includes(name));
    if (names.length === 0) return h("p.hint", "There is no other group.");
    const option = (name) => (
      button("option", foreign(labelOf(question, name)), () => look({ lines: [...lines, name] })));
    return h("div.options", names.map(option));
  });
}

// Makes the legend of the colors, the lines and the intervals that are not whole.
function key({ points, lines, window }, question, { look, retry }) {
  const removal = (name, label) => button("remove-line", "×",
    () => look({ lines: question.lines.filter((one) => one !== name) }),
    { "data-control": "line", "aria-label": `Remove the line of ${label.slice(0, 100)}` });
  const line = ({ name, label, problem, style }) => h(`span.line.${style}`, foreign(label),
    problem && h("span.problem", problem), name !== undefined && removal(name, label));
  const kinds = !window && points.some(({ responses }) => responses > 0) ? KINDS.toReversed() : [];
  const partial = points.filter((point) => point.partial);
  return h("div.legend", kinds.map((kind) => h(`span.key.${kind}`, kind)), lines.map(line),
    lines.some(({ hasFailed }) => hasFailed) && button("link", "Try again", retry),
    partial.map(({ name, partial: how }) => h("span.key.partial", `${name}, ${how}`)));
}

// Draws the chart, and lets a pointer and the keyboard show intervals and narrow the period to them. The
// interval that a finger points at is shown in `readout`.
function interact(chart, readout, trend, narrow) {
  const { points } = trend;
  let shown = null;
  // The interval at which a mouse is pressed.
  let pressed = null;
  // Whether Escape ended the drag.
  let dropped = false;
  const isDragged = () => pressed !== null && shown !== null && pressed !== shown;
  const range = () => [Math.min(pressed, shown), Math.max(pressed, shown)];
  // The interval that was shown when a finger came down; undefined for a mouse. The first touch shows an
  // interval, the second one narrows the period.
  let touched;
  const tip = h("div.tip", { hidden: true });
  const show = (index) => {
    shown = index;
    tip.hidden = index === null || touched !== undefined;
    drawn.mark(pressed, index);
    if (index === null) return;
    const place = touched === undefined ? tip : readout;
    place.replaceChildren(...(isDragged() ? rangeTip(trend, ...range()) : tooltip(trend, index)));
    chart.setAttribute("aria-valuenow", String(index + 1));
    chart.setAttribute("aria-valuetext", spoken(trend, index));
  };
  const drawn = plot(chart, trend, tip, show);
  const end = () => {
    pressed = null;
    drawn.mark(null, null);
  };
  chart.addEventListener("keydown", (event) => {
    const last = points.length - 1;
    const at = shown ?? last;
    const moves = {
      ArrowLeft: shown === null ? last : at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1,
      Home: 0, End: last, PageUp: at - 10, PageDown: at + 10,
    };
    if (event.key === "Enter" && shown !== null) narrow(shown, shown);
    else if (event.key === "Escape" && pressed !== null) {
      dropped = true;
      end();
      show(shown);
    }
    else if (event.key in moves) drawn.select(Math.max(0, Math.min(last, moves[event.key])));
    else return;
    event.preventDefault();
  });
  chart.addEventListener("blur", () => drawn.select(null));
  chart.addEventListener("pointerdown", ({ pointerType, pointerId, button, target }) => {
    const isFinger = pointerType === "touch";
    touched = isFinger ? shown : undefined;
    chart.classList.toggle("by-touch", isFinger);
    pressed = isFinger || button !== 0 ? null : shown;
    dropped = false;
    // The mouse can be released outside of the chart, which means the nearest interval.
    if (pressed !== null) target.setPointerCapture(pointerId);
  });
  chart.addEventListener("pointerup", () => {
    if (isDragged()) narrow(...range());
    // The browser reports the click of this gesture first.
    setTimeout(end);
  });
  chart.addEventListener("pointercancel", end);
  chart.addEventListener("click", () => {
    const isFirstTouch = touched !== undefined && touched !== shown;
    if (shown !== null && !dropped && !isDragged() && !isFirstTouch) narrow(shown, shown);
  });
}

// Returns the score of an interval in words, and the interval of the score.
function scored(point) {
  return point.responses > 0 ? [`NPS ${format.score(point.nps)}`, format.scoreInterval(point)] : [];
}

const counted = (responses) => (responses > 0 ? format.counted(responses, "response") : "no responses");

function volume({ responses, displays, superseded }) {
  if (displays === 0) return "no surveys shown";
  const earlier = superseded > 0 ? ` (and ${format.count(superseded)} earlier)` : "";
  return `${counted(responses)}${earlier} to ${format.shown(displays)}`;
}

function fullName(point) {
  return point.partial ? `${point.name}, ${point.partial} (${format.dates(point)})` : point.name;
}

function tooltip({ points, lines }, at) {
  return [
    ...figuresOf(points[at], fullName(points[at])),
    ...withPoints(lines).map((line) => (
      h(`span.line.${line.style}`, foreign(line.label), `\u00a0${lineScore(line.points[at])}`))),
  ];
}

// Says what a range adds up to, which scores do not. People of several intervals would count several times.
function rangeTip({ points, window }, first, last) {
  const elements = points.slice(first, last + 1);
  const dates = format.dates({ start: elements[0].start, end: elements.at(-1).end });
  if (window) return [h("strong", dates)];
  const sum = (name) => elements.reduce((all, one) => all + one[name], 0);
  const [responses, displays] = ["responses", "displays"].map(sum);
  const words = "superseded" in elements[0] ? format.shown(displays) : volume({ responses, displays });
  return [h("strong", dates), h("span", words)];
}

function figuresOf(point, name) {
  const [score, interval] = scored(point);
  const kind = (one) => h(`span.key.${one}`, format.ofKind(point[one], one));
  return [
    h("strong", name),
    score && h("span", score, h("span.soft", ` (${interval})`)),
    h("span", volume(point)),
    ...(score ? KINDS.toReversed().map(kind) : []),
  ].filter(Boolean);
}

const withPoints = (lines) => lines.filter(({ points }) => points.length > 0);

// Says the score of a line in an interval, and on how many responses it rests.
function lineScore({ responses, nps }) {
  return responses > 0 ? `${format.score(nps)} (${counted(responses)})` : counted(0);
}

function spoken({ points, lines }, at) {
  const point = points[at];
  const score = scored(point);
  const others = withPoints(lines).map(({ label, points: scores }) => (
    `${format.isolated(label)}: ${lineScore(scores[at])}`));
  return [`${fullName(point)}: ${[...score, volume(point)].join(", ")}`, ...others].join("; ");
}

function table({ points, lines }) {
  const head = [
    "Interval", "NPS", "95% interval", "Responses", "Surveys shown", "Dismissed", "Promoters", "Passives",
    "Detractors",
  ];
  const counts = [...COUNTS];
  if ("superseded" in points[0]) {
    head.push("Left out");
    counts.push("superseded");
  }
  const others = withPoints(lines);
  for (const { label } of others) head.push([foreign(label), " NPS"], [foreign(label), " responses"]);
  const rows = points.map((point, at) => {
    const score = ({ responses, nps }) => (responses > 0 ? format.score(nps) : "–");
    const interval = point.responses > 0 ? format.scoreInterval(point) : "–";
    const figures = counts.map((name) => format.count(point[name]));
    const scores = others.flatMap(({ points: all }) => [score(all[at]), format.count(all[at].responses)]);
    return [fullName(point), score(point), interval, ...figures, ...scores];
  });
  return figuresTable("Score and responses of each interval", head, rows);
}
