// The drawing of the trend: uPlot has the scales, the axes, the line and the cursor; the rest is drawn on its
// canvas, whose unit is a pixel of the screen.

import { FEW, KINDS } from "../model/figures.js";
import * as format from "../model/format.js";

const HEIGHT = 372;
// The parts of the height that the score and the bars have.
const SCORE_PART = 0.62;
const BARS_PART = 0.27;

// Draws the chart into an element, once that has a size. `tip` is placed at the interval that is selected, and
// `show` is called with its index, or with null. Returns how to select one.
export function plot(element, points, tip, show) {
  const index = (u, left) => Math.max(0, Math.min(points.length - 1, Math.round(u.posToVal(left, "x"))));
  const cursor = {
    y: false,
    // uPlot would take a click for the end of a drag, because `move` places the cursor elsewhere.
    drag: { setScale: false, x: false, y: false, click: () => {} },
    points: { show: false },
    move: (u, left, top) => (left < 0 ? [left, top] : [Math.round(u.valToPos(index(u, left), "x")), top]),
  };
  const setCursor = (u) => {
    const { left } = u.cursor;
    const at = left === undefined || left < 0 ? null : index(u, left);
    show(at);
    if (at !== null) place(tip, u, at, points[at]);
  };
  let u;
  whileShown(element, (width) => {
    if (u) return u.setSize({ width, height: HEIGHT });
    const data = [points.map((_, at) => at), points.map(({ nps }) => nps), points.map(({ responses }) => responses)];
    u = new window.uPlot({ ...options(element, points), width, height: HEIGHT, cursor }, data, element);
    u.hooks.setCursor = [setCursor];
    u.over.append(tip);
  }, () => u?.redraw(false, true), () => u?.destroy());
  return { select: (at) => u?.setCursor(at === null ? { left: -10, top: -10 } : { left: u.valToPos(at, "x"), top: 0 }) };
}

function options(element, points) {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const most = Math.max(1, ...points.map(({ responses }) => responses));
  const roomy = () => element.clientWidth >= 640;
  const axis = { stroke: () => color("--soft"), font, ticks: { show: false } };
  return {
    padding: [8, () => (roomy() ? 116 : 12), 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [-0.5, points.length - 0.5] },
      nps: { range: () => [100 - 200 / SCORE_PART, 100] },
      count: { range: () => [0, most / BARS_PART] },
    },
    axes: [
      { ...axis, scale: "x", size: 44, gap: 8, grid: { show: false }, splits: (u) => ticks(u, points.length), values: (_, indexes) => labels(points, indexes) },
      { ...axis, scale: "nps", size: 52, gap: 10, grid: { stroke: () => color("--line"), width: 1 }, splits: () => [-100, -50, 0, 50, 100], values: (_, values) => values.map(format.signedWhole) },
    ],
    series: [{}, { scale: "nps", stroke: () => color("--score"), width: 2, points: { show: false } }, { scale: "count", paths: () => null, points: { show: false } }],
    hooks: {
      drawAxes: [(u) => beneath(u, points, color)],
      draw: [(u) => above(u, points, color, font, roomy())],
    },
  };
}

// Calls `resized` with an element's width, at first and when it changes, `redraw` when the colors change, and
// `end` when the element leaves the page.
function whileShown(element, resized, redraw, end) {
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const sizes = new ResizeObserver(() => {
    if (element.isConnected) return resized(element.clientWidth);
    sizes.disconnect();
    scheme.removeEventListener("change", redraw);
    removeEventListener("printing", redraw);
    end();
  });
  sizes.observe(element);
  scheme.addEventListener("change", redraw);
  addEventListener("printing", redraw);
}

// Returns the intervals that have a label: as many as there is room for.
function ticks(u, length) {
  const room = Math.max(1, Math.floor((u.width - 64) / 60));
  const step = Math.max(1, Math.ceil(length / room));
  return Array.from({ length: Math.ceil(length / step) }, (_, at) => at * step);
}

function labels(points, indexes) {
  return indexes.map((at, position) => {
    const { interval, start } = points[at];
    const [name, year] = format.tick(interval, start, position > 0 ? points[indexes[position - 1]].start : null);
    return year ? `${name}\n${year}` : name;
  });
}

function beneath(u, points, color) {
  drawZero(u, color("--strong-line"));
  drawBand(u, points, color("--band"));
  drawBars(u, points, color);
}

function above(u, points, color, font, roomy) {
  drawPoints(u, points, color);
  drawGaps(u, points, color("--soft"), font, roomy);
  if (roomy) drawEnds(u, points, color, font);
}

// Places the figures of an interval beside it, on the side that has room.
function place(tip, u, at, { npsHigh }) {
  const x = u.valToPos(at, "x");
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const left = x > width + 16 ? x - width - 12 : Math.min(x + 12, u.over.clientWidth - width);
  const top = Math.max(0, u.valToPos(Math.min(100, (npsHigh ?? 0) + 40), "nps") - height / 2);
  tip.style.setProperty("left", `${left}px`);
  tip.style.setProperty("top", `${top}px`);
}

const ratio = () => window.devicePixelRatio || 1;
const x = (u, at) => u.valToPos(at, "x", true);
const y = (u, value) => u.valToPos(value, "nps", true);
const column = (u) => x(u, 1) - x(u, 0);

function drawZero(u, color) {
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

function drawBand(u, points, color) {
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
function drawPoints(u, points, color) {
  const { ctx } = u;
  const radius = 3.5 * ratio();
  const crowded = column(u) < 2.2 * radius;
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
  return points.findLastIndex(({ responses }) => responses > 0);
}

// Says that intervals had no displays, or no responses, and above each bar how many it had.
function drawGaps(u, points, color, font, roomy) {
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
function drawEnds(u, points, color, font) {
  const at = labeled(points);
  if (at < 0) return;
  const point = points[at];
  const last = at === points.length - 1;
  const left = x(u, at) + (last ? column(u) : barWidth(u)) / 2 + 8 * ratio();
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
    return [format.ofKind(point[kind], kind), middle, color(`--${kind}-text`), "600 "];
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
