//! Calendar intervals: days, weeks, months, quarters and years of a time zone.

mod dates;
#[cfg(test)]
mod tests;

use chrono::{DateTime, NaiveTime, Utc};
use model::{Period, Timestamp, Unit, WeekStart, Zone};

use dates::{first_date, next_date};

/// The calendar whose intervals are requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Calendar {
    pub(crate) unit: Unit,
    pub(crate) week_start: WeekStart,
    pub(crate) zone: Zone,
}

/// A calendar interval as far as it lies in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interval {
    /// Where the calendar interval begins, even if that is before the period. `None` if the interval is
    /// the period.
    pub(crate) calendar_start: Option<DateTime<Utc>>,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

impl Interval {
    /// Returns the whole period as one interval, which may be empty.
    pub(crate) fn whole(period: Period) -> Self {
        Self {
            calendar_start: None,
            start: period.start,
            end: period.end.max(period.start),
        }
    }
}

impl Calendar {
    /// Returns the intervals of a period in their order. An empty period has none.
    pub(crate) fn intervals(&self, period: Period) -> impl Iterator<Item = Interval> {
        // Where clocks are set back over midnight, the local date is that of the previous interval.
        let date = self.zone.local(period.start.into()).date();
        let date = date.pred_opt().unwrap_or(date);
        let first = first_date(self.unit, self.week_start, date);
        let dates = std::iter::successors(Some(first), |date| next_date(self.unit, *date));
        let mut starts =
            dates.map_while(|date| self.zone.earliest_or_gap_end(date.and_time(NaiveTime::MIN)));
        let mut next = starts.next();
        std::iter::from_fn(move || {
            loop {
                let calendar_start = next?;
                next = starts.next();
                // What is not a timestamp lies outside every period.
                let start = Timestamp::from_instant(calendar_start).unwrap_or(period.start);
                let end = next.and_then(Timestamp::from_instant);
                let (start, end) = (
                    start.max(period.start),
                    end.unwrap_or(period.end).min(period.end),
                );
                if start >= period.end {
                    return None;
                }
                // An interval whose dates the zone skips is empty.
                if start < end {
                    return Some(Interval {
                        calendar_start: Some(calendar_start),
                        start,
                        end,
                    });
                }
            }
        })
    }
}
