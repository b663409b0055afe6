//! How precisely a sample determines the score of all customers.

use model::{AdjustedScore, Confidence};

use crate::tally::Tally;

/// Returns the ends of the range of the score, its adjusted Wald interval, from −100 to 100, if there are
/// responses.
pub(crate) fn score_range(tally: &Tally, confidence: Confidence) -> [Option<f64>; 2] {
    let responses = tally.responses();
    let adjusted = AdjustedScore::of(responses, tally.promoters(), tally.detractors());
    let AdjustedScore { score, variance } = adjusted;
    let margin = quantile(confidence) * variance.sqrt();
    let percent = |share: f64| (100.0 * share).clamp(-100.0, 100.0);
    [score - margin, score + margin].map(|end| (responses > 0).then_some(percent(end)))
}

/// Returns the quantile of the standard normal distribution that both sides together leave out.
fn quantile(confidence: Confidence) -> f64 {
    match confidence {
        Confidence::Percent90 => 1.644_853_626_951_472_2,
        Confidence::Percent95 => 1.959_963_984_540_054,
        Confidence::Percent99 => 2.575_829_303_548_900_4,
    }
}
