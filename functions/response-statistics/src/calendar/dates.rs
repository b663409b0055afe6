//! The dates on which the intervals of a calendar begin.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use model::{Unit, WeekStart};

/// Returns the first date of the interval in which this date lies.
pub(super) fn first_date(unit: Unit, week_start: WeekStart, date: NaiveDate) -> NaiveDate {
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
pub(super) fn next_date(unit: Unit, first: NaiveDate) -> Option<NaiveDate> {
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
