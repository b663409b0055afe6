// The shapes of the trend, drawn on uPlot's canvas, whose unit is a pixel of the screen.

import { FEW, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";

const ratio = () => window.devicePixelRatio || 1;
const x = (u, at) => u.valToPos(at, "x", true);
const y = (u, value) => u.valToPos(value, "nps", true);
const column = (u) => x(u, 1) - x(u, 0);

export function drawZero(u, color) {
  const { ctx, bbox } = u;
  ctx.fillStyle = color;
  ctx.fillRect(bbox.left, Math.round(y(u, 0) - ratio() / 2), bbox.width, Math.max(1, Math.round(ratio())));
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

export function drawBand(u, points, color) {
  const { ctx } = u;
  ctx.fillStyle = color;
  for (const [first, last, scored] of runs(points, ({ responses }) => responses > 0)) {
    if (!scored) continue;
    // An interval alone has no width; its band gets some.
    const pad = first === last ? Math.min(8 * ratio(), column(u) / 3) : 0;
    const run = points.slice(first, last + 1);
    ctx.beginPath();
    run.forEach((point, at) => edge(ctx, x(u, first + at), pad, y(u, point.npsHigh), -1));
    run.toReversed().forEach((point, at) => edge(ctx, x(u, last - at), pad, y(u, point.npsLow), 1));
    ctx.fill();
  }
}

function edge(ctx, left, pad, top, direction) {
  ctx.lineTo(left + direction * pad, top);
  if (pad) ctx.lineTo(left - direction * pad, top);
}

// A point on few responses is hollow. Where the points are many, only those that no line shows are drawn.
export function drawPoints(u, points, color) {
  const { ctx } = u;
  const radius = 3.5 * ratio();
  const crowded = column(u) < 4 * radius;
  const scored = (at) => points[at]?.responses > 0;
  [ctx.strokeStyle, ctx.lineWidth] = [color("--score"), 1.75 * ratio()];
  points.forEach(({ responses, nps }, at) => {
    if (responses === 0 || (crowded && (scored(at - 1) || scored(at + 1)))) return;
    ctx.fillStyle = color(responses < FEW ? "--card" : "--score");
    ctx.beginPath();
    ctx.arc(x(u, at), y(u, nps), radius, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  });
}

export function drawBars(u, points, color) {
  const { ctx, bbox } = u;
  const bottom = bbox.top + bbox.height;
  const width = Math.max(1, Math.min(0.6 * column(u), 56 * ratio()));
  const seam = column(u) > 8 * ratio() ? Math.max(1, Math.round(ratio())) : 0;
  const height = (value) => bottom - u.valToPos(value, "count", true);
  ctx.fillStyle = color("--line");
  ctx.fillRect(bbox.left, bottom, bbox.width, Math.max(1, Math.round(ratio())));
  points.forEach((point, at) => {
    let below = 0;
    for (const kind of KINDS) {
      const [from, to] = [Math.round(bottom - height(below)), Math.round(bottom - height(below + point[kind]))];
      below += point[kind];
      ctx.fillStyle = color(`--${kind}`);
      if (from > to) ctx.fillRect(x(u, at) - width / 2, to, width, Math.max(1, from - to - (kind === "promoters" ? 0 : seam)));
    }
  });
}

// Returns the interval whose ends are labeled: the last that has responses.
function labeled(points) {
  return points.findLastIndex(({ responses }) => responses > 0);
}

// Says that intervals had no displays, or no responses, and above each bar how many it had.
export function drawGaps(u, points, color, font, roomy) {
  const { ctx, bbox } = u;
  const bottom = bbox.top + bbox.height;
  write(u, font, color, "center");
  const words = ({ displays, responses }) => (displays === 0 ? "no displays" : responses === 0 ? "no responses" : "");
  for (const [first, last, text] of runs(points, words)) {
    if (roomy && first === labeled(points) + 1) continue;
    const room = (last - first + 1) * column(u);
    const fits = (lines) => lines.every((line) => ctx.measureText(line).width < room - 4 * ratio());
    const lines = [[text], text.split(" "), ["none"], ["–"]].find(fits) ?? [];
    lines.toReversed().forEach((line, at) => ctx.fillText(line, (x(u, first) + x(u, last)) / 2, bottom - (10 + 16 * at) * ratio()));
  }
  if (column(u) < 40 * ratio()) return;
  points.forEach(({ responses }, at) => {
    if (responses > 0) ctx.fillText(format.count(responses), x(u, at), u.valToPos(responses, "count", true) - 9 * ratio());
  });
}

function write({ ctx }, font, color, align) {
  ctx.font = font.replace(/^[\d.]+/, (size) => Number(size) * ratio());
  [ctx.fillStyle, ctx.textAlign, ctx.textBaseline] = [color, align, "middle"];
}

// Labels the ends of the line, of the band and of the last bar.
export function drawEnds(u, points, color, font) {
  const at = labeled(points);
  if (at < 0) return;
  const point = points[at];
  const last = at === points.length - 1;
  const left = x(u, at) + (last ? Math.min(column(u) / 2, 36 * ratio()) : 0) + 8 * ratio();
  if (!last && points.slice(at + 1).length * column(u) < 90 * ratio()) return;
  const soft = color("--soft");
  spread([
    [format.signedWhole(point.npsHigh), y(u, point.npsHigh), soft, ""],
    [`NPS ${format.score(point.nps)}`, y(u, point.nps), color("--score"), "600 "],
    [format.signedWhole(point.npsLow), y(u, point.npsLow), soft, ""],
  ], u, left, font);
  let below = 0;
  const parts = KINDS.map((kind) => {
    const middle = u.valToPos(below + point[kind] / 2, "count", true);
    below += point[kind];
    return [`${format.count(point[kind])} ${kind}`, middle, color(`--${kind}-text`), "600 "];
  });
  spread(parts.reverse(), u, left, font);
}

// Writes labels, from top to bottom, at least a line apart, the last of them above the axis.
function spread(labels, u, left, font) {
  const line = 17 * ratio();
  const bottom = u.bbox.top + u.bbox.height - line / 2;
  const tops = labels.map(([, top]) => top);
  for (let at = 1; at < tops.length; at += 1) tops[at] = Math.max(tops[at], tops[at - 1] + line);
  tops[tops.length - 1] = Math.min(tops.at(-1), bottom);
  for (let at = tops.length - 2; at >= 0; at -= 1) tops[at] = Math.min(tops[at], tops[at + 1] - line);
  labels.forEach(([text, , color, weight], at) => {
    write(u, font, color, "left");
    u.ctx.font = weight + u.ctx.font;
    u.ctx.fillText(text, left, tops[at]);
  });
}
