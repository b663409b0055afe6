//! The arithmetic of the figures (contract, section 4).

use std::ops::AddAssign;

use model::{AdjustedScore, Confidence, Outcome, Rating};

/// The counts of the records of a period, or of one interval and group of it. No request reads four billion
/// records, and a request may hold a hundred thousand tallies, so the counts have 32 bits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) displays: u32,
    pub(crate) dismissed: u32,
    /// The number of ratings of 0, 1, … 10.
    pub(crate) frequency: [u32; 11],
    /// The ratings that do not count because of newer ones.
    pub(crate) superseded: u32,
}

impl Tally {
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

    pub(crate) fn responses(&self) -> u32 {
        self.frequency.iter().sum()
    }

    pub(crate) fn detractors(&self) -> u32 {
        self.frequency.iter().take(7).sum()
    }

    pub(crate) fn passives(&self) -> u32 {
        self.frequency.iter().skip(7).take(2).sum()
    }

    pub(crate) fn promoters(&self) -> u32 {
        self.frequency.iter().skip(9).sum()
    }

    /// Returns 100 × (promoters − detractors) / responses, not rounded, or 0 without responses.
    pub(crate) fn nps(&self) -> f64 {
        match self.responses() {
            0 => 0.0,
            responses => {
                let difference = f64::from(self.promoters()) - f64::from(self.detractors());
                100.0 * difference / f64::from(responses)
            }
        }
    }

    /// Returns the ends of the range of the score, its adjusted Wald interval, from −100 to 100, if there are
    /// responses.
    pub(crate) fn score_range(&self, confidence: Confidence) -> [Option<f64>; 2] {
        let responses = self.responses();
        let adjusted = AdjustedScore::of(
            responses.into(),
            self.promoters().into(),
            self.detractors().into(),
        );
        let margin = quantile(confidence) * adjusted.variance.sqrt();
        let percent = |share: f64| (100.0 * share).clamp(-100.0, 100.0);
        [adjusted.score - margin, adjusted.score + margin]
            .map(|end| (responses > 0).then_some(percent(end)))
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

impl AddAssign<&Self> for Tally {
    fn add_assign(&mut self, other: &Self) {
        self.displays += other.displays;
        self.dismissed += other.dismissed;
        self.superseded += other.superseded;
        for (sum, count) in self.frequency.iter_mut().zip(other.frequency) {
            *sum += count;
        }
    }
}
