// The scales of the trend: which scores it reaches over, and which of its intervals are labeled.

import { FEW } from "./figures.js";
import { startOf } from "./period.js";

export const fullScale = { min: -100, max: 100, step: 50 };
const STEPS = [5, 10, 20, 50];
// A range of fewer points would make noise look like change.
const LEAST = 20;

const hasScore = ({ responses }) => responses > 0;
const isSound = ({ responses }) => responses >= FEW;
const areFew = (sound, scored) => sound.length === 0 || 2 * sound.length < scored.length;

// Returns the scores of a group, which a line has without the bands around them.
export function scoresOf(points) {
  return points.map(({ responses, nps }) => ({ responses, nps }));
}

// Returns the points of a line that the scale has room for.
function counting(points) {
  const scored = points.filter(hasScore);
  const sound = scored.filter(isSound);
  return areFew(sound, scored) ? scored : sound;
}

// Returns the scale of the scores, and the step from label to label, that the bands of elements with enough responses
// and the scores of `lines` need; what the others have beyond it is cut off. If they are the most, the scale is the whole
// one; if they are the most of a line, which would leave the chart, its scores count all the same.
export function scoreScale(elements, lines = []) {
  const scored = elements.filter(hasScore);
  const sound = scored.filter(isSound);
  if (areFew(sound, scored)) return fullScale;
  const scores = [...sound.flatMap(({ nps, npsLow, npsHigh }) => [nps, npsLow, npsHigh]), ...lines.flatMap(counting).map(({ nps }) => nps)];
  const [from, to] = rangeOf(scores);
  const step = STEPS.find((one) => to - from <= 5 * one) ?? fullScale.step;
  return { min: step * Math.floor(from / step), max: step * Math.ceil(to / step), step };
}

// Returns the lowest and the highest of the scores, or more where that is a small range.
function rangeOf(scores) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const missing = Math.max(0, LEAST - (high - low)) / 2;
  return [Math.max(-100, Math.min(low - missing, 100 - LEAST)), Math.min(100, Math.max(high + missing, LEAST - 100))];
}

// Returns the scale, to tens, that the intervals of groups with enough responses need.
export function groupScale(groups) {
  const sound = groups.filter(isSound);
  if (sound.length === 0) return fullScale;
  const [from, to] = rangeOf(sound.flatMap(({ nps, npsLow, npsHigh }) => [nps, npsLow, npsHigh]));
  return { min: 10 * Math.floor(from / 10), max: 10 * Math.ceil(to / 10) };
}

// Returns whether a band goes on beyond a scale, or a score without one is beyond it.
export function isCutOff({ responses, nps, npsLow = nps, npsHigh = nps }, { min, max }) {
  return { above: responses > 0 && Math.max(nps, npsHigh) > max, below: responses > 0 && Math.min(nps, npsLow) < min };
}

const MONTHS = { day: 0, week: 0, month: 1, quarter: 3, year: 12 };
// The months from label to label: whole quarters, years, and round numbers of years.
const ROUND = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000];

// Returns the intervals to label, and in whose terms: all of them, or those that begin a week, a month, a quarter, half a
// year, a year or a round number of years, whichever are the most of which `fits` says that there is room.
export function dateTicks(points, fits) {
  const { interval } = points[0];
  const months = (date) => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1;
  const by = (place, isFirst) => points.flatMap(({ start }, at) => ((at === 0 ? isFirst(start) : place(start) !== place(points[at - 1].start)) ? [at] : []));
  const week = (date) => startOf("week", date);
  const choices = [
    { unit: interval, at: [...points.keys()] },
    ...(interval === "day" ? [{ unit: interval, at: by(week, (start) => week(start) === start) }] : []),
    ...ROUND.filter((every) => every > MONTHS[interval]).map((every) => ({
      unit: every < 12 ? interval : "year",
      at: by((date) => Math.floor(months(date) / every), (start) => start.endsWith("-01") && months(start) % every === 0),
    })),
  ];
  return choices.find((choice) => choice.at.length > 0 && fits(choice)) ?? { unit: interval, at: [] };
}
