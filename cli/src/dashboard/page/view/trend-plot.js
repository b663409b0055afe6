// The drawing of the trend: uPlot has the scales, the axes, the line and the cursor; the rest is drawn on its
// canvas.

import * as format from "../model/format.js";
import { tick } from "../model/format.js";
import { drawBand, drawBars, drawEnds, drawGaps, drawPoints, drawZero } from "./trend-shapes.js";

const HEIGHT = 372;
// The parts of the height that the score and the bars have.
const SCORE_PART = 0.62;
const BARS_PART = 0.27;

// Draws the chart into an element. `tip` is placed at the interval that is selected, and `show` is called
// with its index, or with null. Returns how to select one.
export function plot(element, points, tip, show) {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const most = Math.max(1, ...points.map(({ responses }) => responses));
  const roomy = () => element.clientWidth >= 640;
  const options = {
    width: 600,
    height: HEIGHT,
    padding: [8, () => (roomy() ? 116 : 12), 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [-0.5, points.length - 0.5] },
      nps: { range: () => [100 - 200 / SCORE_PART, 100] },
      count: { range: () => [0, most / BARS_PART] },
    },
    axes: [
      { scale: "x", stroke: () => color("--soft"), font, size: 44, gap: 8, grid: { show: false }, ticks: { show: false }, splits: (u) => ticks(u, points.length), values: (_, indexes) => labels(points, indexes) },
      { scale: "nps", stroke: () => color("--soft"), font, size: 52, gap: 10, ticks: { show: false }, grid: { stroke: () => color("--line"), width: 1 }, splits: () => [-100, -50, 0, 50, 100], values: (_, values) => values.map(format.signedWhole) },
    ],
    series: [{}, { scale: "nps", stroke: () => color("--score"), width: 2, points: { show: false } }, { scale: "count", show: true, stroke: "transparent", points: { show: false }, paths: () => null }],
    cursor: {
      y: false,
      // uPlot would take a click for the end of a drag, because `move` places the cursor elsewhere.
      drag: { setScale: false, x: false, y: false, click: () => {} },
      points: { show: false },
      move: (u, left, top) => (left < 0 ? [left, top] : [Math.round(u.valToPos(index(u, left), "x")), top]),
    },
    hooks: {
      drawAxes: [(u) => beneath(u, points, color)],
      draw: [(u) => above(u, points, color, font, roomy())],
      setCursor: [(u) => selected(u)],
    },
  };

  const index = (u, left) => Math.max(0, Math.min(points.length - 1, Math.round(u.posToVal(left, "x"))));
  const selected = (u) => {
    const { left } = u.cursor;
    const at = left === undefined || left < 0 ? null : index(u, left);
    show(at);
    if (at !== null) place(tip, u, at, points[at]);
  };

  const xs = points.map((_, at) => at);
  const u = new window.uPlot(options, [xs, points.map(({ nps }) => nps), points.map(({ responses }) => responses)], element);
  u.over.append(tip);
  keepDrawn(u, element);
  return { select: (at) => u.setCursor(at === null ? { left: -10, top: -10 } : { left: u.valToPos(at, "x"), top: 0 }) };
}

// Redraws when the space or the colors change, for as long as the chart is in the page.
function keepDrawn(u, element) {
  const resize = () => u.setSize({ width: element.clientWidth, height: HEIGHT });
  const redraw = () => u.redraw(false, true);
  const sizes = new ResizeObserver(() => (element.isConnected ? resize() : stop()));
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const stop = () => {
    sizes.disconnect();
    scheme.removeEventListener("change", redraw);
    removeEventListener("printing", redraw);
    u.destroy();
  };
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
    const [name, year] = tick(interval, start, position > 0 ? points[indexes[position - 1]].start : null);
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
