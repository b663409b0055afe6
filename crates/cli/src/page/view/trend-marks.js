// What the chart of the trend shows, drawn on uPlot's canvas, whose unit is a pixel of the screen: the band,
// the line and the points of the scores, the bars of the responses, and their labels.

import { isFew, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { isCutOff } from "../model/scales.js";

// The pens: of the period before, which is thin, dotted and without points; of other lines; and of their
// segments to an interval that is not whole, which are dashed.
const BEFORE = { width: 1.25, dashes: [1.5, 3] };
const LINE = { width: 2, dashes: [] };
const PARTIAL = { width: 2, dashes: [4, 4] };

// Windows overlap, so their responses are no bars, and a line has no points.
export function beneath(u, { points, scale, window: isWindow }, { color }) {
  drawHatching(u, points, color("--edge"));
  const zero = Math.round(y(u, 0) - ratio() / 2);
  if (scale.min <= 0 && scale.max >= 0) drawLevel(u, zero, color("--strong-line"));
  clipped(u, scale, 0, () => drawBand(u, points, color("--band")));
  if (!isWindow) drawBars(u, points, color);
}

export function above(u, trend, brush) {
  const { points, lines, scale, window: isWindow } = trend;
  for (const { points: scores, style } of [...lines, { points, style: "score" }]) {
    const color = brush.color(`--${style}`);
    const isPlain = style === "before";
    const isLoose = (at) => Boolean(points[at - 1]?.partial || points[at].partial);
    const line = (pen, has) => stroke(u, color, pen, (ctx) => drawLine(ctx, u, scores, has));
    clipped(u, scale, 6, () => {
      if (isPlain) return line(BEFORE, () => true);
      line(LINE, (at) => !isLoose(at));
      line(PARTIAL, isLoose);
      if (!isWindow) drawPoints(u, scores, color, brush.color("--card"), style !== "score");
    });
    if (!isPlain) drawCutOff(u, scores, scale, color);
  }
  if (!isWindow) drawGaps(u, points, brush);
  if (brush.roomy()) drawEnd(u, trend, brush);
}

const ratio = () => window.devicePixelRatio || 1;
const pixel = () => Math.max(1, Math.round(ratio()));
const x = (u, at) => u.valToPos(at, "x", true);
const y = (u, value) => u.valToPos(value, "nps", true);
const column = (u) => x(u, 1) - x(u, 0);
const scored = (point) => point?.responses > 0;

// Draws a line of one pixel across.
function drawLevel({ ctx, bbox }, top, color) {
  ctx.fillStyle = color;
  ctx.fillRect(bbox.left, top, bbox.width, pixel());
}

// Draws within a rectangle.
function within({ ctx }, rectangle, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(...rectangle);
  ctx.clip();
  draw();
  ctx.restore();
}

// Draws within the part of the chart that has the scores, and `margin` pixels around that part.
function clipped(u, { min, max }, margin, draw) {
  const pad = margin * ratio();
  const [top, height] = [y(u, max), y(u, min) - y(u, max)];
  within(u, [u.bbox.left - pad, top - pad, u.bbox.width + 2 * pad, height + 2 * pad], draw);
}

// Hatches the intervals that are not whole.
function drawHatching(u, points, color) {
  const { ctx, bbox } = u;
  const [width, height, gap] = [column(u), bbox.height, 7 * ratio()];
  [ctx.strokeStyle, ctx.lineWidth] = [color, ratio()];
  points.forEach(({ partial }, at) => {
    const left = x(u, at) - width / 2;
    if (partial) within(u, [left, bbox.top, width, height], () => {
      ctx.beginPath();
      for (let from = left - height; from < left + width; from += gap) {
        ctx.moveTo(from, bbox.top + height);
        ctx.lineTo(from + height, bbox.top);
      }
      ctx.stroke();
    });
  });
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

function drawBand(u, points, color) {
  const { ctx } = u;
  ctx.fillStyle = color;
  for (const [first, last, has] of runs(points, scored)) {
    if (!has) continue;
    // An interval alone has no width; its band gets some.
    const pad = first === last ? Math.min(8 * ratio(), column(u) / 3) : 0;
    const edge = (end) => points.slice(first, last + 1).flatMap((point, at) => (
      [-pad, pad].map((shift) => [x(u, first + at) + shift, y(u, point[end])])));
    fill(ctx, [...edge("npsHigh"), ...edge("npsLow").reverse()]);
  }
}

function fill(ctx, corners) {
  ctx.beginPath();
  for (const corner of corners) ctx.lineTo(...corner);
  ctx.fill();
}

// Draws those segments of a line for whose end `has` holds.
function drawLine(ctx, u, points, has) {
  const isDrawn = (at) => scored(points[at]) && scored(points[at - 1]) && has(at);
  points.forEach((point, at) => {
    if (!isDrawn(at)) return;
    if (!isDrawn(at - 1)) ctx.moveTo(x(u, at - 1), y(u, points[at - 1].nps));
    ctx.lineTo(x(u, at), y(u, point.nps));
  });
}

function stroke({ ctx }, color, { width, dashes }, draw) {
  [ctx.strokeStyle, ctx.lineWidth, ctx.lineJoin] = [color, width * ratio(), "round"];
  ctx.setLineDash(dashes.map((length) => length * ratio()));
  ctx.beginPath();
  draw(ctx);
  ctx.stroke();
  ctx.setLineDash([]);
}

// A point on few responses is hollow. Points that no line shows are always drawn; of the points on a minor
// line, only the hollow ones are drawn, and none on any line where the points are crowded.
function drawPoints(u, points, color, hollow, minor) {
  const { ctx } = u;
  const radius = 3.5 * ratio();
  const crowded = column(u) < 2.2 * radius;
  [ctx.strokeStyle, ctx.lineWidth] = [color, 1.75 * ratio()];
  points.forEach((point, at) => {
    const few = isFew(point);
    const onLine = scored(points[at - 1]) || scored(points[at + 1]);
    if (!scored(point) || (onLine && (crowded || (minor && !few)))) return;
    ctx.fillStyle = few ? hollow : color;
    ctx.beginPath();
    ctx.arc(x(u, at), y(u, point.nps), radius, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  });
}

// Marks with a triangle where a band goes on beyond the scale.
function drawCutOff(u, points, scale, color) {
  const [half, height] = [Math.min(4 * ratio(), 0.4 * column(u)), 6 * ratio()];
  u.ctx.fillStyle = color;
  points.forEach((point, at) => {
    const left = x(u, at);
    const triangle = (tip, base) => fill(u.ctx, [[left, tip], [left - half, base], [left + half, base]]);
    const { above, below } = isCutOff(point, scale);
    if (above) triangle(y(u, scale.max), y(u, scale.max) + height);
    if (below) triangle(y(u, scale.min), y(u, scale.min) - height);
  });
}

function drawBars(u, points, color) {
  const { ctx } = u;
  const width = Math.max(1, Math.min(0.6 * column(u), 56 * ratio()));
  const seam = width > 4 * pixel() ? pixel() : 0;
  const top = (value) => Math.round(u.valToPos(value, "count", true));
  drawLevel(u, top(0), color("--line"));
  points.forEach((point, at) => {
    for (const { kind, from, to } of stacked(point)) {
      const height = top(from) - top(to);
      const gap = kind === "promoters" ? 0 : seam;
      ctx.fillStyle = color(`--${kind}`);
      if (height > 0) ctx.fillRect(x(u, at) - width / 2, top(to), width, Math.max(1, height - gap));
    }
  });
}

// Returns from and to where each kind reaches in the bar of an interval.
function stacked(point) {
  let to = 0;
  return KINDS.map((kind) => {
    const from = to;
    to += point[kind];
    return { kind, from, to };
  });
}

// Says that intervals had no displays or no responses, and how many responses each bar has above it.
function drawGaps(u, points, brush) {
  const { ctx, bbox } = u;
  const bottom = bbox.top + bbox.height - 10 * ratio();
  write(u, brush, "--soft", "center");
  const words = ({ displays, responses }) => (
    displays === 0 ? "not shown" : responses === 0 ? "no responses" : "");
  const fitsIn = (room) => (line) => ctx.measureText(line).width < room - 4 * ratio();
  for (const [first, last, text] of runs(points, words)) {
    const fits = fitsIn((last - first + 1) * column(u));
    const lines = [[text], text.split(" "), ["none"], ["–"]].find((some) => some.every(fits)) ?? [];
    const middle = (x(u, first) + x(u, last)) / 2;
    lines.toReversed().forEach((line, at) => ctx.fillText(line, middle, bottom - 16 * at * ratio()));
  }
  const top = ({ responses }) => u.valToPos(responses, "count", true) - 9 * ratio();
  const counts = points.map(({ responses }) => (responses > 0 ? format.short(responses) : ""));
  if (!counts.every(fitsIn(column(u)))) return;
  counts.forEach((text, at) => ctx.fillText(text, x(u, at), top(points[at])));
}

function write({ ctx }, { color, font }, name, align) {
  ctx.font = font.replace(/^[\d.]+/, (size) => Number(size) * ratio());
  [ctx.fillStyle, ctx.textAlign, ctx.textBaseline] = [color(name), align, "middle"];
}

// Returns the last interval that has responses. Its label names the interval, which may be partial.
const lastOf = ({ points }) => points.findLast(scored);
const endLabel = (point) => `${format.shortName(point)} ${format.score(point.nps)}`;

// Returns the width of the label beside the last score.
export function endWidth(trend, { measure }) {
  const point = lastOf(trend);
  return point ? measure(endLabel(point)) : 0;
}

function drawEnd(u, trend, brush) {
  const { points, scale: { min, max } } = trend;
  const point = lastOf(trend);
  if (!point) return;
  write(u, brush, isFew(point) ? "--soft" : "--score", "left");
  const top = y(u, Math.max(min, Math.min(max, point.nps)));
  u.ctx.fillText(endLabel(point), x(u, points.length - 0.5) + 8 * ratio(), top);
}
