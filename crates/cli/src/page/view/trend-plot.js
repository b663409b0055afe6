// The chart of the trend: where everything is at a width and a size of text, and what a pointer selects there.
// `trend-marks.js` draws the marks.

import * as format from "../model/format.js";
import { dateTicks } from "../model/scales.js";
import { h, s, setLengths } from "./dom.js";
import { endLabels, level, levelName, marks } from "./trend-marks.js";

// The parts of the height that the score and the bars have. Windows have no bars.
const SCORE_PART = 0.62;
const BARS_PART = 0.27;

const context = document.createElement("canvas").getContext("2d");

// Returns what measures the width of a text in a font.
export const measuring = (font) => (text) => {
  context.font = font;
  return context.measureText(text).width;
};

// Draws the trend into an element, at each of its sizes, and places `over`, which the pointer is on, over the
// intervals. `words` are the title and the description. `show` is called with the index of the interval that is
// selected, or with null; `tip` is placed beside it. Returns how to select one, and how to mark a range.
export function plot(element, over, { trend, words, tip, show }) {
  const { points } = trend;
  const cursor = h("div.cursor", { hidden: true });
  const selection = h("div.selection", { hidden: true });
  over.append(selection, cursor, tip);
  let [drawing, layout, selected] = [s("svg"), null, null];
  element.append(drawing, over);
  const placeTip = () => {
    cursor.hidden = selected === null;
    if (selected === null || !layout) return;
    setLengths(cursor, { left: layout.x(selected) - layout.left });
    place(tip, layout, selected, trend);
  };
  const select = (at) => {
    selected = at;
    show(at);
    placeTip();
  };
  const draw = () => {
    if (element.clientWidth === 0) return;
    layout = lay(trend, element);
    const { left, top, width, height, plotWidth, plotHeight } = layout;
    const successor = s("svg", { role: "img", width, height, viewBox: `0 0 ${width} ${height}` },
      s("title", words.title), s("desc", words.description), axes(trend, layout), marks(trend, layout));
    drawing.replaceWith(successor);
    drawing = successor;
    setLengths(over, { left, top, width: plotWidth, height: plotHeight });
    placeTip();
  };
  new ResizeObserver(draw).observe(element);
  element.addEventListener("printing", draw);
  // A mouse that is dragged can leave the chart. A touch reports a mouse, too, unless it scrolls.
  over.addEventListener("mousemove", ({ clientX }) => {
    const at = Math.floor((clientX - over.getBoundingClientRect().left) / layout.column);
    select(Math.max(0, Math.min(points.length - 1, at)));
  });
  over.addEventListener("mouseleave", () => select(null));
  return {
    select,
    mark(from, to) {
      selection.hidden = from === null || to === null || from === to;
      if (selection.hidden) return;
      const width = layout.column * (Math.abs(to - from) + 1);
      setLengths(selection, { left: layout.column * Math.min(from, to), width });
    },
  };
}

// Returns where a chart has what. Its lengths grow with the text, of which `em` is the size.
function lay(trend, element) {
  const { points, scale: { min, max }, window: isWindow } = trend;
  const { clientWidth: width, clientHeight: height } = element;
  const { fontSize, fontFamily } = getComputedStyle(element);
  const em = parseFloat(fontSize);
  const measure = measuring(`${fontSize} ${fontFamily}`);
  const most = Math.max(1, ...points.map(({ responses }) => responses));
  const isRoomy = width >= 49 * em;
  const left = 1.5 * em + Math.max(...["\u2212100", format.short(most)].map(measure));
  const right = isRoomy ? Math.max(0, ...endLabels(trend).map(({ words }) => measure(words))) + 1.25 * em : 1.85 * em;
  const [top, bottom] = [0.6 * em, height - 3.4 * em];
  const [plotWidth, plotHeight] = [Math.max(1, width - left - right), bottom - top];
  const column = plotWidth / points.length;
  const scoreHeight = (isWindow ? 1 : SCORE_PART) * plotHeight;
  return {
    width, height, left, top, bottom, plotWidth, plotHeight, column, em, measure, most, isRoomy,
    scoreHeight,
    x: (at) => left + (at + 0.5) * column,
    y: (score) => top + ((max - score) / (max - min)) * scoreHeight,
    bar: (count) => bottom - (count / most) * BARS_PART * plotHeight,
  };
}

// Returns the indexes of the intervals that have a label, with the labels.
function labels(points, { measure, column, em }) {
  const texts = ({ at, unit }) => at.map((index, position) => (
    format.tick(unit, points[index].start, points[at[position - 1]]?.start)));
  const fits = (choice) => {
    const lines = texts(choice).flatMap((text) => text.split("\n"));
    const widest = Math.max(...lines.map((line) => measure(line)));
    return choice.at.every((index, position, all) => (
      position === 0 || (index - all[position - 1]) * column >= widest + 0.8 * em));
  };
  const chosen = dateTicks(points, fits);
  return texts(chosen).map((text, position) => [chosen.at[position], text]);
}

// Draws the lines of the scores, and the labels of the scores and of the intervals.
function axes({ points, scale: { min, max, step } }, layout) {
  const { x, y, bottom, em } = layout;
  const scores = Array.from({ length: (max - min) / step + 1 }, (_, at) => min + at * step);
  const hasScores = points.some(({ responses }) => responses > 0);
  const line = (score) => level(score === 0 ? "zero" : "grid", y(score), layout);
  const name = (score) => levelName(format.whole(score), y(score), layout);
  const row = (at) => (text, below) => s("tspan", { x: x(at), y: bottom + (1.4 + 1.3 * below) * em }, text);
  return [
    ...scores.map(line), ...(hasScores ? scores.map(name) : []),
    ...labels(points, layout).map(([at, text]) => s("text.middle", text.split("\n").map(row(at)))),
  ];
}

// Places the figures of an interval right of it, or on the side that has room.
function place(tip, layout, at, { points, scale: { max } }) {
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const [x, last] = [layout.x(at) - layout.left, layout.width - layout.left - width];
  const others = x - width - 12 >= -layout.left ? x - width - 12 : last;
  const left = x + 12 <= last ? x + 12 : others;
  const top = Math.max(0, layout.y(Math.min(max, points[at].npsHigh ?? 0)) - layout.top - height);
  setLengths(tip, { left, top });
}
