#!/usr/bin/env python3
"""Computes how often the interval of `confidence` contains the score of all customers (CONTRACT.md, Uncertainty).

    benches/coverage.py

For each sample size and confidence, prints the least coverage over all mixes of promoters, passives and detractors, in steps of a
twentieth (of a tenth for 60): the probability of every possible sample, added up where its interval contains the score of the mix.
"""
from math import comb, sqrt

QUANTILES = {90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004}
STEPS = {5: 20, 10: 20, 20: 20, 60: 10}


def interval(promoters, detractors, size, quantile):
    """Returns the interval of the contract, from -1 to 1."""
    p, d = (promoters + 0.75) / (size + 3), (detractors + 0.75) / (size + 3)
    margin = quantile * sqrt((p + d - (p - d) ** 2) / (size + 3))
    return max(p - d - margin, -1), min(p - d + margin, 1)


def samples(size):
    return [
        (promoters, detractors) for promoters in range(size + 1) for detractors in range(size + 1 - promoters)
    ]


def coverage(mix, steps, size, intervals):
    """Returns the probability that the interval of a sample contains the score of this mix, in steps."""
    promoters, detractors = mix
    shares = promoters / steps, detractors / steps, (steps - promoters - detractors) / steps
    score = (promoters - detractors) / steps
    covered = 0
    for (p, d), (low, high) in intervals.items():
        # Rounding must not decide whether a bound that equals the score contains it.
        if low - 1e-12 <= score <= high + 1e-12:
            ways = comb(size, p) * comb(size - p, d)
            covered += ways * shares[0] ** p * shares[1] ** d * shares[2] ** (size - p - d)
    return covered


def least(size, quantile):
    intervals = {(p, d): interval(p, d, size, quantile) for p, d in samples(size)}
    return min(coverage(mix, STEPS[size], size, intervals) for mix in samples(STEPS[size]))


def main():
    print("| responses | " + " | ".join(f"{confidence} %" for confidence in QUANTILES) + " |")
    print("|---" * (1 + len(QUANTILES)) + "|")
    for size in STEPS:
        cells = (f"{100 * least(size, quantile):.1f} %" for quantile in QUANTILES.values())
        print(f"| {size} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
