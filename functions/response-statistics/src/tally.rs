//! The arithmetic of the figures (contract, section 4).

use std::ops::AddAssign;

use model::{Outcome, Rating};

/// The counts of the records of a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) displays: u64,
    pub(crate) dismissed: u64,
    /// The number of ratings of 0, 1, … 10.
    pub(crate) frequency: [u64; 11],
    /// The ratings that do not count because of newer ones.
    pub(crate) superseded: u64,
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
    fn frequency_of(&mut self, rating: Rating) -> &mut u64 {
        &mut self.frequency[usize::from(rating.value())]
    }

    pub(crate) fn responses(&self) -> u64 {
        self.frequency.iter().sum()
    }

    pub(crate) fn detractors(&self) -> u64 {
        self.frequency.iter().take(7).sum()
    }

    pub(crate) fn passives(&self) -> u64 {
        self.frequency.iter().skip(7).take(2).sum()
    }

    pub(crate) fn promoters(&self) -> u64 {
        self.frequency.iter().skip(9).sum()
    }

    /// Returns 100 × (promoters − detractors) / responses, not rounded, or 0 without responses.
    #[allow(clippy::cast_precision_loss)] // exact up to 2^53 records
    pub(crate) fn nps(&self) -> f64 {
        match self.responses() {
            0 => 0.0,
            responses => {
                100.0 * (self.promoters() as f64 - self.detractors() as f64) / responses as f64
            }
        }
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
