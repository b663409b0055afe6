// The score and the chart of the trend as a picture: in the colors of paper, with words that say what it shows.

import * as format from "../model/format.js";
import { questionWords } from "./bar.js";
import { h, s } from "./dom.js";
import { summaryOf } from "./summary.js";
import { measuring } from "./trend-plot.js";

// What the page's styles give to the marks, which a picture has to have itself.
const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin",
  "text-anchor",
];

// The signs of the entries of a legend.
const SIGNS = { ".partial": "▨", ".cut": "□", ".before": "┄", ".target": "╌", ".line": "━", ".key": "■" };

// Returns the picture of a card that shows an answer: the text of an SVG, and its size. Over the chart are the score
// and its change, below it the question.
export function picture(card, title, answer) {
  const { question, figures, time } = answer;
  // While figures are replaced, or failed to be, a picture says so.
  const isOld = card.matches(".waiting, .stale") && "These figures are not of the latest question.";
  const at = format.time(time, question.timezone, { day: "numeric", month: "short", year: "numeric" });
  const asked = `${h("p", questionWords(question)).textContent} · figures of ${at}`;
  const summary = figures && summaryOf(answer);
  const score = figures?.responses > 0 && `NPS ${format.score(figures.nps)} (${format.scoreInterval(figures)})`;
  const drawn = card.querySelector("svg");
  const { fontSize, fontFamily } = getComputedStyle(drawn);
  const em = parseFloat(fontSize);
  const { width, height } = drawn.viewBox.baseVal;
  const { paper, ink, chart, legend } = painted(card, drawn);
  const measure = measuring(`${fontSize} ${fontFamily}`);
  const rows = (...lines) => (
    lines.filter(Boolean).flatMap((items) => wrapped(items, width - 2 * em, measure)));
  const above = rows(score && [{ text: score, bold: true }], summary && [{ text: summary }],
    [{ text: title }], isOld && [{ text: isOld }]);
  const below = rows(legend, [{ text: asked }]);
  const top = (1.5 * above.length + 1) * em;
  const whole = top + height + (1.5 * below.length + 0.5) * em;
  const span = ({ text, bold, fill = ink }) => (
    s("tspan", { fill, "font-weight": bold && "bold" }, `${text} `));
  const texts = (lines, from) => (
    lines.map((words, line) => s("text", { x: em, y: from + 1.5 * (line + 1) * em }, words.map(span))));
  const picture = s("svg", {
    viewBox: `0 0 ${width} ${whole}`, width, height: whole, "font-family": fontFamily, "font-size": em,
  }, s("rect", { width, height: whole, fill: paper }), texts(above, 0),
  s("g", { transform: `translate(0 ${top})` }, ...chart.childNodes), texts(below, top + height - 0.5 * em));
  // A name can hold what no XML does.
  const text = new XMLSerializer().serializeToString(picture).replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "\ufffd");
  return { text, width, height: whole };
}

// Returns copies of the chart and the legend of a card, with the colors that they have on paper.
function painted(card, drawn) {
  const { classList } = document.documentElement;
  const wasPrinting = classList.contains("printing");
  classList.add("printing");
  const chart = drawn.cloneNode(true);
  const marks = "path, circle, rect, text";
  const originals = drawn.querySelectorAll(marks);
  chart.querySelectorAll(marks).forEach((copy, at) => {
    const style = getComputedStyle(originals[at]);
    copy.removeAttribute("class");
    for (const name of STYLES) {
      if (!copy.hasAttribute(name)) copy.setAttribute(name, style.getPropertyValue(name));
    }
  });
  const legend = [...card.querySelectorAll(".legend > span")].flatMap((entry) => {
    const [, sign] = Object.entries(SIGNS).find(([kind]) => entry.matches(kind));
    const said = [...entry.querySelectorAll("bdi, .problem")].map((part) => part.textContent).join(" ");
    const fill = getComputedStyle(entry).getPropertyValue("--kind");
    return [{ text: sign, fill }, { text: `${said || entry.textContent}\u2003` }];
  });
  const { backgroundColor: paper, color: ink } = getComputedStyle(card);
  classList.toggle("printing", wasPrinting);
  return { paper, ink, chart, legend };
}

// Breaks items of text into rows of words; a word that is wider than a row is broken, too.
function wrapped(items, width, measure) {
  const words = items.flatMap(({ text, ...look }) => text.split(" ").flatMap((word) => (
    (measure(word) > width ? word.match(/.{1,16}/gu) : [word]).map((part) => ({ text: part, ...look })))));
  const rows = [[]];
  let used = 0;
  for (const word of words) {
    const length = measure(`${word.text} `);
    if (used > 0 && used + length > width) {
      rows.push([]);
      used = 0;
    }
    const before = rows.at(-1).at(-1);
    if (before && before.fill === word.fill) before.text += ` ${word.text}`;
    else rows.at(-1).push(word);
    used += length;
  }
  return rows;
}

// Turns a picture into pixels, twice as many as the page has.
export async function pixels({ text, width, height }) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = h("img", { src: url });
  await image.decode();
  URL.revokeObjectURL(url);
  const canvas = h("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((made) => canvas.toBlob(made, "image/png"));
}
