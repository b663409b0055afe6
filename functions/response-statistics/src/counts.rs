//! Counts the records of a period: all of them together, or by the value of a trait.

use std::borrow::Cow;
use std::cmp::Reverse;

use shared::error::Error;
use shared::items::{ResponseRow, Shard};
use shared::model::{GroupValue, Outcome, Period, Respondents};
use tokio::sync::SemaphorePermit;

use crate::MANY_GROUPS;
use crate::breakdown::Breakdown;
use crate::groups::{Group, Groups};
use crate::newest::{Counted, NewestRatings, TooMany, age};
use crate::reading::Gather;
use crate::refusals::{too_busy, too_many_groups, too_many_respondents};
use crate::series::Series;

/// The figures of all shards together.
#[derive(Debug)]
pub(crate) struct OutcomeCounts<'a> {
    period: Period,
    breakdown: &'a Breakdown,
    /// `None` if records are not grouped.
    groups: Option<Groups>,
    /// By the numbers of the groups.
    series: Vec<Series>,
    /// The number of pairs of a group and an interval in which it has records.
    pairs: usize,
    /// `None` if all ratings count.
    newest: Option<NewestRatings>,
    /// What many groups need.
    turn: Option<SemaphorePermit<'static>>,
    exceeded: Option<Exceeded>,
}

impl Gather for OutcomeCounts<'_> {
    fn add(&mut self, shard: Shard, row: &ResponseRow<'_>) {
        if self.exceeded.is_none() {
            self.count(shard, row);
        }
    }

    fn refusal(&self) -> Option<Error> {
        Some(match (self.exceeded?, &self.breakdown.grouping) {
            (Exceeded::Respondents, _) => {
                too_many_respondents(&self.period, self.breakdown.has_intervals())
            }
            (Exceeded::Groups, Some(grouping)) => too_many_groups(&grouping.by.name),
            // Without groups there are fewer intervals than may be counted.
            (Exceeded::Groups, None) => Error::internal(),
            (Exceeded::Turns, _) => too_busy(),
        })
    }
}

/// What there is more of than may be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Groups,
    Respondents,
    /// Other requests have all turns.
    Turns,
}

/// The figures of one group of the response over time.
#[derive(Debug)]
pub(crate) struct GroupSeries<'a> {
    /// `None` without groups.
    pub(crate) group: Option<Group<'a>>,
    pub(crate) series: Cow<'a, Series>,
}

impl<'a> OutcomeCounts<'a> {
    const MAX_PAIRS: usize = 100_000;
    /// The pairs that take a turn.
    const MANY_PAIRS: usize = 1_000;

    /// Begins to count, with a turn if the request has waited for one.
    pub(crate) fn new(
        period: Period,
        breakdown: &'a Breakdown,
        turn: Option<SemaphorePermit<'static>>,
    ) -> Self {
        let is_latest = breakdown.respondents == Respondents::Latest;
        Self {
            period,
            breakdown,
            groups: breakdown.grouping.as_ref().map(|_| Groups::default()),
            series: vec![Series::default()],
            pairs: 0,
            newest: is_latest.then(NewestRatings::default),
            turn,
            exceeded: None,
        }
    }

    fn count(&mut self, shard: Shard, row: &ResponseRow<'_>) {
        let group = match &mut self.groups {
            None => Some(0),
            Some(groups) => groups.number(row.group),
        };
        let Some(group) = group else {
            self.exceeded = Some(Exceeded::Groups);
            return;
        };
        if group >= self.series.len() {
            self.series.resize_with(group + 1, Series::default);
        }
        if let Some(series) = self.series.get_mut(group) {
            self.pairs += usize::from(series.add(row.interval, row.outcome));
        }
        if self.pairs > Self::MAX_PAIRS {
            self.exceeded = Some(Exceeded::Groups);
            return;
        }
        if self.needs_turn() {
            self.turn = MANY_GROUPS.try_acquire().ok();
            if self.turn.is_none() {
                self.exceeded = Some(Exceeded::Turns);
                return;
            }
        }
        if let (Outcome::Rated(rating), Some(user_id)) = (row.outcome, row.user_id) {
            let counted = Counted { group, rating };
            self.supersede((user_id, row.interval), age(row.at, shard), counted);
        }
    }

    fn needs_turn(&self) -> bool {
        self.groups.is_some() && self.pairs >= Self::MANY_PAIRS && self.turn.is_none()
    }

    /// Forgets whose ratings were counted, which takes most of the memory.
    pub(crate) fn without_persons(self) -> Self {
        Self {
            newest: None,
            ..self
        }
    }

    /// Leaves out the rating that is not the person's newest one, if only those count.
    fn supersede(&mut self, person: (&str, usize), age: u64, counted: Counted) {
        let Some(newest) = &mut self.newest else {
            return;
        };
        match newest.add(person, age, counted) {
            Ok(Some(left_out)) => {
                if let Some(series) = self.series.get_mut(left_out.group) {
                    series.supersede(person.1, left_out.rating);
                }
            }
            Ok(None) => {}
            Err(TooMany) => self.exceeded = Some(Exceeded::Respondents),
        }
    }

    /// Returns the `shown` largest groups, and the rest as one if there is any.
    pub(crate) fn columns(&self, shown: usize) -> Vec<GroupSeries<'_>> {
        let Some(groups) = &self.groups else {
            let whole = |series| GroupSeries {
                group: None,
                series: Cow::Borrowed(series),
            };
            return self.series.iter().map(whole).collect();
        };
        let ranked = self.ranked(groups);
        let (shown, rest) = ranked.split_at(shown.min(ranked.len()));
        let own = |(value, series): &(_, _)| GroupSeries {
            group: Some(Group {
                value: *value,
                other: false,
            }),
            series: Cow::Borrowed(*series),
        };
        let other = || GroupSeries {
            group: Some(Group {
                value: GroupValue::Null,
                other: true,
            }),
            series: Cow::Owned(rest.iter().map(|(_, series)| *series).sum()),
        };
        let other = (!rest.is_empty()).then(other);
        shown.iter().map(own).chain(other).collect()
    }

    /// Returns the groups that have records, those with the most displays first.
    fn ranked<'b>(&'b self, groups: &'b Groups) -> Vec<(GroupValue<'b>, &'b Series)> {
        let mut ranked: Vec<_> = groups
            .values()
            .filter_map(|(value, number)| Some((value, self.series.get(number)?)))
            .filter(|(_, series)| series.displays() > 0)
            .collect();
        ranked.sort_by_cached_key(|(value, series)| (Reverse(series.displays()), *value));
        ranked
    }
}
