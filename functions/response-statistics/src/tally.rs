//! The arithmetic of the figures (contract, section 4).

use std::iter::Sum;
use std::ops::{AddAssign, SubAssign};

use model::{Confidence, Outcome, Rating};

/// The counts of the records of a period, or of one interval and group of it. No request reads four billion
/// records, and a request may hold a hundred thousand tallies, so the counts have 32 bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OutcomeTally {
    pub(crate) displays: u32,
    pub(crate) dismissed: u32,
    /// The number of ratings of 0, 1, … 10.
    pub(crate) frequency: [u32; 11],
    /// The ratings that do not count because of newer ones.
    pub(crate) superseded: u32,
}

impl OutcomeTally {
    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.displays += 1;
        match outcome {
            Outcome::Rated(rating) => *self.frequency_of(rating) += 1,
            Outcome::Dismissed => self.dismissed += 1,
            Outcome::Pending => {}
        }
    }

    /// Leaves out a rating that was added.
    pub(crate) fn supersede(&mut self, rating: Rating) {
        *self.frequency_of(rating) -= 1;
        self.superseded += 1;
    }

    #[allow(clippy::indexing_slicing)] // a rating is at most 10
    fn frequency_of(&mut self, rating: Rating) -> &mut u32 {
        &mut self.frequency[usize::from(rating.value())]
    }

    /// Returns how many ratings of each kind count.
    pub(crate) fn kinds(&self) -> Kinds {
        let sum = |from, count| self.frequency.iter().skip(from).take(count).sum();
        Kinds {
            promoters: sum(9, 2),
            passives: sum(7, 2),
            detractors: sum(0, 7),
        }
    }
}

impl AddAssign<&Self> for OutcomeTally {
    fn add_assign(&mut self, other: &Self) {
        self.displays += other.displays;
        self.dismissed += other.dismissed;
        self.superseded += other.superseded;
        for (sum, count) in self.frequency.iter_mut().zip(other.frequency) {
            *sum += count;
        }
    }
}

/// Takes away counts that were added.
impl SubAssign<&Self> for OutcomeTally {
    fn sub_assign(&mut self, other: &Self) {
        self.displays -= other.displays;
        self.dismissed -= other.dismissed;
        self.superseded -= other.superseded;
        for (rest, count) in self.frequency.iter_mut().zip(other.frequency) {
            *rest -= count;
        }
    }
}

impl Sum for OutcomeTally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, tally| {
            sum += &tally;
            sum
        })
    }
}

/// The ratings of each kind, which are all that a score needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kinds {
    pub(crate) promoters: u32,
    pub(crate) passives: u32,
    pub(crate) detractors: u32,
}

impl Kinds {
    pub(crate) fn responses(self) -> u32 {
        self.promoters + self.passives + self.detractors
    }

    /// Returns 100 × (promoters − detractors) / responses, not rounded, or 0 without responses.
    pub(crate) fn nps(self) -> f64 {
        match self.responses() {
            0 => 0.0,
            responses => {
                let difference = f64::from(self.promoters) - f64::from(self.detractors);
                100.0 * difference / f64::from(responses)
            }
        }
    }

    /// Returns the ends of the range of the score if there are responses: its adjusted Wald interval, from −100 to 100,
    /// widened to the score itself.
    pub(crate) fn score_range(self, confidence: Confidence) -> [Option<f64>; 2] {
        let adjusted = AdjustedScore::of(self);
        let margin = quantile(confidence) * adjusted.variance.sqrt();
        let percent = |share: f64| (100.0 * share).clamp(-100.0, 100.0);
        let low = percent(adjusted.score - margin).min(self.nps());
        let high = percent(adjusted.score + margin).max(self.nps());
        [low, high].map(|end| (self.responses() > 0).then_some(end))
    }
}

impl AddAssign for Kinds {
    fn add_assign(&mut self, other: Self) {
        self.promoters += other.promoters;
        self.passives += other.passives;
        self.detractors += other.detractors;
    }
}

/// The adjusted score of a sample, from −1 to 1: three quarters of a promoter and of a detractor are added to
/// three responses more (Rocks, "Interval Estimation for the Net Promoter Score", The American Statistician,
/// 2016).
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdjustedScore {
    pub(crate) score: f64,
    pub(crate) variance: f64,
}

impl AdjustedScore {
    pub(crate) fn of(kinds: Kinds) -> Self {
        let responses = f64::from(kinds.responses()) + 3.0;
        let promoters = (f64::from(kinds.promoters) + 0.75) / responses;
        let detractors = (f64::from(kinds.detractors) + 0.75) / responses;
        let score = promoters - detractors;
        Self {
            score,
            variance: (promoters + detractors - score * score) / responses,
        }
    }
}

/// Returns the quantile of the standard normal distribution that both sides together leave out.
pub(crate) fn quantile(confidence: Confidence) -> f64 {
    match confidence {
        Confidence::Percent90 => 1.644_853_626_951_472_2,
        Confidence::Percent95 => 1.959_963_984_540_054,
        Confidence::Percent99 => 2.575_829_303_548_900_4,
    }
}
