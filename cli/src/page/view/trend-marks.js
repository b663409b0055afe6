// What the chart of the trend shows, drawn on uPlot's canvas, whose unit is a pixel of the screen: the band, the line
// and the points of the scores, the bars of the responses, and their labels.

import { FEW, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";
import { isCutOff } from "../model/scales.js";

// The period before is drawn thin and dotted, and without points.
const BEFORE = { width: 1.25, dashes: [1.5, 3], isPlain: true };
const LINE = { width: 2, dashes: [], isPlain: false };

export function beneath(u, { points, scale }, { color }) {
  drawHatching(u, points, color("--edge"));
  if (scale.min <= 0 && scale.max >= 0) drawZero(u, color("--strong-line"));
  clipped(u, scale, 0, () => drawBand(u, points, color("--band")));
  drawBars(u, points, color);
}

export function above(u, trend, brush) {
  const { points, lines, scale } = trend;
  for (const { points: scores, style } of [...lines, { points, style: "score" }]) {
    const color = brush.color(`--${style}`);
    const { isPlain, ...pen } = style === "before" ? BEFORE : LINE;
    clipped(u, scale, 6, () => {
      stroke(u, color, pen, (ctx) => drawLine(ctx, u, scores));
      if (!isPlain) drawPoints(u, scores, color, brush.color("--card"), style !== "score");
    });
    if (!isPlain) drawCutOff(u, scores, scale, color);
  }
  drawGaps(u, points, brush);
  if (brush.roomy()) drawEnds(u, trend, brush);
}

const ratio = () => window.devicePixelRatio || 1;
const x = (u, at) => u.valToPos(at, "x", true);
const y = (u, value) => u.valToPos(value, "nps", true);
const column = (u) => x(u, 1) - x(u, 0);
const scored = (point) => point?.responses > 0;

function drawZero(u, color) {
  const { ctx, bbox } = u;
  ctx.fillStyle = color;
  ctx.fillRect(bbox.left, Math.round(y(u, 0) - ratio() / 2), bbox.width, Math.max(1, Math.round(ratio())));
}

// Draws within the part of the scores, and as many pixels around it.
function clipped(u, { min, max }, margin, draw) {
  const { ctx, bbox } = u;
  const pad = margin * ratio();
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left - pad, y(u, max) - pad, bbox.width + 2 * pad, y(u, min) - y(u, max) + 2 * pad);
  ctx.clip();
  draw();
  ctx.restore();
}

// Hatches the intervals that are not whole.
function drawHatching(u, points, color) {
  const { ctx, bbox } = u;
  const [width, height, gap] = [column(u), bbox.height, 7 * ratio()];
  [ctx.strokeStyle, ctx.lineWidth] = [color, ratio()];
  points.forEach(({ partial }, at) => {
    if (!partial) return;
    ctx.save();
    ctx.beginPath();
    ctx.rect(x(u, at) - width / 2, bbox.top, width, height);
    ctx.clip();
    ctx.beginPath();
    for (let from = x(u, at) - width / 2 - height; from < x(u, at) + width / 2; from += gap) {
      ctx.moveTo(from, bbox.top + height);
      ctx.lineTo(from + height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
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

function drawLine(ctx, u, points) {
  points.forEach((point, at) => {
    if (scored(point)) ctx[scored(points[at - 1]) ? "lineTo" : "moveTo"](x(u, at), y(u, point.nps));
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

// A point on few responses is hollow. Where the points are many, only those that no line shows are drawn; of those that
// are not the main ones, also the hollow ones where there is room.
function drawPoints(u, points, color, hollow, minor) {
  const { ctx } = u;
  const radius = 3.5 * ratio();
  const crowded = column(u) < 2.2 * radius;
  [ctx.strokeStyle, ctx.lineWidth] = [color, 1.75 * ratio()];
  points.forEach((point, at) => {
    const few = point.responses < FEW;
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
  const { ctx } = u;
  const [half, height] = [Math.min(4 * ratio(), 0.4 * column(u)), 6 * ratio()];
  ctx.fillStyle = color;
  const triangle = (at, tip, base) => {
    ctx.beginPath();
    ctx.moveTo(x(u, at), tip);
    ctx.lineTo(x(u, at) - half, base);
    ctx.lineTo(x(u, at) + half, base);
    ctx.fill();
  };
  points.forEach((point, at) => {
    const { above, below } = isCutOff(point, scale);
    if (above) triangle(at, y(u, scale.max), y(u, scale.max) + height);
    if (below) triangle(at, y(u, scale.min), y(u, scale.min) - height);
  });
}

function drawBars(u, points, color) {
  const { ctx, bbox } = u;
  const pixel = Math.max(1, Math.round(ratio()));
  const width = barWidth(u);
  const seam = width > 4 * pixel ? pixel : 0;
  const top = (value) => Math.round(u.valToPos(value, "count", true));
  ctx.fillStyle = color("--line");
  ctx.fillRect(bbox.left, top(0), bbox.width, pixel);
  points.forEach((point, at) => {
    let below = 0;
    for (const kind of KINDS) {
      const [from, to] = [top(below), top(below + point[kind])];
      below += point[kind];
      ctx.fillStyle = color(`--${kind}`);
      if (from > to) ctx.fillRect(x(u, at) - width / 2, to, width, Math.max(1, from - to - (kind === "promoters" ? 0 : seam)));
    }
  });
}

function barWidth(u) {
  return Math.max(1, Math.min(0.6 * column(u), 56 * ratio()));
}

// Returns the interval whose ends are labeled: the last that has responses.
function labeled(points) {
  return points.findLastIndex(scored);
}

// Says that intervals had no displays, or no responses, and above each bar how many it had.
function drawGaps(u, points, brush) {
  const { ctx, bbox } = u;
  const bottom = bbox.top + bbox.height;
  write(u, brush, "--soft", "center");
  const words = ({ displays, responses }) => (displays === 0 ? "not shown" : responses === 0 ? "no responses" : "");
  const fitsIn = (room) => (line) => ctx.measureText(line).width < room - 4 * ratio();
  for (const [first, last, text] of runs(points, words)) {
    const fits = fitsIn((last - first + 1) * column(u));
    const lines = [[text], text.split(" "), ["none"], ["–"]].find((some) => some.every(fits)) ?? [];
    lines.toReversed().forEach((line, at) => ctx.fillText(line, (x(u, first) + x(u, last)) / 2, bottom - (10 + 16 * at) * ratio()));
  }
  const counts = points.map(({ responses }) => (responses > 0 ? format.short(responses) : ""));
  if (!counts.every(fitsIn(column(u)))) return;
  counts.forEach((text, at) => ctx.fillText(text, x(u, at), u.valToPos(points[at].responses, "count", true) - 9 * ratio()));
}

function write({ ctx }, { color, font }, name, align, weight = "") {
  ctx.font = weight + font.replace(/^[\d.]+/, (size) => Number(size) * ratio());
  [ctx.fillStyle, ctx.textAlign, ctx.textBaseline] = [color(name), align, "middle"];
}

// Returns the labels of the ends, from top to bottom, each with its text, value, color, weight, and the style of its line.
// Those of groups take the place of the interval's ends.
function scoreLabels({ points, lines }, at) {
  const { nps, npsLow, npsHigh } = points[at];
  const own = [`NPS ${format.score(nps)}`, nps, "--score", "600 "];
  const groups = lines.filter(({ style, points: scores }) => style !== "before" && scores.length > 0);
  if (groups.length === 0) return [[format.whole(npsHigh), npsHigh, "--soft", ""], own, [format.whole(npsLow), npsLow, "--soft", ""]];
  const named = groups.flatMap(({ label, points: scores, style }) => {
    const name = label.length > 16 ? `${label.slice(0, 15)}…` : label;
    return scored(scores[at]) ? [[`${format.isolated(name)} ${format.score(scores[at].nps)}`, scores[at].nps, "--ink", "", style]] : [];
  });
  return [own, ...named].sort(([, one], [, other]) => other - one);
}

function kindLabels(point) {
  let below = 0;
  return KINDS.map((kind) => {
    below += point[kind];
    return [`${format.short(point[kind])} ${point[kind] === 1 ? kind.slice(0, -1) : kind}`, below - point[kind] / 2, `--${kind}-text`, "600 "];
  }).reverse();
}

// The width of the sample of a line before its label.
const SAMPLE = 20;

// Returns the width of the labels of the ends.
export function endsWidth(trend, { measure }) {
  const at = labeled(trend.points);
  if (at < 0) return 0;
  return Math.max(...[...scoreLabels(trend, at), ...kindLabels(trend.points[at])].map(([text, , , weight, style]) => measure(text, weight) + (style === undefined ? 0 : SAMPLE)));
}

// Labels the ends of the line, of the band and of the last bar, beside the last interval.
function drawEnds(u, trend, brush) {
  const { points, scale } = trend;
  const at = labeled(points);
  if (at < 0) return;
  const left = x(u, points.length - 0.5) + 8 * ratio();
  const limited = (value) => y(u, Math.max(scale.min, Math.min(scale.max, value)));
  spread(scoreLabels(trend, at), limited, y(u, scale.min) + 8 * ratio(), u, left, brush);
  spread(kindLabels(points[at]), (value) => u.valToPos(value, "count", true), u.bbox.top + u.bbox.height, u, left, brush);
}

// Writes labels, from top to bottom, at least a line apart, the last of them above `bottom`.
function spread(labels, position, bottom, u, left, brush) {
  const line = 17 * ratio();
  const tops = labels.map(([, value]) => position(value));
  for (let at = 1; at < tops.length; at += 1) tops[at] = Math.max(tops[at], tops[at - 1] + line);
  tops[tops.length - 1] = Math.min(tops.at(-1), bottom - line / 2);
  for (let at = tops.length - 2; at >= 0; at -= 1) tops[at] = Math.min(tops[at], tops[at + 1] - line);
  labels.forEach(([text, , color, weight, style], at) => {
    const start = left + (style === undefined ? 0 : SAMPLE * ratio());
    if (style !== undefined) {
      stroke(u, brush.color(`--${style}`), LINE, (ctx) => {
        ctx.moveTo(left, tops[at]);
        ctx.lineTo(start - 6 * ratio(), tops[at]);
      });
    }
    write(u, brush, color, "left", weight);
    u.ctx.fillText(text, start, tops[at]);
  });
}
