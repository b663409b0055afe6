//! Calendar intervals: days, weeks, months, quarters and years of a time zone.

use chrono::{DateTime, NaiveTime, Utc};
use model::{Period, Timestamp, Unit, WeekStart, Zone};

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
    /// The calendar that does not divide.
    pub(crate) fn whole(zone: Zone) -> Self {
        Self {
            unit: Unit::All,
            week_start: WeekStart::default(),
            zone,
        }
    }

    /// Returns the intervals of a period in their order. An empty period has none.
    pub(crate) fn intervals(&self, period: Period) -> impl Iterator<Item = Interval> {
        // Where clocks are set back over midnight, the local date is that of the previous interval.
        let local_date = self.zone.local(period.start.into()).date();
        let date = local_date.pred_opt().unwrap_or(local_date);
        let first = self.unit.first_date(date, self.week_start);
        let dates = std::iter::successors(Some(first), |date| self.unit.after(*date, 1));
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
                if start >= period.end {
                    return None;
                }
                let interval = Interval {
                    calendar_start: Some(calendar_start),
                    start: start.max(period.start),
                    end: end.unwrap_or(period.end).min(period.end),
                };
                // An interval whose dates the zone skips is empty.
                if interval.start < interval.end {
                    return Some(interval);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
