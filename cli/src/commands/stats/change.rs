//! How certain the difference of two scores is.

use shared::model::AdjustedScore;

use super::figures::Figures;

/// The difference of two scores, and the interval in which that of all customers plausibly lies.
pub(in crate::commands) struct Change {
    pub(in crate::commands) points: f64,
    pub(in crate::commands) low: f64,
    pub(in crate::commands) high: f64,
}

impl Change {
    /// Compares two scores; the interval misses the change of all customers with the probability `risk`.
    pub(in crate::commands) fn between(before: &Figures, now: &Figures, risk: f64) -> Self {
        let [first, second] = [before, now].map(|figures| {
            AdjustedScore::of(figures.responses, figures.promoters, figures.detractors)
        });
        let half = exceeded_with(risk / 2.0) * (first.variance + second.variance).sqrt();
        Self {
            points: now.score().unwrap_or_default() - before.score().unwrap_or_default(),
            low: 100.0 * (second.score - first.score - half),
            high: 100.0 * (second.score - first.score + half),
        }
    }

    pub(in crate::commands) fn is_certain(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Returns in words whether chance explains it.
    pub(in crate::commands) fn verdict(&self) -> &'static str {
        if self.is_certain() {
            "is unlikely to be chance alone"
        } else {
            "could be chance"
        }
    }

    /// Returns the interval in words.
    pub(in crate::commands) fn bounds(&self) -> String {
        let low = outwards(self.low, f64::floor);
        format!("between {low} and {}", outwards(self.high, f64::ceil))
    }
}

/// Returns what a normal variable exceeds with this probability, which is between 1E-10 and 0.07
/// (Wichura's algorithm AS 241).
fn exceeded_with(probability: f64) -> f64 {
    const ABOVE: [f64; 8] = [
        7.745_450_142_783_414e-4,
        0.022_723_844_989_269_184,
        0.241_780_725_177_450_6,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ];
    const BELOW: [f64; 8] = [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        0.015_198_666_563_616_457,
        0.148_103_976_427_480_08,
        0.689_767_334_985_1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ];
    let r = (-probability.ln()).sqrt() - 1.6;
    let polynomial = |coefficients: [f64; 8]| coefficients.iter().fold(0.0, |sum, c| sum * r + c);
    polynomial(ABOVE) / polynomial(BELOW)
}

/// Rounds an end of a change's interval outwards, to as many digits as show on which side of zero it is.
fn outwards(value: f64, round: fn(f64) -> f64) -> String {
    let value = value.clamp(-200.0, 200.0);
    let rounded = |digits: usize| {
        let unit = 10_f64.powi(i32::try_from(digits).unwrap_or_default());
        round(value * unit) / unit
    };
    // A change of exactly zero has no side.
    let digits = (0..20).find(|digits| rounded(*digits) != 0.0).unwrap_or(0);
    format!("{:+.digits$}", rounded(digits) + 0.0)
}

#[cfg(test)]
mod tests {
    use super::{exceeded_with, outwards};

    // Computed with Python's statistics.NormalDist.
    #[test]
    fn quantiles_are_exact_for_one_pair_and_for_thousands() {
        for (probability, value) in [
            (0.05, 1.644_853_626_951_472_6),
            (0.025, 1.959_963_984_540_053_8),
            (0.005, 2.575_829_303_548_9),
            (0.05 / 90.0, 3.260_767_488_420_521_3),
            (1e-10, 6.361_340_902_404_056),
        ] {
            let difference: f64 = exceeded_with(probability) - value;
            assert!(difference.abs() < 1e-9, "{probability}");
        }
    }

    #[test]
    fn ends_are_rounded_outwards_and_show_their_sign() {
        for (value, floor, ceil) in [
            (0.3, "+0.3", "+1"),
            (-0.3, "-1", "-0.3"),
            (0.04, "+0.04", "+1"),
            (-34.2, "-35", "-34"),
            (0.0, "+0", "+0"),
            (230.0, "+200", "+200"),
        ] {
            assert_eq!(outwards(value, f64::floor), floor);
            assert_eq!(outwards(value, f64::ceil), ceil);
        }
    }
}
