// What the chart of the trend shows: the band, the lines and the points of the scores, the bars of the
// responses, and their labels. `content.css` has their colors and pens. A layout says where everything is.

import { isFew, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { isCutOff, roundBelow } from "../model/scales.js";
import { s } from "./dom.js";

// Returns the marks, from the back to the front. Windows overlap, so their responses are no bars, and a line
// has no points.
export function marks(trend, layout) {
  const { points, lines, target, window: isWindow } = trend;
  return [
    definitions(layout),
    hatching(points, layout),
    s("path.band", { d: band(points, layout), "clip-path": "url(#band)" }),
    target && level("target", layout.y(target.nps), layout),
    !isWindow && [volumes(points, layout), bars(points, layout)],
    [...lines, { points, style: "main" }].map((line) => drawLine(line, trend, layout)),
    !isWindow && gaps(points, layout),
    layout.isRoomy && ends(trend, layout),
  ];
}

const scored = (point) => point?.responses > 0;
const rounded = (length) => Math.round(10 * length) / 10;
const spot = (x, y) => `${rounded(x)} ${rounded(y)}`;
const box = (x, y, width, height) => (
  `M${spot(x, y)}h${rounded(width)}v${rounded(height)}h${-rounded(width)}Z`);

// Draws a line of one pixel across, and what it is called left of it.
export const level = (kind, y, { left, plotWidth }) => (
  s(`path.${kind}`, { d: `M${rounded(left)} ${Math.round(y) - 0.5}h${rounded(plotWidth)}` }));
export const levelName = (words, y, { left, em }) => (
  s("text.end", { x: rounded(left - 0.8 * em), y: rounded(y + 0.35 * em) }, words));

// The parts of the chart that have the band and the lines, and the pattern of intervals that are not whole.
function definitions({ left, top, plotWidth, scoreHeight }) {
  const part = (id, margin) => s("clipPath", { id }, s("rect", {
    x: left - margin, y: top - margin, width: plotWidth + 2 * margin, height: scoreHeight + 2 * margin,
  }));
  const tile = { width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return s("defs", part("band", 0), part("lines", 6),
    s("pattern", { id: "hatch", ...tile }, s("path.hatch", { d: "M2.5 0v5" })));
}

function hatching(points, { x, top, column, plotHeight }) {
  return points.map(({ partial }, at) => partial && s("path.partial", {
    d: box(x(at) - column / 2, top, column, plotHeight), fill: "url(#hatch)",
  }));
}

// Splits the intervals into runs that have a property or lack it: `[first, last, has]`.
function runs(points, has) {
  const found = [];
  points.forEach((point, at) => {
    const value = has(point);
    if (found.at(-1)?.[2] === value) found.at(-1)[1] = at;
    else found.push([at, at, value]);
  });
  return found;
}

function band(points, { x, y, em, column }) {
  return runs(points, scored).filter(([, , has]) => has).map(([first, last]) => {
    // An interval alone has no width; its band gets some.
    const pad = first === last ? Math.min(0.6 * em, column / 3) : 0;
    const edge = (end) => points.slice(first, last + 1).flatMap((point, at) => (
      [-pad, pad].map((shift) => spot(x(first + at) + shift, y(point[end])))));
    return `M${[...edge("npsHigh"), ...edge("npsLow").reverse()].join("L")}Z`;
  }).join("");
}

// Draws the line of one series of scores, its points, and what it has beyond the scale.
function drawLine({ points, style }, trend, layout) {
  const { scale, window: isWindow } = trend;
  const at = (index) => spot(layout.x(index), layout.y(points[index].nps));
  return s(`g.${style}`,
    s("g", { "clip-path": "url(#lines)" },
      Object.entries(courses(points, at)).map(([kind, d]) => s(`path.course${kind}`, { d })),
      dots({ points, style }, layout, isWindow)),
    beyond(points, scale, layout));
}

// Returns the paths of a line, by what their segments are: `few` from or to few responses, `partial` from or to
// an interval that is not whole.
function courses(points, place) {
  const paths = {};
  let last;
  points.forEach((point, at) => {
    const ends = [points[at - 1], point];
    const kind = !ends.every(scored) ? null
      : `${ends.some(isFew) ? ".few" : ""}${ends.some(({ partial }) => partial) ? ".partial" : ""}`;
    const from = kind === last ? "" : `M${place(Math.max(0, at - 1))}`;
    if (kind !== null) paths[kind] = `${paths[kind] ?? ""}${from}L${place(at)}`;
    last = kind;
  });
  return paths;
}

// A point on few responses is hollow. Points that no line shows are always drawn; of the points on a minor
// line, only the hollow ones are drawn, and none on any line of windows, or where they are crowded: there, the
// line is light. Of the period before, a square marks an interval that is not whole, as no window is.
function dots({ points, style }, { x, y, column, em }, isWindow) {
  const radius = 0.27 * em;
  const crowded = isWindow || column < 2.2 * radius;
  return points.map((point, at) => {
    if (!scored(point)) return null;
    const [cx, cy] = [rounded(x(at)), rounded(y(point.nps))];
    const square = () => box(cx - radius, cy - radius, 2 * radius, 2 * radius);
    if (style === "before") return point.partial && s("path.point.few", { d: square() });
    const onLine = scored(points[at - 1]) || scored(points[at + 1]);
    const isDrawn = !onLine || (!crowded && (style === "main" || isFew(point)));
    return isDrawn && s(isFew(point) ? "circle.point.few" : "circle.point", { cx, cy, r: radius });
  });
}

// Marks with a triangle, hollow as a point, where a band goes on beyond the scale.
function beyond(points, scale, { x, y, em, column }) {
  const [half, height] = [Math.min(0.3 * em, 0.4 * column), 0.46 * em];
  const triangle = (at, tip, base) => (
    s(isFew(points[at]) ? "path.beyond.few" : "path.beyond",
      { d: `M${[spot(x(at), tip), spot(x(at) - half, base), spot(x(at) + half, base)].join("L")}Z` }));
  return points.map((point, at) => {
    const { above, below } = isCutOff(point, scale);
    return [
      above && triangle(at, y(scale.max), y(scale.max) + height),
      below && triangle(at, y(scale.min), y(scale.min) - height),
    ];
  });
}

// Draws the bars, with a seam between the kinds.
function bars(points, { x, em, column, bar }) {
  const width = Math.max(1, Math.min(0.6 * column, 4.3 * em));
  const seam = width > 4 ? 1 : 0;
  const paths = Object.fromEntries(KINDS.map((kind) => [kind, ""]));
  points.forEach((point, at) => {
    let to = 0;
    for (const kind of KINDS) {
      const [base, top] = [Math.round(bar(to)), Math.round(bar(to += point[kind]))];
      const height = Math.max(1, base - top - (kind === "detractors" ? 0 : seam));
      if (base > top) paths[kind] += box(x(at) - width / 2, top, width, height);
    }
  });
  return KINDS.map((kind) => s(`path.bars-${kind}.${kind}`, { d: paths[kind] }));
}

// Says that intervals had no displays or no responses.
function gaps(points, { x, bottom, em, column, measure }) {
  const words = ({ displays, responses }) => (
    displays === 0 ? "no surveys" : responses === 0 ? "no responses" : "");
  return runs(points, words).map(([first, last, text]) => {
    const room = (last - first + 1) * column - 0.3 * em;
    const fitting = text && [text, "none", "–"].find((some) => measure(some) < room);
    const at = { x: rounded((x(first) + x(last)) / 2), y: rounded(bottom - 0.4 * em) };
    return fitting && s("text.middle", at, fitting);
  });
}

// Says how many responses each bar has above it, or, where that does not fit, two labels of their scale.
function volumes(points, layout) {
  const { x, bar, em, column, measure, most } = layout;
  if (!points.some(scored)) return null;
  const counts = points.map(({ responses }) => (responses > 0 ? format.short(responses) : ""));
  if (counts.every((text) => measure(text) < column - 0.3 * em)) {
    const above = (text, at) => (
      s("text.middle", { x: rounded(x(at)), y: rounded(bar(points[at].responses) - 0.35 * em) }, text));
    return [level("grid", bar(0), layout), counts.map((text, at) => text && above(text, at))];
  }
  return [0, roundBelow(most)].map((count) => (
    [level("grid", bar(count), layout), levelName(format.short(count), bar(count), layout)]));
}

// Returns what stands beside the last scores: the interval and the score, as it may be partial, names of groups, and
// the target.
export function endLabels({ points, lines, target }) {
  const named = lines.filter(({ name }) => name !== undefined);
  const labels = [{ points, style: "main" }, ...named].flatMap(({ points: all, label, style }) => {
    const point = all.findLast(scored);
    if (!point) return [];
    const words = style === "main" ? `${format.shortName(point)} ${format.score(point.nps)}` : label.slice(0, 16);
    return [{ style, point, words }];
  });
  return target ? [...labels, { style: "target", point: target, words: target.label }] : labels;
}

// Draws these labels, each below the one before where they would overlap.
function ends(trend, { x, y, em }) {
  const { points, scale: { min, max } } = trend;
  const left = rounded(x(points.length - 0.5) + 0.6 * em);
  const placed = endLabels(trend).map((one) => ({ ...one, at: y(Math.max(min, Math.min(max, one.point.nps))) }));
  placed.sort((one, other) => one.at - other.at);
  return placed.map(({ style, point, words }, index) => {
    const one = placed[index];
    one.at = Math.max(one.at, (placed[index - 1]?.at ?? -Infinity) + 1.3 * em);
    const kind = style !== "main" ? `text.named.${style}` : isFew(point) ? "text" : "text.last";
    return s(kind, { x: left, y: rounded(one.at + 0.35 * em) }, words);
  });
}
