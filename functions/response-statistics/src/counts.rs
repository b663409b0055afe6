//! Counts the records of a period: all of them together, or by the value of a trait.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter::Sum;
use std::ops::Range;

use items::{ResponseItem, Shard};
use model::{GroupValue, Outcome, Period, Rating, Respondents, TraitName};
use service::error::Error;

use crate::newest::{Counted, NewestRatings};
use crate::query::Breakdown;
use crate::tally::OutcomeTally;

/// The counts of the records of all shards, by group and interval.
#[derive(Debug)]
pub(crate) struct OutcomeCounts<'a> {
    groups: Groups<'a>,
    /// By the numbers of the groups.
    series: Vec<Series>,
    /// `None` if all ratings count, or once all records are counted.
    newest: Option<NewestRatings>,
}

impl<'a> OutcomeCounts<'a> {
    /// Makes the counts of the records of a period, of which there are none yet.
    pub(crate) fn new(breakdown: &'a Breakdown, period: Period) -> Self {
        let newest = match breakdown.respondents {
            Respondents::All => None,
            Respondents::Latest => Some(NewestRatings::new(period, breakdown.has_intervals())),
        };
        Self {
            groups: Groups::of_trait(breakdown.group_by.as_ref().map(|by| &by.name)),
            series: vec![Series::default()],
            newest,
        }
    }

    /// Counts a record of this shard.
    ///
    /// # Errors
    ///
    /// Refuses more groups, or more respondents, than may be counted.
    pub(crate) fn add(&mut self, shard: Shard, item: &ResponseItem<'_>) -> Result<(), Error> {
        let group = self.groups.number(item.group)?;
        if group >= self.series.len() {
            self.series.resize_with(group + 1, Series::default);
        }
        if let Some(series) = self.series.get_mut(group)
            && series.add(item.interval, item.outcome)
        {
            self.groups.add_pair()?;
        }
        if let Some(newest) = &mut self.newest
            && let Some(Counted { group, rating }) = newest.add(shard, item, group)?
            && let Some(series) = self.series.get_mut(group as usize)
        {
            series.supersede(item.interval, rating);
        }
        Ok(())
    }

    /// Frees what only counting needs, which is most of the memory.
    pub(crate) fn without_newest(self) -> Self {
        Self {
            newest: None,
            ..self
        }
    }

    /// Returns the groups that have records, those with the most displays in these intervals first; without a trait, all
    /// records as one.
    pub(crate) fn ranked(&self, intervals: &Range<usize>) -> Vec<GroupSeries<'_>> {
        let mut ranked: Vec<_> = self.groups().collect();
        ranked.sort_by_cached_key(|(value, series)| {
            (Reverse(series.tally(intervals.clone()).displays), *value)
        });
        let group = |value| Group {
            value,
            other: false,
        };
        let ranked = ranked.into_iter().map(|(value, series)| GroupSeries {
            group: self.groups.by.map(|_| group(value)),
            series: Cow::Borrowed(series),
        });
        ranked.collect()
    }

    fn groups(&self) -> impl Iterator<Item = (GroupValue<'_>, &Series)> {
        let of_value = |(value, number)| Some((value, self.series.get(number)?));
        let groups = self.groups.values().filter_map(of_value);
        groups.filter(|(_, series)| self.groups.by.is_none() || !series.cells.is_empty())
    }

    /// Returns the counts of the group with this value, in all intervals.
    pub(crate) fn tally(&self, value: GroupValue<'_>) -> OutcomeTally {
        let number = self.groups.known(value);
        let series = number.and_then(|number| self.series.get(number));
        series.map(Series::whole).unwrap_or_default()
    }

    /// Returns the counts of all groups together, in all intervals.
    pub(crate) fn whole(&self) -> OutcomeTally {
        self.series.iter().map(Series::whole).sum()
    }
}

/// The figures of one group of the response over time.
#[derive(Debug)]
pub(crate) struct GroupSeries<'a> {
    /// `None` without groups.
    pub(crate) group: Option<Group<'a>>,
    pub(crate) series: Cow<'a, Series>,
}

/// What distinguishes a group of the response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) value: GroupValue<'a>,
    /// Whether it consists of all groups that have no element of their own.
    pub(crate) other: bool,
}

impl GroupSeries<'_> {
    /// Returns the `limit` first groups, and the others as one if there are any.
    pub(crate) fn columns(mut ranked: Vec<Self>, limit: usize) -> Vec<Self> {
        let others = ranked.split_off(limit.min(ranked.len()));
        if !others.is_empty() {
            let series = others.iter().map(|group| &*group.series).sum();
            ranked.push(Self::of_others(series));
        }
        ranked
    }

    /// Makes the group of all that have no element of their own.
    pub(crate) fn of_others(series: Series) -> Self {
        Self {
            group: Some(Group {
                value: GroupValue::Null,
                other: true,
            }),
            series: Cow::Owned(series),
        }
    }
}

/// The values of a trait, numbered for the records of all shards together: the limits hold for what is stored,
/// not for how it is distributed.
#[derive(Debug)]
pub(crate) struct Groups<'a> {
    /// Without one, all records have the value null.
    by: Option<&'a TraitName>,
    strings: HashMap<Box<str>, usize>,
    /// The bytes of all strings together.
    string_bytes: usize,
    /// The number of pairs of a group and an interval in which there are records.
    pairs: usize,
}

/// The values that are no strings, in the order of their numbers.
const FIXED: [GroupValue<'static>; 3] = [
    GroupValue::Null,
    GroupValue::Boolean(false),
    GroupValue::Boolean(true),
];

impl<'a> Groups<'a> {
    /// What the most groups take up, with their counts.
    pub(crate) const MEGABYTES: u32 = 30;
    const MAX_PAIRS: usize = 100_000;
    const MAX_STRING: usize = 1024;
    const MAX_STRING_BYTES: usize = 4 * 1024 * 1024;

    fn of_trait(by: Option<&'a TraitName>) -> Self {
        Self {
            by,
            strings: HashMap::new(),
            string_bytes: 0,
            pairs: 0,
        }
    }

    /// Returns the number of the group with this value, if records had it.
    fn known(&self, value: GroupValue<'_>) -> Option<usize> {
        match value {
            GroupValue::Null => Some(0),
            GroupValue::Boolean(flag) => Some(1 + usize::from(flag)),
            GroupValue::String(text) => self.strings.get(text).copied(),
        }
    }

    /// Returns the number of the group with this value.
    fn number(&mut self, value: GroupValue<'_>) -> Result<usize, Error> {
        let text = match (self.known(value), value) {
            (Some(number), _) => return Ok(number),
            (None, GroupValue::String(text)) => text,
            (None, _) => return Err(Error::internal()),
        };
        self.string_bytes += text.len();
        if text.len() > Self::MAX_STRING || self.string_bytes > Self::MAX_STRING_BYTES {
            return Err(self.too_many());
        }
        let number = FIXED.len() + self.strings.len();
        self.strings.insert(text.into(), number);
        Ok(number)
    }

    /// Counts one more pair of a group and an interval.
    fn add_pair(&mut self) -> Result<(), Error> {
        self.pairs += 1;
        if self.pairs > Self::MAX_PAIRS {
            return Err(self.too_many());
        }
        Ok(())
    }

    /// Returns the values of all groups, with their numbers.
    fn values(&self) -> impl Iterator<Item = (GroupValue<'_>, usize)> {
        let of_strings = self
            .strings
            .iter()
            .map(|(text, number)| (GroupValue::String(text), *number));
        FIXED.into_iter().zip(0..).chain(of_strings)
    }

    fn too_many(&self) -> Error {
        Error::unprocessable(
            ["too_many_groups", "Too many groups"],
            format!(
                "The trait {:?} has more values than can be counted, or one of more than 1,024 bytes. Ask for a \
                 shorter period, choose a longer interval, or group by another trait.",
                self.by.map_or("", TraitName::as_str)
            ),
        )
    }
}

/// The tallies of one group, of each interval in which it has records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Series {
    /// In the order of the intervals.
    cells: Vec<(usize, OutcomeTally)>,
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
            self.cells.insert(at, (interval, OutcomeTally::default()));
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

    /// Returns the tally of all intervals.
    pub(crate) fn whole(&self) -> OutcomeTally {
        self.tally(0..usize::MAX)
    }

    /// Returns the tally of the intervals with these indexes, without records an empty one.
    pub(crate) fn tally(&self, intervals: Range<usize>) -> OutcomeTally {
        let from = self.cells.partition_point(|(of, _)| *of < intervals.start);
        let cells = self.cells.iter().skip(from);
        let mut sum = OutcomeTally::default();
        for (_, tally) in cells.take_while(|(of, _)| *of < intervals.end) {
            sum += tally;
        }
        sum
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
