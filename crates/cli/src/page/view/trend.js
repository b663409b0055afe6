// The trend: the score of each interval with its band, and under it the responses, which explain its noise.

import { answered, FEW, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { counterpart, offeredIntervals, startOf } from "../model/period.js";
import { fileName, formatPeriod, MAX_LINES, windowOf, WINDOWS, yesOrNo } from "../model/question.js";
import { areMostlyFew, fullScale, scoreScale, scoresOf } from "../model/scales.js";
import { button, card, copier, figuresTable, foreign, h, menu, save, unseen } from "./dom.js";
import { picture, pixels } from "./picture.js";
import { drawPartProblem, problemText } from "./states.js";
import { plot } from "./trend-plot.js";

export function drawTrend(answer, { change, look, retry }) {
  const { question, series } = answer;
  const window = windowOf(question);
  const title = window ? `Score of ${window} days, by ${question.interval}`
    : `Score and responses by ${question.interval}`;
  if (series.failure) return card("trend", { title }, drawPartProblem(series.failure, retry));
  const points = series.value;
  const compared = previous(answer, points);
  const groups = groupLines(answer);
  const lines = [...compared, ...groups];
  const target = question.target
    && { nps: Number(question.target), label: `target ${question.target.replace("-", "\u2212")}` };
  const fitting = scoreScale(points, lines.map((line) => line.points), target ? [target.nps] : []);
  const isWhole = fitting.min === fullScale.min && fitting.max === fullScale.max;
  const scale = question.scale ? fullScale : fitting;
  const trend = { points, lines, scale, window, isWhole, target };
  const { length } = points;
  const chart = h("div.trend-chart");
  const slider = h("input", {
    type: "range", min: "1", max: length, value: length, "data-control": "trend",
    "aria-label": `Intervals by ${question.interval}`, "aria-valuetext": spoken(trend, length - 1),
    "aria-description": length > 1
      && "Arrow keys show an interval, with Shift a range; Enter narrows the period to it.",
  });
  const over = h("div.over", slider);
  const readout = h("div.readout", { style: { "--lines": lines.length } },
    "Touch an interval for its figures, and again to narrow the period to it.");
  const narrow = (first, last) => {
    if (length === 1) return;
    const within = question.within ?? formatPeriod(question);
    change({ start: points[first].start, end: points[last].end, interval: undefined, within });
  };
  const description = `${length} by ${question.interval}. The last: ${spoken(trend, length - 1)}.`;
  interact({ chart, over, slider, readout }, trend, { title, description }, narrow);
  const lost = "The intervals of the earlier period could not be loaded.";
  return card("trend", { title, aside: [pictures(answer, title), adder(answer, look)] }, chart, readout,
    answer.before?.failure && drawPartProblem(answer.before.failure, retry, lost),
    key(trend, question, { look, retry }), length > 1 && proposal(points, question, change), table(trend));
}

// Makes the line of the period before, each interval at its place in the calendar; one point is no line.
function previous({ question, before }, points) {
  if (!before?.points || points.length === 1) return [];
  const { interval, weekStart } = question;
  const places = before.points.map(({ start }) => startOf(interval, start, weekStart));
  const scores = scoresOf(before.points);
  const aligned = points.map(({ start }) => (
    scores[places.indexOf(counterpart(question, before.period, start))] ?? { responses: 0, nps: null }));
  const label = format.periodName(before.period);
  return [{ label, points: aligned, style: "before" }];
}

function groupLines({ question, lines }) {
  const loading = question.lines.map((name) => ({ name, problem: "loading …" }));
  return (lines ?? loading).map(({ points = [], ...line }, at) => (
    { ...line, label: labelOf(question, line.name), points: scoresOf(points), style: `group-${at + 1}` }));
}

const labelOf = ({ groupType }, name) => (
  groupType === "boolean" ? yesOrNo(name === "true") : name || "empty");

// Makes the menu of the groups that can become lines.
function adder(answer, look) {
  const { question: { group, lines }, question } = answer;
  // No filter has the sign after which it expects the operator in the name.
  if (!group || group.includes("=")) return null;
  return menu("chip.dashed", "line", [unseen("Add to the trend: "), "+ group"], (closing) => {
    const { value, failure } = answer.groups ?? {};
    if (lines.length >= MAX_LINES) return h("p.hint", "Five lines at most.");
    if (!value) return h("p.hint", failure ? problemText(failure) : "The groups are still loading.");
    const named = value.filter((one) => !one.other && one.group !== null).map((one) => String(one.group));
    const names = named.filter((name) => !lines.includes(name));
    if (names.length === 0) return h("p.hint", "There is no other group.");
    const option = (name) => (
      button("option", foreign(labelOf(question, name)), closing(() => look({ lines: [...lines, name] }))));
    return h("div.options", names.map(option));
  });
}

// Proposes longer intervals, or windows, where most intervals have too few responses to tell.
function proposal(points, question, change) {
  if (!areMostlyFew(points)) return null;
  const { interval } = question;
  const days = windowOf(question);
  const longer = offeredIntervals(question).find((one, at, all) => at > all.indexOf(interval));
  const wider = WINDOWS.find((one) => Number(one) > (days ?? (interval === "month" ? 30 : 0)));
  const way = (words, changes) => [button("link", words, () => change(changes)), " "];
  const these = days ? "windows" : `${interval}s`;
  return h("p.sentence", `Most of these ${these} have fewer than ${FEW} responses: too few to tell. `,
    longer && way(`Show ${longer}s`, { interval: longer }),
    wider && windowOf({ ...question, window: wider }) && way(`Let each count ${wider} days`, { window: wider }));
}

// Makes the menu that takes the score and the chart along.
function pictures(answer, title) {
  const { question } = answer;
  const made = () => picture(document.getElementById("trend"), title, answer);
  const download = () => save(made().text, "image/svg+xml", `${fileName(question, question.interval)}.svg`);
  const copy = () => navigator.clipboard.write([new ClipboardItem({ "image/png": pixels(made()) })]);
  // Only a page that came over TLS, or from this machine, may copy.
  return menu("chip.arrow", "picture", "Picture", (closing) => h("div.options",
    navigator.clipboard && copier("copy-picture", "Copy as image", copy),
    button("option", "Download SVG", closing(download), { "data-control": "svg" })));
}

// Makes the legend of colors, lines and intervals that are not whole, with the control of the scale.
function key({ points, lines, target, window, isWhole }, question, { look, retry }) {
  const removal = (name, label) => button("remove-line", "×",
    () => look({ lines: question.lines.filter((one) => one !== name) }),
    { "data-control": "line", "aria-label": `Remove the line of ${label.slice(0, 100)}` });
  const line = ({ name, label, problem, style }) => h(`span.line.${style}`, foreign(label),
    problem && h("span.problem", problem), name !== undefined && removal(name, label));
  const kinds = !window && points.some(({ responses }) => responses > 0) ? KINDS : [];
  const isAhead = ({ partial }) => partial === "after today";
  const partial = points.filter((point) => point.partial && !isAhead(point));
  const cut = lines.filter(({ style }) => style === "before").flatMap((one) => one.points)
    .filter((point) => point.responses > 0 && point.partial);
  return h("div.legend", kinds.map((kind) => h(`span.key.${kind}`, kind)), lines.map(line),
    target && h("span.line.target", target.label),
    lines.some(({ hasFailed }) => hasFailed) && button("link", "Try again", retry),
    partial.map(({ name, partial: how }) => h("span.key.partial", `${name}, ${how}`)),
    points.some(isAhead) && h("span.key.partial", "after today"),
    cut.map(({ name, partial: how }) => h("span.key.cut", `${name}, ${how}`)),
    !isWhole && button("link", question.scale ? "Fit the scale" : "Show \u2212100 to 100",
      () => look({ scale: question.scale ? undefined : "full" }), { "data-control": "scale" }));
}

// Draws the chart, and lets a pointer and the keyboard show intervals and narrow the period to them. The
// interval that a finger points at is shown in `readout`.
function interact({ chart, over, slider, readout }, trend, words, narrow) {
  let shown = null;
  // The interval at which a mouse was pressed, or Shift.
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
    const ranged = isDragged() && rangeTip(trend, ...range());
    place.replaceChildren(...(ranged || tooltip(trend, index)));
    slider.value = index + 1;
    const words = ranged && ranged.map(({ textContent }) => textContent).join(": ");
    slider.setAttribute("aria-valuetext", words || spoken(trend, index));
  };
  const drawn = plot(chart, over, { trend, words, tip, show });
  const end = () => {
    pressed = null;
    drawn.mark(null, null);
  };
  // Keys, and the gestures of screen readers, move the slider.
  const move = () => drawn.select(slider.value - 1);
  slider.addEventListener("focus", move);
  slider.addEventListener("input", move);
  slider.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && shown !== null) narrow(...(isDragged() ? range() : [shown, shown]));
    else if (event.key === "Escape" && pressed !== null) {
      dropped = true;
      end();
      show(shown);
    }
    else {
      pressed = event.shiftKey ? (pressed ?? shown) : null;
      return;
    }
    event.preventDefault();
  });
  slider.addEventListener("blur", () => {
    pressed = null;
    drawn.select(null);
  });
  // The keys of a drag are the slider's.
  over.addEventListener("mousedown", (event) => {
    event.preventDefault();
    slider.focus({ preventScroll: true });
  });
  over.addEventListener("pointerdown", ({ pointerType, pointerId, button }) => {
    const isFinger = pointerType === "touch";
    touched = isFinger ? shown : undefined;
    chart.classList.toggle("by-touch", isFinger);
    pressed = isFinger || button !== 0 ? null : shown;
    dropped = false;
    // The mouse can be released outside of the chart, which means the nearest interval.
    if (pressed !== null) over.setPointerCapture(pointerId);
  });
  over.addEventListener("pointerup", () => {
    if (isDragged()) narrow(...range());
    // The browser reports the click of this gesture first.
    setTimeout(end);
  });
  over.addEventListener("pointercancel", end);
  over.addEventListener("click", () => {
    const isFirstTouch = touched !== undefined && touched !== shown;
    if (shown !== null && !dropped && !isDragged() && !isFirstTouch) narrow(shown, shown);
  });
}

// Returns the score of an interval in words, and the interval of the score.
const scored = (point) => (
  point.responses > 0 ? [`NPS ${format.score(point.nps)}`, format.scoreInterval(point)] : []);

const counted = (responses) => (responses > 0 ? format.counted(responses, "response") : "no responses");

function volume({ responses, displays, superseded }) {
  if (displays === 0) return "no surveys shown";
  const earlier = superseded > 0 ? ` (and ${format.count(superseded)} earlier)` : "";
  return `${counted(responses)}${earlier} to ${format.shown(displays)}`;
}

const fullName = (point) => (
  point.partial ? `${point.name}, ${point.partial} (${format.dates(point)})` : point.name);

function tooltip({ points, lines }, at) {
  const point = points[at];
  const [score, interval] = scored(point);
  const kind = (one) => h(`span.key.${one}`, format.ofKind(point[one], one));
  const line = (one) => h(`span.line.${one.style}`, foreign(nameAt(one, at)), `\u00a0${lineScore(one, at)}`);
  return [
    h("strong", fullName(point)),
    ...(score ? [h("span", score, h("span.soft", ` (${interval})`))] : []),
    h("span", volume(point)),
    ...(score ? KINDS.map(kind) : []),
    ...withPoints(lines).map(line),
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

// Names what a line has at an interval: the one of the earlier period, or the group.
const nameAt = ({ label, points, style }, at) => (style === "before" && points[at].name) || label;

const withPoints = (lines) => lines.filter(({ points }) => points.length > 0);

// Says the score of a line in an interval, on how many responses it rests, and whether the interval of the
// period before is a part of one.
function lineScore({ points, style }, at) {
  const { responses, nps, partial } = points[at];
  const how = partial && style === "before" ? `, ${partial}` : "";
  return responses > 0 ? `${format.score(nps)} (${counted(responses)}${how})` : counted(0);
}

function spoken({ points, lines }, at) {
  const point = points[at];
  const score = scored(point);
  const others = withPoints(lines).map((line) => `${format.isolated(nameAt(line, at))}: ${lineScore(line, at)}`);
  return [`${fullName(point)}: ${[...score, volume(point)].join(", ")}`, ...others].join("; ");
}

// Makes the table of the intervals. Where only answers are recorded, there is no response rate.
function table({ points, lines }) {
  const hasRate = (one) => answered(one) < one.displays;
  const columns = [
    ["NPS", ({ responses, nps }) => (responses > 0 ? format.score(nps) : "–")],
    ["95% interval", (one) => (one.responses > 0 ? format.scoreInterval(one) : "–")],
    ["Responses", ({ responses }) => format.count(responses)],
    ["Surveys shown", ({ displays }) => format.count(displays)],
    ["Response rate", (one) => (hasRate(one) ? format.share(answered(one), one.displays) : "–")],
    ["Dismissed", ({ dismissed }) => format.count(dismissed)],
    ["Detractors", ({ detractors }) => format.count(detractors)],
    ["Passives", ({ passives }) => format.count(passives)],
    ["Promoters", ({ promoters }) => format.count(promoters)],
    ["Left out", ({ superseded }) => format.count(superseded)],
  ].filter(([name]) => (name !== "Response rate" || points.some(hasRate))
    && (name !== "Left out" || "superseded" in points[0]));
  const others = withPoints(lines);
  const [score, , responses] = columns.map(([, text]) => text);
  const head = [
    "Interval", ...columns.map(([name]) => name),
    ...others.flatMap(({ label }) => [[foreign(label), " NPS"], [foreign(label), " responses"]]),
  ];
  const rows = points.map((point, at) => [
    fullName(point), ...columns.map(([, text]) => text(point)),
    ...others.flatMap(({ points: all }) => [score(all[at]), responses(all[at])]),
  ]);
  return figuresTable("Score and responses of each interval", head, rows);
}
