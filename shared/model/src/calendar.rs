//! The units of the calendar.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

word_enum! {
    /// The length of the intervals of a period.
    pub enum Unit, "must be all, day, week, month, quarter or year" {
        /// The whole period, as one interval.
        All = "all",
        Day = "day",
        Week = "week",
        Month = "month",
        Quarter = "quarter",
        Year = "year",
    }
}

word_enum! {
    /// The first day of a week.
    #[derive(Default)]
    pub enum WeekStart, "must be monday or sunday" {
        #[default]
        Monday = "monday",
        Sunday = "sunday",
    }
}

impl Unit {
    /// Returns the first date of the unit in which this date lies. `All` has only this date.
    pub fn first_date(self, date: NaiveDate, week_start: WeekStart) -> NaiveDate {
        let first = match self {
            Self::All | Self::Day => Some(date),
            Self::Week => {
                let start = match week_start {
                    WeekStart::Monday => Weekday::Mon,
                    WeekStart::Sunday => Weekday::Sun,
                };
                date.checked_sub_days(Days::new(date.weekday().days_since(start).into()))
            }
            Self::Month => date.with_day(1),
            Self::Quarter => date
                .with_day(1)
                .and_then(|first| first.with_month(3 * date.quarter() - 2)),
            Self::Year => date.with_ordinal(1),
        };
        first.unwrap_or(date)
    }

    /// Returns the first date of the unit that comes so many after the one that begins on this date. `All` has none.
    pub fn after(self, first: NaiveDate, count: u32) -> Option<NaiveDate> {
        let (days, months) = self.length(count)?;
        first.checked_add_days(days)?.checked_add_months(months)
    }

    /// Returns the first date of the unit that comes so many before the one that begins on this date. `All` has none.
    pub fn before(self, first: NaiveDate, count: u32) -> Option<NaiveDate> {
        let (days, months) = self.length(count)?;
        first.checked_sub_days(days)?.checked_sub_months(months)
    }

    fn length(self, count: u32) -> Option<(Days, Months)> {
        let (days, months) = match self {
            Self::All => return None,
            Self::Day => (1, 0),
            Self::Week => (7, 0),
            Self::Month => (0, 1),
            Self::Quarter => (0, 3),
            Self::Year => (0, 12),
        };
        let months = Months::new(count.checked_mul(months)?);
        Some((Days::new(u64::from(count) * days), months))
    }
}
