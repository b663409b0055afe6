// The chart of the trend: uPlot has the scales, the axes and the cursor; `trend-marks.js` draws the rest.

import * as format from "../model/format.js";
import { dateTicks } from "../model/scales.js";
import { h, setStyle } from "./dom.js";
import { above, beneath, endWidth } from "./trend-marks.js";

const HEIGHT = 372;
const LEFT = 52;
// The parts of the height that the score and the bars have.
const SCORE_PART = 0.62;
const BARS_PART = 0.27;
// Where uPlot places the cursor while no interval is selected.
const AWAY = { left: -10, top: -10 };

// Draws the chart into an element, once that has a size. `tip` is placed at the interval that is selected,
// and `show` is called with its index, or with null. Returns how to select one, and how to mark a range.
export function plot(element, trend, tip, show) {
  const { points } = trend;
  const index = (u, left) => Math.max(0, Math.min(points.length - 1, Math.round(u.posToVal(left, "x"))));
  const cursor = {
    y: false,
    // uPlot would take a click for the end of a drag, because `move` places the cursor elsewhere.
    drag: { setScale: false, x: false, y: false, click: () => {} },
    points: { show: false },
    // A mouse that is dragged can leave the chart.
    move: (u, left, top) => [left === AWAY.left ? left : Math.round(u.valToPos(index(u, left), "x")), top],
  };
  const setCursor = (u) => {
    const { left } = u.cursor;
    const at = left === undefined || left < 0 ? null : index(u, left);
    show(at);
    if (at !== null) place(tip, u, at, points[at]);
  };
  const selection = h("div.selection", { hidden: true });
  let u;
  whileShown(element, (width) => {
    const size = { width, height: HEIGHT };
    if (u) return u.setSize(size);
    u = new window.uPlot({ ...options(element, trend), ...size, cursor }, [[...points.keys()]], element);
    u.hooks.setCursor = [setCursor];
    u.over.append(selection, tip);
  }, () => u?.redraw(false, true), () => u?.destroy());
  return {
    select: (at) => u?.setCursor(at === null ? AWAY : { left: u.valToPos(at, "x"), top: 0 }),
    mark(from, to) {
      selection.hidden = from === null || to === null || from === to;
      const ends = [Math.min(from, to) - 0.5, Math.max(from, to) + 0.5];
      const [left, right] = ends.map((at) => u.valToPos(at, "x"));
      setStyle(selection, { left: `${left}px`, width: `${right - left}px` });
    },
  };
}

function options(element, trend) {
  const { points, scale } = trend;
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const context = document.createElement("canvas").getContext("2d");
  const measure = (text) => {
    context.font = font;
    return context.measureText(text).width;
  };
  const brush = { color, font, measure, roomy: () => element.clientWidth >= 640 };
  const most = Math.max(1, ...points.map(({ responses }) => responses));
  const right = () => (brush.roomy() ? endWidth(trend, brush) + 16 : 24);
  const ticks = (u) => labels(points, measure, (u.width - LEFT - right()) / points.length);
  const axis = { stroke: () => color("--soft"), font, ticks: { show: false } };
  const { min, max, step } = scale;
  const hasScores = points.some(({ responses }) => responses > 0);
  const scores = Array.from({ length: (max - min) / step + 1 }, (_, at) => min + at * step);
  return {
    padding: [8, right, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [-0.5, points.length - 0.5] },
      nps: { range: () => [max - (max - min) / SCORE_PART, max] },
      count: { range: () => [0, most / BARS_PART] },
    },
    axes: [
      {
        ...axis, scale: "x", size: 44, gap: 8, grid: { show: false },
        splits: (u) => ticks(u).map(([at]) => at), values: (u) => ticks(u).map(([, text]) => text),
      },
      {
        ...axis, scale: "nps", size: LEFT, gap: 10, grid: { stroke: () => color("--line"), width: 1 },
        splits: () => scores, values: () => scores.map(hasScores ? format.whole : () => ""),
      },
    ],
    series: [{}],
    hooks: { drawAxes: [drawing(beneath, trend, brush)], draw: [drawing(above, trend, brush)] },
  };
}

// Leaves the canvas as it was: uPlot does not set again what it believes to be set.
function drawing(draw, trend, brush) {
  return (u) => {
    u.ctx.save();
    draw(u, trend, brush);
    u.ctx.restore();
  };
}

// Calls `resized` with an element's width, at first and when it changes, also for paper, `redraw` when the
// colors change, and `end` when the element leaves the page.
function whileShown(element, resized, redraw, end) {
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const look = () => {
    if (element.clientWidth > 0) resized(element.clientWidth);
    redraw();
  };
  const ended = new AbortController();
  const sizes = new ResizeObserver(() => {
    if (element.isConnected) return resized(element.clientWidth);
    sizes.disconnect();
    ended.abort();
    end();
  });
  sizes.observe(element);
  scheme.addEventListener("change", redraw, { signal: ended.signal });
  addEventListener("printing", look, { signal: ended.signal });
}

// Returns the indexes of the intervals that have a label, with the labels, where a column has this width.
function labels(points, measure, column) {
  const texts = ({ at, unit }) => at.map((index, position) => (
    format.tick(unit, points[index].start, points[at[position - 1]]?.start)));
  const fits = (choice) => {
    const lines = texts(choice).flatMap((text) => text.split("\n"));
    const widest = Math.max(...lines.map((line) => measure(line)));
    return choice.at.every((index, position, all) => (
      position === 0 || (index - all[position - 1]) * column >= widest + 10));
  };
  const chosen = dateTicks(points, fits);
  return texts(chosen).map((text, position) => [chosen.at[position], text]);
}

// Places the figures of an interval right of it, or on the side that has room.
function place(tip, u, at, { npsHigh }) {
  const x = u.valToPos(at, "x");
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const last = u.width - LEFT - width;
  const others = x - width - 12 >= -LEFT ? x - width - 12 : last;
  const left = x + 12 <= last ? x + 12 : others;
  const top = Math.max(0, u.valToPos(Math.min(u.scales.nps.max, npsHigh ?? 0), "nps") - height);
  setStyle(tip, { left: `${left}px`, top: `${top}px` });
}
