// The scales of the trend: which scores it reaches over, and which of its intervals are labeled.

import { isFew } from "./figures.js";
import { startOf } from "./period.js";

export const fullScale = { min: -100, max: 100, step: 50 };
const STEPS = [5, 10, 20, 50];
// A range of fewer points would make noise look like change.
const LEAST = 20;

const hasScore = ({ responses }) => responses > 0;
const isSound = (element) => !isFew(element);
const ends = ({ nps, npsLow, npsHigh }) => [nps, npsLow, npsHigh];

// Returns the points of a line, which has no band.
export const scoresOf = (points) => (
  points.map(({ responses, nps, partial, name }) => ({ responses, nps, partial, name })));

// Returns the elements with enough responses, or null if most of those with a score have fewer.
function soundOf(elements) {
  const scored = elements.filter(hasScore);
  const sound = scored.filter(isSound);
  return sound.length === 0 || 2 * sound.length < scored.length ? null : sound;
}

// Returns whether most of the elements with a score have too few responses to tell.
export const areMostlyFew = (elements) => elements.some(hasScore) && soundOf(elements) === null;

// Returns the scale of the scores, and the step from label to label. The bands of elements with enough
// responses, such scores of `lines`, and `marks` fit; what others have beyond the scale is cut off. If most
// elements have too few responses, the scale is the whole one.
export function scoreScale(elements, lines = [], marks = []) {
  const sound = soundOf(elements);
  if (!sound) return fullScale;
  const others = lines.flat().filter((point) => hasScore(point) && isSound(point));
  const [from, to] = rangeOf([...sound.flatMap(ends), ...others.map(({ nps }) => nps), ...marks]);
  const step = STEPS.find((one) => to - from <= 5 * one) ?? fullScale.step;
  return { min: step * Math.floor(from / step), max: step * Math.ceil(to / step), step };
}

// Returns the range of the scores, or a larger one around it if they are close to each other.
function rangeOf(scores) {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const missing = Math.max(0, LEAST - (high - low)) / 2;
  const from = Math.max(-100, Math.min(low - missing, 100 - LEAST));
  return [from, Math.min(100, Math.max(high + missing, LEAST - 100))];
}

// Returns the scale, to tens, that the intervals of groups with enough responses need, or the whole one if none
// has so many; null if there are no scores.
export function groupScale(groups) {
  if (!groups.some(hasScore)) return null;
  const sound = groups.filter((group) => hasScore(group) && isSound(group));
  if (sound.length === 0) return fullScale;
  const [from, to] = rangeOf(sound.flatMap(ends));
  return { min: 10 * Math.floor(from / 10), max: 10 * Math.ceil(to / 10) };
}

// Returns whether a band goes on beyond a scale, or a score without one is beyond it.
export function isCutOff({ responses, nps, npsLow = nps, npsHigh = nps }, { min, max }) {
  if (responses === 0) return { above: false, below: false };
  return { above: Math.max(nps, npsHigh) > max, below: Math.min(nps, npsLow) < min };
}

// Returns the largest of 1, 2 and 5 times a power of ten that is not above a count.
export function roundBelow(count) {
  const power = 10 ** Math.floor(Math.log10(count));
  return power * [5, 2, 1].find((digit) => digit * power <= count);
}

const MONTHS = { day: 0, week: 0, month: 1, quarter: 3, year: 12 };
// The months from label to label: whole quarters, years, and round numbers of years.
const ROUND = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000];

// Returns the intervals to label, and in whose terms: all of them, or those that begin a week, a month, a
// quarter, half a year, a year or a round number of years, whichever are the most that `fits` has room for.
export function dateTicks(points, fits) {
  const { interval } = points[0];
  const months = (date) => 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1;
  const by = (place, isFirst) => [...points.keys()].filter((at) => {
    const [start, before] = [points[at].start, points[at - 1]?.start];
    return before ? place(start) !== place(before) : isFirst(start);
  });
  const week = (date) => startOf("week", date);
  const choices = [
    { unit: interval, at: [...points.keys()] },
    ...(interval === "day" ? [{ unit: interval, at: by(week, (start) => week(start) === start) }] : []),
    ...ROUND.filter((every) => every > MONTHS[interval]).map((every) => {
      const place = (date) => Math.floor(months(date) / every);
      const isFirst = (date) => date.endsWith("-01") && months(date) % every === 0;
      return { unit: every < 12 ? interval : "year", at: by(place, isFirst) };
    }),
  ];
  return choices.find((choice) => choice.at.length > 0 && fits(choice)) ?? { unit: interval, at: [] };
}
