// What the figures show, in sentences.

import { contribution, isFew } from "./figures.js";
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

// Says how the score of a period changed; where that is clear, also where it came from, if there are groups.
// The terminal says the same (`crates/cli/src/figures/sentence.rs`). A group has its name as it is shown.
export function changeSentence({ nps, before, change }, earlier, groups) {
  const score = format.score(nps);
  const { points, low, high, verdict } = change;
  if (points === null) return [`${score}; there are no responses in ${earlier} to compare with.`];
  const size = format.score(Math.abs(points));
  const way = size === "0.0" ? "unchanged" : `${points > 0 ? "up" : "down"} ${size}`;
  const moved = `${score}, ${way} from ${earlier}`;
  if (verdict === "clear") {
    return [`${moved} (${format.changeInterval(change)}): clear.`, ...sources(points, groups)];
  }
  const why = {
    chance: `could be chance: here only changes above about ${format.whole((high - low) / 2)} points show`,
    few: "too few responses to tell",
    partial: `nothing to tell, because records begin only on ${before.since && sinceDay(before)}`,
  };
  return [`${moved}: ${why[verdict]}.`];
}

// Returns the day of the project's first record.
export const sinceDay = ({ since }) => format.day(since.slice(0, 10));

// Says what a change of so many points comes from, and from which group most.
function sources(points, groups) {
  if (groups.length === 0 || groups.some(({ change }) => change.fromScore === null)) return [];
  const towards = (part) => part * Math.sign(points);
  const sum = (name) => groups.reduce((all, { change }) => all + change[name], 0);
  const parts = [[sum("fromScore"), "how people scored"], [sum("fromShare"), "who answered"]];
  const [[first, main], [second, minor]] = parts.sort(([one], [other]) => towards(other) - towards(one));
  const both = towards(second) >= 0.05 ? " and" : ", not";
  const most = groups.reduce((best, one) => (
    towards(contribution(one.change)) >= towards(contribution(best.change)) ? one : best));
  return [
    ` It comes from ${main} (${format.signed(first)})${both} from ${minor} (${format.signed(second)}); `,
    "most from ", most.name, ` (${format.signed(contribution(most.change))}).`,
  ];
}
