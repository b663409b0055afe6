#!/usr/bin/env python3
"""Computes how often the interval of `confidence` contains the score of all customers (CONTRACT.md, Uncertainty).

    pip install numpy && benches/coverage.py

For each sample size and confidence, prints the least coverage over all mixes of promoters, passives and detractors, in steps of
a two-thousandth: the probability of every possible sample, added up where its interval contains the score of the mix.
"""
from math import lgamma

import numpy as np

QUANTILES = {90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004}
STEPS = 2000


class Samples:
    """All samples of a size, and their intervals, from -1 to 1."""

    def __init__(self, size):
        promoters, detractors = np.array([(p, d) for p in range(size + 1) for d in range(size + 1 - p)]).T
        self.kinds = np.array([promoters, detractors, size - promoters - detractors])
        factorials = np.array([lgamma(n + 1) for n in range(size + 1)])
        self.ways = lgamma(size + 1) - factorials[self.kinds].sum(axis=0)
        self.score = (promoters - detractors) / size
        p, d = (promoters + 0.75) / (size + 3), (detractors + 0.75) / (size + 3)
        self.middle, self.error = p - d, np.sqrt((p + d - (p - d) ** 2) / (size + 3))

    def contain(self, score, quantile):
        """Returns which intervals contain a score. Rounding must not decide whether an end does."""
        low = np.minimum(np.maximum(self.middle - quantile * self.error, -1), self.score)
        high = np.maximum(np.minimum(self.middle + quantile * self.error, 1), self.score)
        return (low - 1e-12 <= score) & (score <= high + 1e-12)

    def probabilities(self, promoters, detractors):
        """Returns the probability of each sample (a column) for each of these mixes (a row), given in steps."""
        shares = np.stack([promoters, detractors, STEPS - promoters - detractors]) / STEPS
        # Of a kind that nobody is of, only samples without it are possible.
        logs = np.log(np.maximum(shares, 1e-300))
        return np.exp(self.ways + logs.T @ self.kinds)


def least(size):
    """Returns the least coverage by confidence. A mix and its mirror image have the same."""
    samples = Samples(size)
    found = dict.fromkeys(QUANTILES, 1.0)
    for difference in range(STEPS + 1):
        detractors = np.arange((STEPS - difference) // 2 + 1)
        probabilities = samples.probabilities(detractors + difference, detractors)
        for confidence, quantile in QUANTILES.items():
            covered = probabilities @ samples.contain(difference / STEPS, quantile)
            found[confidence] = min(found[confidence], covered.min())
    return found


def main():
    print("| responses | " + " | ".join(f"{confidence} %" for confidence in QUANTILES) + " |")
    print("|---" * (1 + len(QUANTILES)) + "|")
    for size in (5, 10, 20, 60):
        cells = (f"{100 * coverage:.1f}" for coverage in least(size).values())
        print(f"| {size} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
