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

// Says that the ratings of unfiltered figures may be of another scale: none of three is above 5, or of twenty above 7.
// The terminal and assistants get the same.
export function scaleSentence({ responses, frequency }) {
  const isEnd = (end) => frequency.every((count, rating) => count === 0 || rating <= end);
  const [highest] = [[5, 3], [7, 20]].find(([end, least]) => responses >= least && isEnd(end)) ?? [];
  return highest && `All ratings are ${highest} or less. If the scale ends at ${highest}, this is no NPS.`;
}
