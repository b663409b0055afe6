// The adjusted Wald interval of a score (Rocks, 2016), and that of the change between two periods.

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
