//! The figures of one group over time.

use std::iter::Sum;

use model::{Outcome, Rating};

use crate::tally::Tally;

/// The tallies of the intervals that have records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series {
    /// In the order of the intervals.
    cells: Vec<(usize, Tally)>,
    /// The index of the cell that was used last: the next record is nearly always of the same interval.
    last: usize,
}

impl Series {
    /// Counts a record of the interval with this index. Returns whether it is the first one.
    pub(crate) fn add(&mut self, interval: usize, outcome: Outcome) -> bool {
        if let Some((of, tally)) = self.cells.get_mut(self.last)
            && *of == interval
        {
            tally.add(outcome);
            return false;
        }
        let found = self.cells.binary_search_by_key(&interval, |(of, _)| *of);
        let (Ok(at) | Err(at)) = found;
        if found.is_err() {
            // Most of many groups have one cell, for which a vector would reserve four.
            self.cells.reserve_exact(usize::from(self.cells.is_empty()));
            self.cells.insert(at, (interval, Tally::default()));
        }
        if let Some((_, tally)) = self.cells.get_mut(at) {
            tally.add(outcome);
        }
        self.last = at;
        found.is_err()
    }

    /// Leaves out a rating that was counted in the interval with this index.
    pub(crate) fn supersede(&mut self, interval: usize, rating: Rating) {
        let found = self.cells.binary_search_by_key(&interval, |(of, _)| *of);
        if let Some((_, tally)) = found.ok().and_then(|at| self.cells.get_mut(at)) {
            tally.supersede(rating);
        }
    }

    /// Returns the tally of the interval with this index, without records an empty one.
    pub(crate) fn tally(&self, interval: usize) -> Tally {
        self.cells
            .binary_search_by_key(&interval, |(of, _)| *of)
            .ok()
            .and_then(|at| self.cells.get(at))
            .map_or_else(Tally::default, |(_, tally)| tally.clone())
    }

    /// Returns the number of displays in all intervals.
    pub(crate) fn displays(&self) -> u64 {
        self.cells.iter().map(|(_, tally)| tally.displays).sum()
    }
}

impl<'a> Sum<&'a Self> for Series {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        let mut cells: Vec<_> = all
            .flat_map(|series| series.cells.iter().cloned())
            .collect();
        cells.sort_unstable_by_key(|(of, _)| *of);
        cells.dedup_by(|(of, tally), (earlier, sum)| {
            let same = of == earlier;
            if same {
                *sum += tally;
            }
            same
        });
        Self { cells, last: 0 }
    }
}
