//! What changed from one period to another, how certain that is, and where it came from (contract, section 4).

use std::f64::consts::FRAC_1_SQRT_2;
use std::iter::Sum;

use model::Confidence;
use serde::Serialize;

use crate::tally::{AdjustedScore, Kinds, quantile};

/// The change of a score, in points.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Change {
    /// The difference of the scores; `None`, as the ends of its range, if a period has no response.
    pub(crate) points: Option<f64>,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) verdict: Verdict,
    /// What a group contributes to the whole change by its score, and by its share of the responses.
    pub(crate) from_score: Option<f64>,
    pub(crate) from_share: Option<f64>,
}

/// What can be said of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// A period has no responses.
    Empty,
    /// The project's records begin within the earlier period, or after it.
    Partial,
    /// A period has fewer than 30 responses.
    Few,
    /// Chance does not explain the change.
    Clear,
    /// Chance may explain it.
    Chance,
}

/// The ratings of both periods.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pair {
    pub(crate) before: Kinds,
    pub(crate) after: Kinds,
}

/// Returns the changes of elements, in their order, without what they contribute to a whole. What is `clear` holds
/// for all of them together; of one element, for its own range.
pub(crate) fn changes(pairs: &[Pair], confidence: Confidence, is_partial: bool) -> Vec<Change> {
    let differences: Vec<_> = pairs.iter().map(Pair::difference).collect();
    let judged = pairs.iter().zip(&differences);
    let judged = judged.filter(|(pair, _)| pair.fewest() >= ENOUGH);
    let mut chances: Vec<_> = judged.map(|(_, difference)| difference.chance()).collect();
    let least = largest_rejected(&mut chances, confidence);
    let change = |(pair, difference): (&Pair, &Difference)| {
        let verdict = match pair.fewest() {
            0 => Verdict::Empty,
            _ if is_partial => Verdict::Partial,
            fewest if fewest < ENOUGH => Verdict::Few,
            _ if least.is_some_and(|least| difference.chance() <= least) => Verdict::Clear,
            _ => Verdict::Chance,
        };
        let is_known = |_: &f64| verdict != Verdict::Empty;
        let points = pair.after.nps() - pair.before.nps();
        let [low, high] = difference.range(confidence);
        Change {
            points: Some(points).filter(is_known),
            low: Some(low).filter(is_known),
            high: Some(high).filter(is_known),
            verdict,
            from_score: None,
            from_share: None,
        }
    };
    pairs.iter().zip(&differences).map(change).collect()
}

/// As many responses in both periods tell chance from change.
const ENOUGH: u32 = 30;

impl Pair {
    /// Returns the responses of the period that has fewer.
    pub(crate) fn fewest(&self) -> u32 {
        self.before.responses().min(self.after.responses())
    }

    fn difference(&self) -> Difference {
        let [before, after] = [self.before, self.after].map(AdjustedScore::of);
        Difference {
            middle: after.score - before.score,
            error: (before.variance + after.variance).sqrt(),
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
    /// Returns the ends of its range, in points.
    fn range(&self, confidence: Confidence) -> [f64; 2] {
        let margin = quantile(confidence) * self.error;
        [self.middle - margin, self.middle + margin].map(|end| (100.0 * end).clamp(-200.0, 200.0))
    }

    /// Returns how likely chance alone makes a difference of this size in either direction.
    fn chance(&self) -> f64 {
        libm::erfc(self.middle.abs() / self.error * FRAC_1_SQRT_2)
    }
}

/// Returns the largest of these chances that the procedure of Benjamini and Hochberg rejects, so that of all that
/// it rejects no larger share than 1 − `confidence` is expected to be chance. It sorts them.
fn largest_rejected(chances: &mut [f64], confidence: Confidence) -> Option<f64> {
    let left_out = f64::from(100 - confidence.percent()) / 100.0;
    chances.sort_by(f64::total_cmp);
    let count = u32::try_from(chances.len()).map_or(f64::INFINITY, f64::from);
    let ranked = (1..).map(f64::from).zip(chances);
    let rejected = ranked.filter(|(rank, chance)| **chance <= left_out * rank / count);
    rejected.last().map(|(_, chance)| *chance)
}

/// What a group contributes to the change of the whole score, in points.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Parts {
    pub(crate) from_score: f64,
    pub(crate) from_share: f64,
}

impl Parts {
    /// Computes those of a group of a whole, of which both periods have responses. In a period without responses of
    /// the group, its score is that of the other.
    pub(crate) fn of(group: Pair, whole: Pair) -> Self {
        let [share_before, share_after] =
            [(group.before, whole.before), (group.after, whole.after)]
                .map(|(group, whole)| f64::from(group.responses()) / f64::from(whole.responses()));
        let [before, after] = match [group.before, group.after].map(Kinds::responses) {
            [0, 0] => return Self::default(),
            [0, _] => [group.after; 2],
            [_, 0] => [group.before; 2],
            _ => [group.before, group.after],
        }
        .map(Kinds::nps);
        let middle = f64::midpoint(whole.before.nps(), whole.after.nps());
        Self {
            from_score: f64::midpoint(share_before, share_after) * (after - before),
            from_share: (share_after - share_before) * (f64::midpoint(before, after) - middle),
        }
    }
}

impl Sum for Parts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, parts| Self {
            from_score: sum.from_score + parts.from_score,
            from_share: sum.from_share + parts.from_share,
        })
    }
}
