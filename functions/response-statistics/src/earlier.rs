//! The counts of the earlier period of a comparison. The groups are those of the present one, so most of them need
//! no more than the ratings of each kind.

use items::{ResponseItem, Shard};
use model::Outcome;
use service::error::Error;

use crate::change::Pair;
use crate::contribution::PairedGroups;
use crate::counts::Ranking;
use crate::newest::{Counted, NewestRatings};
use crate::tally::{Kinds, Tally};

/// The counts of the earlier period, by the groups of the present one.
#[derive(Debug)]
pub(crate) struct EarlierCounts<'a> {
    ranking: &'a Ranking<'a>,
    /// The groups that have elements of their own.
    pub(crate) shown: Vec<Tally>,
    /// All other groups, whether the present period has them or not.
    pub(crate) others: Tally,
    /// Those of the others that the present period has.
    hidden: Vec<Kinds>,
    /// `None` if all ratings count.
    newest: Option<NewestRatings>,
}

impl<'a> EarlierCounts<'a> {
    /// Counts by these groups, of which at most so many are shown.
    pub(crate) fn new(
        ranking: &'a Ranking<'a>,
        limit: usize,
        newest: Option<NewestRatings>,
    ) -> Self {
        let groups = ranking.series.len();
        let shown = groups.min(limit);
        Self {
            ranking,
            shown: vec![Tally::default(); shown],
            others: Tally::default(),
            hidden: vec![Kinds::default(); groups - shown],
            newest,
        }
    }

    /// Counts a record of this shard.
    ///
    /// # Errors
    ///
    /// Refuses more respondents than may be counted.
    pub(crate) fn add(&mut self, shard: Shard, item: &ResponseItem<'_>) -> Result<(), Error> {
        let place = self.ranking.place(item.group);
        self.tally(place).add(item.outcome);
        if let (Some(kinds), Outcome::Rated(rating)) = (self.hidden(place), item.outcome) {
            *kinds.of_rating(rating) += 1;
        }
        if let Some(newest) = &mut self.newest
            && let Some(Counted { group, rating }) = newest.add_item(shard, item, place)?
        {
            let group = group as usize;
            self.tally(group).supersede(rating);
            if let Some(kinds) = self.hidden(group) {
                *kinds.of_rating(rating) -= 1;
            }
        }
        Ok(())
    }

    fn tally(&mut self, place: usize) -> &mut Tally {
        self.shown.get_mut(place).unwrap_or(&mut self.others)
    }

    fn hidden(&mut self, place: usize) -> Option<&mut Kinds> {
        self.hidden.get_mut(place.checked_sub(self.shown.len())?)
    }

    /// Returns the ratings of all groups: those that are shown first, then the others. Those that the present period
    /// does not have are one, because no share of them has two scores.
    pub(crate) fn groups(&self) -> PairedGroups {
        let mut gone = self.others.kinds();
        for kinds in &self.hidden {
            gone -= *kinds;
        }
        let shown = self.shown.iter().map(Tally::kinds);
        let before = shown.chain(self.hidden.iter().copied());
        let after = self.ranking.series.iter().map(|series| series.tally(0..1));
        let pairs = before.zip(after).map(|(before, after)| Pair {
            before,
            after: after.kinds(),
        });
        let gone = Pair {
            before: gone,
            after: Kinds::default(),
        };
        PairedGroups::new(pairs.chain([gone]).collect())
    }
}
