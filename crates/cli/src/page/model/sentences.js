// What the figures show, in sentences.

import { isFew } from "./figures.js";
import * as format from "./format.js";

// Returns the elements with the lowest and the highest score of enough responses; null if their intervals
// overlap: chance alone has extremes, too, and the more elements there are, the further apart. So the intervals are
// wider here, by a factor of simulations: where nothing differs, about one answer of 100 has extremes.
function extremes(elements) {
  const sound = elements.filter((one) => !isFew(one)).sort((one, other) => one.nps - other.nps);
  const factor = 0.9 + 0.175 * Math.log(sound.length);
  const wider = (one, end) => one.nps + factor * (end - one.nps);
  const [lowest, highest] = [sound[0], sound.at(-1)];
  return lowest && wider(lowest, lowest.npsHigh) < wider(highest, highest.npsLow) ? { lowest, highest } : null;
}

const ranged = (one) => `${format.score(one.nps)} (${format.scoreInterval(one)})`;

// Names the extremes of the intervals that are whole and over.
export function trendSentence(points) {
  const found = extremes(points.filter(({ complete }) => complete));
  const when = { day: "on", week: "in the" }[points[0]?.interval] ?? "in";
  const said = (point) => `${ranged(point)} ${when} ${point.name}`;
  return found && `Highest ${said(found.highest)}, lowest ${said(found.lowest)}.`;
}

// Names the extremes of the groups. A group has its name as it is shown.
export function groupsSentence(groups) {
  const found = extremes(groups.filter(({ other }) => !other));
  const said = (group) => [group.name, ` ${ranged(group)}.`];
  return found && ["Highest: ", ...said(found.highest), " Lowest: ", ...said(found.lowest)];
}

// Says how many ratings `respondents=latest` left out of a period.
export function respondentsSentence({ superseded }) {
  const leftOut = `${format.counted(superseded, "earlier rating")} left out`;
  return `Each person\u2019s newest rating counts: ${superseded > 0 ? leftOut : "there is no earlier one"}.`;
}

// Says that the ratings of unfiltered figures seem to be of another scale: of twenty or more, none is above 5, or 7; of
// eight or more, all are from 1 to 5. The terminal and assistants get the same.
export function scaleSentence({ responses, frequency }) {
  const within = (from, to) => frequency.every((count, rating) => count === 0 || (rating >= from && rating <= to));
  const least = within(1, 5) ? 8 : 20;
  const highest = responses >= least && [5, 7].find((end) => within(0, end));
  return highest && `All ratings are ${highest} or less. If the survey asks 0\u2013${highest}, this is no NPS.`;
}
