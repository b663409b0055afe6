//! Counts the records of a period: all of them together, or by the value of a trait.

use std::borrow::Cow;
use std::cmp::Reverse;

use shared::items::ResponseRow;
use shared::model::GroupValue;

use crate::groups::{Group, Groups};
use crate::series::Series;

/// The figures of all shards together.
#[derive(Debug)]
pub(crate) struct Counts {
    /// `None` if records are not grouped.
    groups: Option<Groups>,
    /// By the numbers of the groups.
    series: Vec<Series>,
    /// The number of pairs of a group and an interval in which it has records.
    pairs: usize,
    exceeded: bool,
}

/// The figures of one group of the response over time.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    /// `None` without groups.
    pub(crate) group: Option<Group<'a>>,
    pub(crate) series: Cow<'a, Series>,
}

impl Counts {
    const MAX_PAIRS: usize = 100_000;

    pub(crate) fn new(is_grouped: bool) -> Self {
        Self {
            groups: is_grouped.then(Groups::default),
            series: vec![Series::default()],
            pairs: 0,
            exceeded: false,
        }
    }

    /// Counts a record. Once a limit is exceeded, it does nothing.
    pub(crate) fn add(&mut self, row: &ResponseRow<'_>) {
        if self.exceeded {
            return;
        }
        let group = match &mut self.groups {
            None => Some(0),
            Some(groups) => groups.number(row.group),
        };
        let Some(group) = group else {
            self.exceeded = true;
            return;
        };
        if group >= self.series.len() {
            self.series.resize_with(group + 1, Series::default);
        }
        if let Some(series) = self.series.get_mut(group) {
            self.pairs += usize::from(series.add(row.interval, row.outcome));
            self.exceeded = self.pairs > Self::MAX_PAIRS;
        }
    }

    /// Returns whether there are more groups than may be counted; then the figures are incomplete.
    pub(crate) fn exceeds_limits(&self) -> bool {
        self.exceeded
    }

    /// Returns the `shown` largest groups, and the rest as one if there is any.
    pub(crate) fn columns(&self, shown: usize) -> Vec<Column<'_>> {
        let Some(groups) = &self.groups else {
            let whole = |series| Column {
                group: None,
                series: Cow::Borrowed(series),
            };
            return self.series.iter().map(whole).collect();
        };
        let ranked = self.ranked(groups);
        let (shown, rest) = ranked.split_at(shown.min(ranked.len()));
        let own = |(value, series): &(_, _)| Column {
            group: Some(Group {
                value: *value,
                other: false,
            }),
            series: Cow::Borrowed(*series),
        };
        let other = || Column {
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
    fn ranked<'a>(&'a self, groups: &'a Groups) -> Vec<(GroupValue<'a>, &'a Series)> {
        let mut ranked: Vec<_> = groups
            .values()
            .filter_map(|(value, number)| Some((value, self.series.get(number)?)))
            .filter(|(_, series)| series.displays() > 0)
            .collect();
        ranked.sort_by_cached_key(|(value, series)| (Reverse(series.displays()), *value));
        ranked
    }
}
