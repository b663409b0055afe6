// The terms of the figures, and how certain a change of the score is.

// The kinds of responses, from the lowest ratings to the highest.
export const KINDS = ["detractors", "passives", "promoters"];

// Fewer responses than this say little: chance alone moves the score by tens of points.
export const FEW = 30;

export function kindOf(rating) {
  return KINDS[rating <= 6 ? 0 : rating <= 8 ? 1 : 2];
}

const Z_95 = 1.959963984540054;

function adjusted({ responses, promoters, detractors }) {
  const n = responses + 3;
  const [p, d] = [(promoters + 0.75) / n, (detractors + 0.75) / n];
  return { score: p - d, variance: (p + d - (p - d) ** 2) / n };
}

// Returns the change of the measured score from one period to another, in points, the interval in which
// the change of all customers plausibly lies, and whether it can be told from chance. The overlap of
// the two periods' own intervals would not be the test.
export function changeBetween(before, now) {
  const [first, second] = [adjusted(before), adjusted(now)];
  const middle = second.score - first.score;
  const half = Z_95 * Math.sqrt(first.variance + second.variance);
  const [low, high] = [100 * (middle - half), 100 * (middle + half)];
  return { points: now.nps - before.nps, low, high, certain: low > 0 || high < 0 };
}
