// The terms of the figures.

// The kinds of responses, from the lowest ratings to the highest.
export const KINDS = ["detractors", "passives", "promoters"];

// Fewer responses than this say little: chance alone moves the score by tens of points.
export const FEW = 30;
export const isFew = ({ responses }) => responses < FEW;

// Returns how many displays were answered, also by those who answered again.
export const answered = ({ responses, superseded = 0 }) => responses + superseded;

export const kindOf = (rating) => KINDS[rating <= 6 ? 0 : rating <= 8 ? 1 : 2];

// Returns whether the score of a period changed clearly.
export const isClear = (figures) => figures?.change?.verdict === "clear";

// Says that the ratings of unfiltered figures seem to be of another scale: of twenty or more, none is above 5, or 7; of
// eight or more, all are from 1 to 5. The terminal and assistants get the same.
export function scaleSentence({ responses, frequency }) {
  const within = (from, to) => frequency.every((count, rating) => count === 0 || (rating >= from && rating <= to));
  const least = within(1, 5) ? 8 : 20;
  const highest = responses >= least && [5, 7].find((end) => within(0, end));
  return highest && `All ratings are ${highest} or less. If the survey asks 0\u2013${highest}, this is no NPS.`;
}
