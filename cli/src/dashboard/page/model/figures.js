// The terms of the figures.

// The kinds of responses, from the lowest ratings to the highest.
export const KINDS = ["detractors", "passives", "promoters"];

// Fewer responses than this say little: chance alone moves the score by tens of points.
export const FEW = 30;

export function kindOf(rating) {
  return KINDS[rating <= 6 ? 0 : rating <= 8 ? 1 : 2];
}
