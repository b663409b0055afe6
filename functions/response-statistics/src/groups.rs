//! Counts records by the value of a trait.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use shared::model::{GroupValue, Outcome};

use crate::counts::{Column, Group};
use crate::series::Series;

/// The figures of every group, of all shards together: the limits hold for what is stored, not for how
/// it is distributed.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The number of groups that have a column of their own.
    shown: usize,
    strings: HashMap<Box<str>, Series>,
    /// The groups of `false` and `true`.
    booleans: [Series; 2],
    null: Series,
    /// The number of pairs of a group and an interval in which it has records.
    pairs: usize,
    /// The bytes of all strings together.
    string_bytes: usize,
    exceeded: bool,
}

impl Groups {
    const MAX_PAIRS: usize = 100_000;
    const MAX_STRING: usize = 1024;
    const MAX_STRING_BYTES: usize = 16 * 1024 * 1024;

    /// Makes an empty table of which `shown` groups have a column of their own.
    pub(crate) fn new(shown: usize) -> Self {
        Self {
            shown,
            ..Self::default()
        }
    }

    /// Counts a record. Once a limit is exceeded, it does nothing.
    pub(crate) fn add(&mut self, group: GroupValue<'_>, interval: usize, outcome: Outcome) {
        if self.exceeded {
            return;
        }
        let series = match group {
            GroupValue::Null => &mut self.null,
            GroupValue::Boolean(flag) => {
                let [of_false, of_true] = &mut self.booleans;
                if flag { of_true } else { of_false }
            }
            GroupValue::String(text) => {
                if let Some(series) = self.strings.get_mut(text) {
                    series
                } else {
                    self.string_bytes += text.len();
                    if text.len() > Self::MAX_STRING || self.string_bytes > Self::MAX_STRING_BYTES {
                        self.exceeded = true;
                        return;
                    }
                    self.strings.entry(text.into()).or_default()
                }
            }
        };
        self.pairs += usize::from(series.add(interval, outcome));
        self.exceeded = self.pairs > Self::MAX_PAIRS;
    }

    /// Returns whether a limit is exceeded; then the figures are incomplete.
    pub(crate) fn exceeds_limits(&self) -> bool {
        self.exceeded
    }

    /// Returns the largest groups, and the rest as one if there is any.
    pub(crate) fn columns(&self) -> Vec<Column<'_>> {
        let ranked = self.ranked();
        let (shown, rest) = ranked.split_at(self.shown.min(ranked.len()));
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
    fn ranked(&self) -> Vec<(GroupValue<'_>, &Series)> {
        let [of_false, of_true] = &self.booleans;
        let fixed = [
            (GroupValue::Boolean(false), of_false),
            (GroupValue::Boolean(true), of_true),
            (GroupValue::Null, &self.null),
        ];
        let strings = self.strings.iter();
        let mut groups: Vec<_> = strings
            .map(|(text, series)| (GroupValue::String(text), series))
            .chain(fixed)
            .filter(|(_, series)| series.displays() > 0)
            .collect();
        groups.sort_by_cached_key(|(value, series)| (Reverse(series.displays()), *value));
        groups
    }
}
