//! Windows: the dates that end with an interval's last one, whose records its element counts (contract, section 4).

use std::ops::Range;

use chrono::{DateTime, Days, NaiveTime, Utc};
use model::{Period, Timestamp, Unit, parse_digits};

use crate::calendar::{Calendar, Interval};

/// The windows of the intervals of a period. Records are counted by the dates of the zone, of which several windows
/// have parts.
#[derive(Debug)]
pub(crate) struct Windows {
    /// How many dates each has.
    pub(crate) days: u16,
    /// Where the dates begin, in ascending order; also where the period does, within a date.
    starts: Vec<Timestamp>,
    /// One for each interval.
    pub(crate) list: Vec<Window>,
    /// The end of the period.
    end: Timestamp,
    /// The index of the first part that belongs to the period.
    first: usize,
}

/// The dates of one interval's element.
#[derive(Debug)]
pub(crate) struct Window {
    /// The midnight with which they begin.
    pub(crate) start: DateTime<Utc>,
    /// The indexes of the parts.
    pub(crate) parts: Range<usize>,
}

impl Windows {
    /// Parses the number of dates.
    pub(crate) fn parse_days(text: &str) -> Result<u16, &'static str> {
        let days = text.strip_suffix('d').and_then(parse_digits);
        days.filter(|days| (7..=366).contains(days))
            .ok_or("must be a number of days from 7d to 366d")
    }

    /// Makes the windows of these intervals of a period.
    pub(crate) fn new(
        days: u16,
        calendar: &Calendar,
        intervals: &[Interval],
        period: Period,
    ) -> Self {
        let dates = dates(days, calendar, intervals);
        let span = |interval: &Interval| {
            let after = dates.partition_point(|date| date.start < interval.end);
            let first = dates.get(after.saturating_sub(days.into()))?;
            Some((first, interval.end))
        };
        let spans: Vec<_> = intervals.iter().filter_map(span).collect();
        let earliest = spans.first().map_or(period.end, |(date, _)| date.start);
        let kept = dates.iter().map(|date| date.start);
        let mut starts: Vec<_> = kept.filter(|start| *start >= earliest).collect();
        if let Err(at) = starts.binary_search(&period.start) {
            starts.insert(at, period.start);
        }
        let begun = |instant: Timestamp| starts.partition_point(|start| *start < instant);
        let windows = spans.into_iter().map(|(date, end)| Window {
            start: date.calendar_start.unwrap_or_else(|| date.start.into()),
            parts: begun(date.start)..begun(end),
        });
        Self {
            days,
            list: windows.collect(),
            end: period.end,
            first: begun(period.start),
            starts,
        }
    }

    /// Returns the period that is read.
    pub(crate) fn period(&self) -> Period {
        Period {
            start: self.starts.first().copied().unwrap_or(self.end),
            end: self.end,
        }
    }

    /// Returns where the second part begins, and every later one.
    pub(crate) fn edges(&self) -> impl Iterator<Item = Timestamp> {
        self.starts.iter().skip(1).copied()
    }

    /// Returns the indexes of the parts that belong to the period itself.
    pub(crate) fn of_period(&self) -> Range<usize> {
        self.first..self.starts.len()
    }
}

/// Returns the dates of the windows of these intervals, and a few before them.
fn dates(days: u16, calendar: &Calendar, intervals: &[Interval]) -> Vec<Interval> {
    /// More dates than any zone has skipped.
    const SKIPPED: u64 = 3;
    let (Some(first), Some(last)) = (intervals.first(), intervals.last()) else {
        return Vec::new();
    };
    let before_end = first.end.plus_millis(-1).unwrap_or(first.start);
    let last_date = calendar.zone.local(before_end.into()).date();
    let date = last_date.checked_sub_days(Days::new(u64::from(days) + SKIPPED));
    let start = date.and_then(|date| calendar.zone.timestamp(date.and_time(NaiveTime::MIN)));
    let daily = Calendar {
        unit: Unit::Day,
        ..calendar.clone()
    };
    let read = Period {
        // It may be before year 0001.
        start: start.unwrap_or_else(Timestamp::first),
        end: last.end,
    };
    daily.intervals(read).collect()
}
