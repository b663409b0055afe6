// What the charts show, in sentences made from their figures.

import { changeBetween, distinctGroups, FEW, isOutside } from "./figures.js";
import * as format from "./format.js";
import { addDays, nameOfBefore, periodBefore } from "./period.js";

// A chart of more intervals than this has a line, and no points on it.
const MANY = 60;

// Says how the score went. `others` are the points of the lines of groups.
export function trendSentence(points, others = []) {
  const scored = points.filter(({ responses }) => responses > 0);
  if (scored.length === 0) return "No interval has a response.";
  const few = points.length <= MANY && [...scored, ...others].some(({ responses }) => responses > 0 && responses < FEW) ? `; hollow points rest on fewer than ${FEW} responses` : "";
  const outside = outsideSentence(points);
  return `${courseSentence(points)} The band is where the score of all customers lies with 95% confidence${few}.${outside ? ` ${outside}` : ""}`;
}

// Compares the first and the last interval whose scores mean something: none that is cut, or still running.
function courseSentence(points) {
  const sound = points.filter(({ complete, responses }) => complete && responses >= FEW);
  if (sound.length < 2) return `No two complete intervals have at least ${FEW} responses, so none are compared.`;
  const [first, last] = [sound[0], sound.at(-1)];
  const said = ({ nps, interval, name }) => `${format.score(nps)} ${{ day: "on", week: "in the" }[interval] ?? "in"} ${name}`;
  const change = changeBetween(first, last);
  const verdict = change.certain ? "is unlikely to be chance alone" : "could be chance";
  return `From ${said(first)} to ${said(last)}: the change of ${format.signedScore(change.points)} points ${verdict} (with 95% confidence it lies ${format.bounds(change)}).`;
}

// Explains a score outside its interval, if there is one.
export function outsideSentence(elements) {
  const outside = elements.filter(isOutside);
  if (outside.length === 0) return null;
  const few = outside.every(({ responses }) => responses === 1) ? "one response" : "so few responses";
  return `The score of ${few} can lie outside its interval, which allows for customers who would rate differently.`;
}

// Says how many displays were answered; where no other was recorded, that is no rate.
export function rateOf(answered, displays) {
  if (answered === displays && displays > 0) return { rate: "\u2013", of: "no unanswered displays (surveys shown) are recorded" };
  return { rate: format.share(answered, displays), of: `of ${format.counted(displays, "display")} (surveys shown)` };
}

// Says what respondents=latest left out of a period.
export function respondentsSentence({ superseded }) {
  const left = superseded === 0 ? "there is no earlier one to leave out" : `${format.counted(superseded, "earlier rating")} of the same people ${superseded === 1 ? "is" : "are"} left out`;
  return `Each person with an id counts once, with their newest rating: ${left}.`;
}

export function ratingsSentence(frequency) {
  const all = frequency.reduce((sum, times) => sum + times, 0);
  if (all === 0) return "No responses.";
  const most = Math.max(...frequency);
  const top = frequency.flatMap((times, rating) => (times === most ? [rating] : []));
  const share = format.share(most, all);
  const common = top.length === 1 ? `The most frequent rating is ${top[0]}, given by ${share}` : `The most frequent ratings are ${top.join(", ")}, each given by ${share}`;
  return `${common}; ${half(frequency, all)}.`;
}

// Says where the half of the responses lies: from below for low ratings, from above for high ones.
function half(frequency, all) {
  const atMost = (limit) => frequency.slice(0, limit + 1).reduce((sum, times) => sum + times, 0);
  const median = frequency.findIndex((_, rating) => 2 * atMost(rating) >= all);
  if (median < 7) return `half of all responses are ${median === 0 ? "0" : `${median} or lower`}`;
  const upper = frequency.findLastIndex((_, rating) => 2 * (all - atMost(rating - 1)) >= all);
  return `half of all responses are ${upper === 10 ? "10" : `${upper} or higher`}`;
}

// Says which groups score highest and lowest, of those whose score means something.
export function groupsSentence(groups) {
  const sound = groups.filter(({ responses, other }) => responses >= FEW && !other);
  if (sound.length < 2) return `Fewer than two groups have at least ${FEW} responses, so none are compared.`;
  const found = distinctGroups(sound);
  if (!found) return `No difference between the groups with at least ${FEW} responses can be told from chance.`;
  const { high, low } = found;
  const said = ({ name, nps }) => [name, ` (${format.score(nps)})`];
  const isWidest = sound.every(({ nps }) => nps <= high.nps && nps >= low.nps);
  return isWidest
    ? [...said(high), " scores highest and ", ...said(low), ` lowest of the groups with at least ${FEW} responses; the difference is unlikely to be chance alone.`]
    : [...said(high), " scores higher than ", ...said(low), ", which is unlikely to be chance alone. Which group scores highest or lowest cannot be told from chance."];
}

// Names what a period is compared with.
export function comparedWith(period) {
  return nameOfBefore(period) ?? format.dates(periodBefore(period));
}

// Says how the score changed, in three parts: the change, on what, and whether it can be told from chance. Where the
// period before has no displays until `begins`, there is no verdict.
export function changeSentence(change, name, begins) {
  const { points, low, high, certain } = change;
  const between = `with 95% confidence the change lies ${format.bounds(change)}`;
  const outside = points < Math.floor(low) || points > Math.ceil(high) ? " The measured change lies outside, because this allows for customers who would rate differently." : "";
  const judged = `${certain ? "Unlikely to be chance alone" : "Could be chance"}: ${between}.${outside}`;
  return {
    change: `${format.signedScore(points)} points`,
    on: `on ${name}`,
    verdict: begins ? `No displays are recorded in ${name} until ${format.day(addDays(begins, -1))}. Data may be missing there, so the change is not judged.` : judged,
  };
}
