// What the figures show, in sentences.

import { isFew } from "./figures.js";
import * as format from "./format.js";
import { nameOfBefore, periodBefore } from "./period.js";

// Returns the elements with the lowest and the highest score; null if fewer than two have enough responses.
function extremes(elements) {
  const sound = elements.filter((one) => !isFew(one));
  const [lowest, ...others] = sound.sort((one, other) => one.nps - other.nps);
  return others.length > 0 ? { lowest, highest: others.at(-1) } : null;
}

// Names the extremes of the intervals that are whole and over.
export function trendSentence(points) {
  const found = extremes(points.filter(({ complete }) => complete));
  const when = { day: "on", week: "in the" }[points[0]?.interval] ?? "in";
  const said = ({ nps, name }) => `${format.score(nps)} ${when} ${name}`;
  return found && `Highest ${said(found.highest)}, lowest ${said(found.lowest)}.`;
}

// Names the extremes of the groups, each with its interval. A group has its name as it is shown.
export function groupsSentence(groups) {
  const found = extremes(groups.filter(({ other }) => !other));
  const said = (group) => [group.name, ` ${format.score(group.nps)} (${format.scoreInterval(group)}).`];
  return found && ["Highest: ", ...said(found.highest), " Lowest: ", ...said(found.lowest)];
}

// Says how many ratings `respondents=latest` left out of a period.
export function respondentsSentence({ superseded }) {
  const leftOut = `${format.counted(superseded, "earlier rating")} left out`;
  return `Each person\u2019s newest rating counts: ${superseded > 0 ? leftOut : "there is no earlier one"}.`;
}

// Names what a period is compared with.
export const comparedWith = (period) => nameOfBefore(period) ?? format.dates(periodBefore(period));

// Says whether chance explains a change.
export function changeVerdict(change) {
  const verdicts = { true: "Clear change", false: "Could be chance", null: "Too few responses to tell" };
  return `${verdicts[change.clear]} (${format.changeInterval(change)})`;
}
