// What the figures show, in sentences.

import { FEW } from "./figures.js";
import * as format from "./format.js";
import { nameOfBefore, periodBefore } from "./period.js";

// Returns the two elements with the lowest and the highest score; null where fewer than two rest on enough responses.
function extremes(elements) {
  const sound = elements.filter(({ responses }) => responses >= FEW).sort((one, other) => one.nps - other.nps);
  return sound.length < 2 ? null : { lowest: sound[0], highest: sound.at(-1) };
}

// Names the extremes of the intervals that are whole and over.
export function trendSentence(points) {
  const found = extremes(points.filter(({ complete }) => complete));
  const said = ({ nps, interval, name }) => `${format.score(nps)} ${{ day: "on", week: "in the" }[interval] ?? "in"} ${name}`;
  return found && `Highest ${said(found.highest)}, lowest ${said(found.lowest)}.`;
}

// Names the extremes of the groups, each with its interval. A group has its name as it is shown.
export function groupsSentence(groups) {
  const found = extremes(groups.filter(({ other }) => !other));
  const said = (group) => [group.name, ` ${format.score(group.nps)} (${format.scoreInterval(group)}).`];
  return found && ["Highest: ", ...said(found.highest), " Lowest: ", ...said(found.lowest)];
}

// Says what respondents=latest left out of a period.
export function respondentsSentence({ superseded }) {
  const earlier = superseded === 0 ? "there is no earlier one" : `${format.counted(superseded, "earlier rating")} left out`;
  return `Each person\u2019s newest rating counts: ${earlier}.`;
}

// Names what a period is compared with.
export function comparedWith(period) {
  return nameOfBefore(period) ?? format.dates(periodBefore(period));
}

// Says whether chance explains a change.
export function changeVerdict(change) {
  const verdict = { true: "Clear change", false: "Could be chance", null: "Too few responses to tell" }[change.clear];
  return `${verdict} (${format.changeInterval(change)})`;
}
