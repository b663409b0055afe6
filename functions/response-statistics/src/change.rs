//! What changed from one period to another, and how certain that is (contract, section 4).

use std::f64::consts::FRAC_1_SQRT_2;

use model::Confidence;
use serde::{Deserialize, Serialize};

use crate::tally::{AdjustedScore, Kinds, OutcomeTally, quantile};

/// The change of a score, in points.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Change {
    /// The difference of the scores; `None`, as the ends of its range, if a period has no response.
    pub points: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub verdict: Verdict,
}

/// What can be said of a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A period has no responses.
    #[default]
    Empty,
    /// More than a tenth of the earlier period is before the project's first record.
    Partial,
    /// A period has fewer than 30 responses.
    Few,
    /// Chance does not explain the change: its range leaves out zero.
    Clear,
    /// Chance may explain it.
    Chance,
}

impl Verdict {
    /// Returns whether there was enough to tell chance from change.
    pub(crate) fn is_judged(self) -> bool {
        matches!(self, Self::Clear | Self::Chance)
    }
}

/// As many responses in both periods tell chance from change.
pub const ENOUGH: u32 = 30;

/// The ratings of both periods.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PairedKinds {
    pub(crate) before: Kinds,
    pub(crate) after: Kinds,
}

/// Returns the changes of elements, in their order. Their ranges are widened for what the procedure of Benjamini and
/// Hochberg selects among them, so that of all changes that are clear, no larger share than 1 − `confidence` is
/// expected to be chance (Benjamini and Yekutieli, "False Discovery Rate-Adjusted Multiple Confidence Intervals for
/// Selected Parameters", JASA, 2005).
pub(crate) fn changes(
    pairs: &[PairedKinds],
    confidence: Confidence,
    is_partial: bool,
) -> Vec<Change> {
    let is_judged = |pair: &&PairedKinds| pair.unjudged(is_partial).is_none();
    let judged = pairs.iter().filter(is_judged).map(Difference::of);
    let quantile = quantile_of_all(judged, confidence);
    let change = |pair: &PairedKinds| pair.change(quantile, is_partial);
    pairs.iter().map(change).collect()
}

impl PairedKinds {
    pub(crate) fn of(before: &OutcomeTally, after: &OutcomeTally) -> Self {
        Self {
            before: before.kinds(),
            after: after.kinds(),
        }
    }

    /// Returns the change where nothing else is judged with it.
    pub(crate) fn change_alone(&self, confidence: Confidence, is_partial: bool) -> Change {
        self.change(quantile(confidence), is_partial)
    }

    /// Returns the responses of the period that has fewer.
    pub(crate) fn fewest(&self) -> u32 {
        self.before.responses().min(self.after.responses())
    }

    /// Returns why nothing tells whether the change is clear, if that is so.
    fn unjudged(&self, is_partial: bool) -> Option<Verdict> {
        match self.fewest() {
            0 => Some(Verdict::Empty),
            _ if is_partial => Some(Verdict::Partial),
            fewest if fewest < ENOUGH => Some(Verdict::Few),
            _ => None,
        }
    }

    fn change(&self, quantile: f64, is_partial: bool) -> Change {
        if self.fewest() == 0 {
            return Change::default();
        }
        let points = self.after.nps() - self.before.nps();
        let [low, high] = Difference::of(self).range(quantile);
        let (low, high) = (low.min(points), high.max(points));
        let verdict = self.unjudged(is_partial).unwrap_or({
            if low > 0.0 || high < 0.0 {
                Verdict::Clear
            } else {
                Verdict::Chance
            }
        });
        Change {
            points: Some(points),
            low: Some(low),
            high: Some(high),
            verdict,
        }
    }
}

/// The difference of two adjusted scores, from −2 to 2, and its standard error, which is above zero.
#[derive(Debug)]
struct Difference {
    middle: f64,
    error: f64,
}

impl Difference {
    fn of(pair: &PairedKinds) -> Self {
        let [before, after] = [pair.before, pair.after].map(AdjustedScore::of);
        Self {
            middle: after.score - before.score,
            error: (before.variance + after.variance).sqrt(),
        }
    }

    /// Returns the ends of its range, in points.
    fn range(&self, quantile: f64) -> [f64; 2] {
        let margin = quantile * self.error;
        [self.middle - margin, self.middle + margin].map(|end| (100.0 * end).clamp(-200.0, 200.0))
    }

    /// Returns how likely chance alone makes a difference of this size in either direction.
    fn chance(&self) -> f64 {
        left_out(self.middle.abs() / self.error)
    }
}

/// Returns the quantile of the ranges of all elements, of which these are judged: that of 1 − q × R / m where R of m
/// are rejected at q, or as for one where none is.
fn quantile_of_all(judged: impl Iterator<Item = Difference>, confidence: Confidence) -> f64 {
    let mut chances: Vec<_> = judged.map(|difference| difference.chance()).collect();
    chances.sort_by(f64::total_cmp);
    let level = f64::from(100 - confidence.percent()) / 100.0;
    let count = u32::try_from(chances.len()).map_or(f64::INFINITY, f64::from);
    let ranked = (1..).map(f64::from).zip(chances);
    let rejected = ranked.filter(|(rank, chance)| *chance <= level * rank / count);
    let rejected = rejected.last().map_or(1.0, |(rank, _)| rank);
    if rejected < count {
        quantile_leaving_out(level * rejected / count)
    } else {
        quantile(confidence)
    }
}

/// Returns how much of the standard normal distribution is further from zero, on both sides together.
fn left_out(quantile: f64) -> f64 {
    libm::erfc(quantile * FRAC_1_SQRT_2)
}

/// Returns the quantile of the standard normal distribution that leaves this much out, by bisection.
fn quantile_leaving_out(level: f64) -> f64 {
    // A double has 53 binary digits; beyond 40, all that is left out is less than the smallest one.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if left_out(middle) > level {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
