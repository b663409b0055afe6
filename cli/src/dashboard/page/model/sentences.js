// What the charts show, in sentences made from their figures.

import { FEW } from "./figures.js";
import * as format from "./format.js";

// A chart of more intervals than this has a line, and no points on it.
const MANY = 60;

export function trendSentence(points) {
  const scored = points.filter(({ responses }) => responses > 0);
  if (scored.length === 0) return "No interval has a response.";
  const [first, last] = [scored[0], scored.at(-1)];
  const said = ({ nps, interval, name }) => `${format.score(nps)} ${{ day: "on", week: "in the" }[interval] ?? "in"} ${name}`;
  const course = first === last ? `Responses in one interval only: ${said(first)}.` : `From ${said(first)} to ${said(last)}.`;
  const few = points.length <= MANY && scored.some(({ responses }) => responses < FEW) ? `; hollow points rest on fewer than ${FEW} responses` : "";
  return `${course} The band is where the score of all customers lies with 95\u00a0% confidence${few}.`;
}

// Says what respondents=latest left out of a period.
export function respondentsSentence({ superseded }) {
  const left = superseded === 0 ? "there is no earlier one to leave out" : `${format.counted(superseded, "earlier rating")} of the same people ${superseded === 1 ? "is" : "are"} left out`;
  return `Each person counts once, with their newest rating: ${left}.`;
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
  if (sound.length < 2) return `Fewer than two groups have ${FEW} responses, too few to compare them.`;
  const byScore = sound.toSorted((one, another) => another.nps - one.nps);
  const said = ({ name, nps }) => [name, ` (${format.score(nps)})`];
  const [high, low] = [byScore[0], byScore.at(-1)];
  return [...said(high), " scores highest and ", ...said(low), " lowest", ` of the groups with at least ${FEW} responses.`];
}

// Says how the score changed, in three parts: the change, on what, and whether it can be told from chance.
export function changeSentence(change, nameOfBefore) {
  const between = `with 95\u00a0% confidence the change lies between ${format.signedWhole(change.low)} and ${format.signedWhole(change.high)}`;
  return {
    change: `${format.signedScore(change.points)} points`,
    on: `on ${nameOfBefore}`,
    verdict: change.certain ? `More than chance: ${between}.` : `Could be chance: ${between}.`,
  };
}
