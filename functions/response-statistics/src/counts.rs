//! Counts the records of a period: all of them together, or by the value of a trait.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::iter::Sum;
use std::ops::Range;

use items::{ResponseItem, Shard};
use model::{GroupValue, Outcome, Rating, TraitName};
use service::error::Error;

use crate::newest::{Counted, NewestRatings};
use crate::tally::Tally;

/// The counts of the records of all shards, by group and interval.
#[derive(Debug)]
pub(crate) struct OutcomeCounts<'a> {
    /// `None` if records are not grouped.
    groups: Option<Groups<'a>>,
    /// By the numbers of the groups; one without groups.
    series: Vec<Series>,
    /// `None` if all ratings count, or once all records are counted.
    newest: Option<NewestRatings>,
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

impl<'a> OutcomeCounts<'a> {
    pub(crate) fn new(groups: Option<Groups<'a>>, newest: Option<NewestRatings>) -> Self {
        Self {
            groups,
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
        let group = match &mut self.groups {
            None => 0,
            Some(groups) => groups.number(item.group)?,
        };
        if group >= self.series.len() {
            self.series.resize_with(group + 1, Series::default);
        }
        if let Some(series) = self.series.get_mut(group)
            && series.add(item.interval, item.outcome)
            && let Some(groups) = &mut self.groups
        {
            groups.add_pair()?;
        }
        if let Some(newest) = &mut self.newest
            && let Some(Counted { group, rating }) = newest.add_item(shard, item, group)?
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

    /// Ranks the groups that have records, those with the most displays in these intervals first.
    pub(crate) fn ranking(&self, period: &Range<usize>) -> Ranking<'_> {
        let Some(groups) = &self.groups else {
            return Ranking {
                groups: None,
                series: self.series.iter().collect(),
                values: Vec::new(),
                places: Vec::new(),
            };
        };
        let mut ranked: Vec<_> = groups
            .values()
            .filter_map(|(value, number)| Some((value, number, self.series.get(number)?)))
            .filter(|(_, _, series)| !series.cells.is_empty())
            .collect();
        ranked.sort_by_cached_key(|(value, _, series)| {
            (Reverse(series.tally(period.clone()).displays), *value)
        });
        let mut places = vec![usize::MAX; self.series.len()];
        for (place, (_, number, _)) in ranked.iter().enumerate() {
            if let Some(of_number) = places.get_mut(*number) {
                *of_number = place;
            }
        }
        Ranking {
            groups: Some(groups),
            series: ranked.iter().map(|(_, _, series)| *series).collect(),
            values: ranked.iter().map(|(value, _, _)| *value).collect(),
            places,
        }
    }
}

/// The groups of a period by their rank; without a trait, all records as one.
#[derive(Debug)]
pub(crate) struct Ranking<'a> {
    groups: Option<&'a Groups<'a>>,
    /// The figures of each.
    pub(crate) series: Vec<&'a Series>,
    values: Vec<GroupValue<'a>>,
    /// The ranks by the numbers of the groups.
    places: Vec<usize>,
}

impl<'a> Ranking<'a> {
    /// Returns the rank of the group with this value, or a number beyond all ranks.
    pub(crate) fn place(&self, value: GroupValue<'_>) -> usize {
        let Some(groups) = self.groups else {
            return 0;
        };
        let place = groups
            .known(value)
            .and_then(|number| self.places.get(number));
        place.copied().unwrap_or(usize::MAX)
    }

    /// Returns the `shown` first groups, and the rest as one if there is any, or if it `has_others` elsewhere.
    pub(crate) fn columns(&self, shown: usize, has_others: bool) -> Vec<GroupSeries<'a>> {
        if self.groups.is_none() {
            let whole = |series: &&'a Series| GroupSeries {
                group: None,
                series: Cow::Borrowed(*series),
            };
            return self.series.iter().map(whole).collect();
        }
        let of_group = |value, other, series| GroupSeries {
            group: Some(Group { value, other }),
            series,
        };
        let ranked = self.values.iter().zip(&self.series);
        let own = ranked
            .take(shown)
            .map(|(value, series)| of_group(*value, false, Cow::Borrowed(*series)));
        let rest = self.series.get(shown..).unwrap_or_default();
        let other = (has_others || !rest.is_empty()).then(|| {
            let series = rest.iter().copied().sum();
            of_group(GroupValue::Null, true, Cow::Owned(series))
        });
        own.chain(other).collect()
    }
}

/// The values of a trait, numbered for the records of all shards together: the limits hold for what is stored,
/// not for how it is distributed.
#[derive(Debug)]
pub(crate) struct Groups<'a> {
    name: &'a TraitName,
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

    /// Makes the groups of the trait of this name.
    pub(crate) fn of_trait(name: &'a TraitName) -> Self {
        Self {
            name,
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
                "The trait {:?} has more values than can be counted, or one of more than 1,024 bytes. Narrow the period \
                 with startDate and endDate, choose a longer interval, or group by another trait.",
                self.name.as_str()
            ),
        )
    }
}

/// The tallies of one group, of each interval in which it has records.
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

    /// Returns the tally of the intervals with these indexes, without records an empty one.
    pub(crate) fn tally(&self, intervals: Range<usize>) -> Tally {
        let from = self.cells.partition_point(|(of, _)| *of < intervals.start);
        let cells = self.cells.iter().skip(from);
        let mut sum = Tally::default();
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
