//! The lengths of intervals.

use std::str::FromStr;

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};
use shared::model::Invalid;

/// The length of intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Day,
    Week(WeekStart),
    Month,
    Quarter,
    Year,
}

/// The first day of a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WeekStart {
    Monday,
    Sunday,
}

/// A week begins on Monday.
impl FromStr for Unit {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let week = Self::Week(WeekStart::Monday);
        [Self::Day, week, Self::Month, Self::Quarter, Self::Year]
            .into_iter()
            .find(|unit| unit.as_str() == text)
            .ok_or(Invalid("must be day, week, month, quarter or year"))
    }
}

impl FromStr for WeekStart {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        [Self::Monday, Self::Sunday]
            .into_iter()
            .find(|start| start.as_str() == text)
            .ok_or(Invalid("must be monday or sunday"))
    }
}

impl WeekStart {
    /// Returns the day's name in a request.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Sunday => "sunday",
        }
    }

    fn weekday(self) -> Weekday {
        match self {
            Self::Monday => Weekday::Mon,
            Self::Sunday => Weekday::Sun,
        }
    }
}

impl Unit {
    /// Returns the unit's name in a request.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week(_) => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    /// Returns the first day of a week, if this is one.
    pub(crate) fn week_start(self) -> Option<WeekStart> {
        match self {
            Self::Week(start) => Some(start),
            _ => None,
        }
    }

    /// Returns the first date of the interval in which this date lies.
    pub(super) fn first_date(self, date: NaiveDate) -> NaiveDate {
        match self {
            Self::Day => Some(date),
            Self::Week(first) => {
                let days = date.weekday().days_since(first.weekday());
                date.checked_sub_days(Days::new(days.into()))
            }
            Self::Month => date.with_day(1),
            Self::Quarter => date
                .with_day(1)
                .and_then(|date| date.with_month0(date.month0() / 3 * 3)),
            Self::Year => date.with_ordinal(1),
        }
        .unwrap_or(date)
    }

    /// Returns the first date of the interval after the one that begins on this date.
    pub(super) fn next(self, first: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Day => first.succ_opt(),
            Self::Week(_) => first.checked_add_days(Days::new(7)),
            Self::Month => first.checked_add_months(Months::new(1)),
            Self::Quarter => first.checked_add_months(Months::new(3)),
            Self::Year => first.checked_add_months(Months::new(12)),
        }
    }
}
