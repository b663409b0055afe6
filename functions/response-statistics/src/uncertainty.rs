//! How precisely a sample determines the score of all customers.

use model::{AdjustedScore, Confidence};

use crate::tally::Tally;

/// The interval of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoreInterval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl ScoreInterval {
    /// Returns the adjusted Wald interval of the score, from −100 to 100, or `None` without
    /// responses.
    pub(crate) fn of(tally: &Tally, confidence: Confidence) -> Option<Self> {
        if tally.responses() == 0 {
            return None;
        }
        let [responses, promoters, detractors] =
            [tally.responses(), tally.promoters(), tally.detractors()];
        let AdjustedScore { score, variance } = AdjustedScore::of(responses, promoters, detractors);
        let margin = quantile(confidence) * variance.sqrt();
        let percent = |share: f64| (100.0 * share).clamp(-100.0, 100.0);
        Some(Self {
            low: percent(score - margin),
            high: percent(score + margin),
        })
    }
}

/// Returns the quantile of the standard normal distribution that both sides together leave out.
fn quantile(confidence: Confidence) -> f64 {
    match confidence {
        Confidence::Percent90 => 1.644_853_626_951_472_2,
        Confidence::Percent95 => 1.959_963_984_540_054,
        Confidence::Percent99 => 2.575_829_303_548_900_4,
    }
}
