//! Calendar intervals: days, weeks, months, quarters and years of a time zone.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveTime, Utc, Weekday};
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
    /// Returns the intervals of a period in their order. An empty period has none.
    pub(crate) fn intervals(&self, period: Period) -> impl Iterator<Item = Interval> {
        // Where clocks are set back over midnight, the local date is that of the previous interval.
        let local_date = self.zone.local(period.start.into()).date();
        let date = local_date.pred_opt().unwrap_or(local_date);
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

/// Returns the first date of the interval in which this date lies.
fn first_date(unit: Unit, week_start: WeekStart, date: NaiveDate) -> NaiveDate {
    match unit {
        Unit::All | Unit::Day => Some(date),
        Unit::Week => {
            let days = date.weekday().days_since(weekday(week_start));
            date.checked_sub_days(Days::new(days.into()))
        }
        Unit::Month => date.with_day(1),
        Unit::Quarter => date
            .with_day(1)
            .and_then(|date| date.with_month0(date.month0() / 3 * 3)),
        Unit::Year => date.with_ordinal(1),
    }
    .unwrap_or(date)
}

/// Returns the first date of the interval after the one that begins on this date.
fn next_date(unit: Unit, first: NaiveDate) -> Option<NaiveDate> {
    match unit {
        Unit::All => None,
        Unit::Day => first.succ_opt(),
        Unit::Week => first.checked_add_days(Days::new(7)),
        Unit::Month => first.checked_add_months(Months::new(1)),
        Unit::Quarter => first.checked_add_months(Months::new(3)),
        Unit::Year => first.checked_add_months(Months::new(12)),
    }
}

fn weekday(start: WeekStart) -> Weekday {
    match start {
        WeekStart::Monday => Weekday::Mon,
        WeekStart::Sunday => Weekday::Sun,
    }
}

#[cfg(test)]
mod tests;
