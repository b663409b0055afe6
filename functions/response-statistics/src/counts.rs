//! Counts the records of a period: all of them together, or by the value of a trait.

use std::borrow::Cow;
use std::cmp::Reverse;

use model::items::{ResponseItem, Shard};
use model::{GroupValue, Outcome, Respondents};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::breakdown::Breakdown;
use crate::groups::{Group, GroupNumbers};
use crate::newest::{Counted, NewestRatings, age};
use crate::reading::Exceeded;
use crate::series::Series;

/// The memory of a process suffices for many groups of six requests at a time.
pub(crate) static MANY_GROUPS: Semaphore = Semaphore::const_new(6);

/// The figures of all shards together.
#[derive(Debug)]
pub(crate) struct OutcomeCounts {
    /// `None` if records are not grouped.
    groups: Option<GroupNumbers>,
    /// By the numbers of the groups.
    series: Vec<Series>,
    /// The number of pairs of a group and an interval in which it has records.
    pairs: usize,
    /// `None` if all ratings count, or once all records are counted.
    pub(crate) newest: Option<NewestRatings>,
    /// The permit to count many groups, once there are many.
    turn: Option<SemaphorePermit<'static>>,
}

/// The figures of one group of the response over time.
#[derive(Debug)]
pub(crate) struct GroupSeries<'a> {
    /// `None` without groups.
    pub(crate) group: Option<Group<'a>>,
    pub(crate) series: Cow<'a, Series>,
}

impl OutcomeCounts {
    const MAX_PAIRS: usize = 100_000;
    /// The pairs that take a turn.
    const MANY_PAIRS: usize = 1_000;

    /// Begins to count, with a turn if the request has waited for one.
    pub(crate) fn new(breakdown: &Breakdown, turn: Option<SemaphorePermit<'static>>) -> Self {
        let is_latest = breakdown.respondents == Respondents::Latest;
        Self {
            groups: breakdown.group_by.as_ref().map(|_| GroupNumbers::default()),
            series: vec![Series::default()],
            pairs: 0,
            newest: is_latest.then(NewestRatings::default),
            turn,
        }
    }

    /// Counts a record of this shard.
    pub(crate) fn add(&mut self, shard: Shard, item: &ResponseItem<'_>) -> Result<(), Exceeded> {
        let group = match &mut self.groups {
            None => 0,
            Some(groups) => groups.number(item.group).ok_or(Exceeded::Groups)?,
        };
        if group >= self.series.len() {
            self.series.resize_with(group + 1, Series::default);
        }
        if let Some(series) = self.series.get_mut(group) {
            self.pairs += usize::from(series.add(item.interval, item.outcome));
        }
        if self.pairs > Self::MAX_PAIRS {
            return Err(Exceeded::Groups);
        }
        if self.groups.is_some() && self.pairs >= Self::MANY_PAIRS && self.turn.is_none() {
            let turn = MANY_GROUPS.try_acquire();
            self.turn = Some(turn.map_err(|_| Exceeded::Turns)?);
        }
        if let (Some(newest), Outcome::Rated(rating), Some(user_id)) =
            (&mut self.newest, item.outcome, item.user_id)
        {
            let counted = Counted { group, rating };
            let left_out = newest.add((user_id, item.interval), age(item.at, shard), counted)?;
            if let Some(Counted { group, rating }) = left_out
                && let Some(series) = self.series.get_mut(group)
            {
                series.supersede(item.interval, rating);
            }
        }
        Ok(())
    }

    /// Returns the `shown` largest groups, and the rest as one if there is any.
    pub(crate) fn columns(&self, shown: usize) -> Vec<GroupSeries<'_>> {
        let Some(groups) = &self.groups else {
            let whole = self.series.iter().map(Cow::Borrowed);
            return whole
                .map(|series| GroupSeries {
                    group: None,
                    series,
                })
                .collect();
        };
        let ranked = self.ranked(groups);
        let (shown, rest) = ranked.split_at(shown.min(ranked.len()));
        let of_group = |value, other, series| GroupSeries {
            group: Some(Group { value, other }),
            series,
        };
        let own = shown
            .iter()
            .map(|(value, series)| of_group(*value, false, Cow::Borrowed(*series)));
        let other = (!rest.is_empty()).then(|| {
            let series = rest.iter().map(|(_, series)| *series).sum();
            of_group(GroupValue::Null, true, Cow::Owned(series))
        });
        own.chain(other).collect()
    }

    /// Returns the groups that have records, those with the most displays first.
    fn ranked<'b>(&'b self, groups: &'b GroupNumbers) -> Vec<(GroupValue<'b>, &'b Series)> {
        let mut ranked: Vec<_> = groups
            .values()
            .filter_map(|(value, number)| Some((value, self.series.get(number)?)))
            .filter(|(_, series)| series.displays() > 0)
            .collect();
        ranked.sort_by_cached_key(|(value, series)| (Reverse(series.displays()), *value));
        ranked
    }
}
