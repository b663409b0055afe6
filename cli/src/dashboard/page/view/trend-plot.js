// The drawing of the trend: uPlot has the scales, the axes, the line and the cursor; the rest is drawn on its
// canvas.

import * as format from "../model/format.js";
import { drawBand, drawBars, drawEnds, drawGaps, drawPoints, drawZero } from "./trend-shapes.js";

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
