//! The groups of a comparison: those of the present period, each with what the earlier one counts of the same value.

use model::GroupValue;

use crate::change::PairedKinds;
use crate::contribution::PairedGroups;
use crate::counts::{GroupSeries, OutcomeCounts, Series};
use crate::tally::OutcomeTally;

/// The counts of two periods, joined by the values of the groups; without a trait, all records are one group.
#[derive(Debug)]
pub(crate) struct JoinedGroups<'a> {
    /// The present period: its groups that have elements of their own, and all others as one, if either period has some.
    pub(crate) after: Vec<GroupSeries<'a>>,
    /// What the earlier period has of each of these.
    pub(crate) before: Vec<OutcomeTally>,
    /// The ratings of all groups: those of the present period by rank, and then those that only the earlier one has, as
    /// one, because no share of them has two scores.
    pub(crate) all: PairedGroups,
}

impl<'a> JoinedGroups<'a> {
    /// Joins both periods. At most so many groups have elements of their own.
    pub(crate) fn new(
        present: &'a OutcomeCounts<'_>,
        earlier: &OutcomeCounts<'_>,
        limit: usize,
    ) -> Self {
        let ranked = present.ranked(&(0..usize::MAX));
        let mut others = earlier.whole();
        let mut gone = others.clone();
        let mut pairs = Vec::with_capacity(ranked.len() + 1);
        let mut before = Vec::new();
        for column in &ranked {
            let group = column.group.map(|group| group.value);
            let tally = earlier.tally(group.unwrap_or(GroupValue::Null));
            pairs.push(PairedKinds::of(&tally, &column.series.whole()));
            gone -= &tally;
            if before.len() < limit {
                others -= &tally;
                before.push(tally);
            }
        }
        pairs.push(PairedKinds::of(&gone, &OutcomeTally::default()));

        let shown = before.len();
        let mut after = GroupSeries::columns(ranked, limit);
        if after.len() == shown && others.displays > 0 {
            after.push(GroupSeries::of_others(Series::default()));
        }
        if after.len() > shown {
            before.push(others);
        }
        Self {
            after,
            before,
            all: PairedGroups::new(pairs, shown),
        }
    }

    /// Returns the ratings of each element.
    pub(crate) fn pairs_of_elements(&self) -> Vec<PairedKinds> {
        let after = self.after.iter().map(|column| column.series.whole());
        let both = self.before.iter().zip(after);
        both.map(|(before, after)| PairedKinds::of(before, &after))
            .collect()
    }

    /// Returns the counts of the whole earlier period, and of the whole present one.
    pub(crate) fn whole(&self) -> [OutcomeTally; 2] {
        let after = self.after.iter().map(|column| column.series.whole());
        [self.before.iter().cloned().sum(), after.sum()]
    }
}
