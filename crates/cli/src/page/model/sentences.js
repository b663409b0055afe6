// What the figures show, in sentences.

import { counted } from "./format.js";

// Says how many ratings `respondents=latest` left out of a period.
export function respondentsSentence({ superseded }) {
  const leftOut = `${counted(superseded, "earlier rating")} left out`;
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
