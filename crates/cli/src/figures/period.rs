//! Periods: as people name them (`2026-Q3`, `30d`), and as the clocks of their zones show them.

use std::str::FromStr;

use anyhow::Context;
use chrono::{
    Datelike as _, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Timelike as _, Weekday,
};
use model::Unit;

use super::answer::TimeSpan;
use crate::client::UNEXPECTED;

/// A period of the calendar, or one that ends with today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedPeriod {
    /// Its first day, and the day after its last.
    Calendar(NaiveDate, NaiveDate),
    /// So many days, the last of which is today.
    Days(u64),
    /// So many months of the calendar, of which the last is this one, until today.
    Months(u32),
}

impl NamedPeriod {
    /// Returns the first day, and the day after the last.
    pub(crate) fn dates(self, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
        let tomorrow = today.checked_add_days(Days::new(1))?;
        let start = match self {
            Self::Calendar(start, end) => return Some((start, end)),
            Self::Days(days) => tomorrow.checked_sub_days(Days::new(days))?,
            Self::Months(months) => {
                let this = today.with_day(1)?;
                let ago = this.checked_sub_months(Months::new(months.saturating_sub(1)));
                ago.unwrap_or(NaiveDate::MIN)
            }
        };
        let first = NaiveDate::from_ymd_opt(1, 1, 1)?;
        Some((start.max(first), tomorrow))
    }
}

impl FromStr for NamedPeriod {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let period = if text.ends_with(|c: char| c.is_ascii_lowercase()) {
            until_today(text)
        } else {
            of_calendar(text)
        };
        period
            .ok_or("must be a period such as 2026, 2026-Q3, 2026-09, 2026-W41, 30d, 12w, 6mo or 1y")
    }
}

fn until_today(text: &str) -> Option<NamedPeriod> {
    let (digits, unit) = text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)?;
    let number = digits.parse().ok();
    let count: u16 = number.filter(|count| (1..=9999).contains(count))?;
    match unit {
        "d" => Some(NamedPeriod::Days(count.into())),
        "w" => Some(NamedPeriod::Days(7 * u64::from(count))),
        "mo" => Some(NamedPeriod::Months(count.into())),
        "y" => Some(NamedPeriod::Months(12 * u32::from(count))),
        _ => None,
    }
}

fn of_calendar(text: &str) -> Option<NamedPeriod> {
    let (year, rest) = text.split_at_checked(4)?;
    let number = |text: &str, digits| {
        let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| is_number)
    };
    // The first instant after a later year could not be written.
    let year = number(year, 4).filter(|year| (1..=9998).contains(year))?;
    let of_months = |first, months| {
        let start = NaiveDate::from_ymd_opt(year.cast_signed(), first, 1)?;
        let end = start.checked_add_months(Months::new(months))?;
        Some(NamedPeriod::Calendar(start, end))
    };
    if rest.is_empty() {
        return of_months(1, 12);
    }
    let part = rest.strip_prefix('-')?;
    if let Some(digit) = part.strip_prefix('Q') {
        let quarter = number(digit, 1).filter(|quarter| (1..=4).contains(quarter))?;
        return of_months(3 * quarter - 2, 3);
    }
    if let Some(week) = part.strip_prefix('W') {
        let start = NaiveDate::from_isoywd_opt(year.cast_signed(), number(week, 2)?, Weekday::Mon)?;
        return Some(NamedPeriod::Calendar(
            start,
            start.checked_add_days(Days::new(7))?,
        ));
    }
    of_months(number(part, 2)?, 1)
}

/// Parses an instant of an answer: what the clocks of its zone show.
fn local(instant: &str) -> Option<NaiveDateTime> {
    let local = instant.get(.."2026-01-31T00:00:00.000".len())?;
    NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M:%S%.3f").ok()
}

/// A period as the clocks of its zone show it: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalPeriod {
    pub(crate) start: NaiveDateTime,
    pub(crate) end: NaiveDateTime,
}

impl LocalPeriod {
    /// Parses the period of an answer.
    pub(crate) fn of(interval: &TimeSpan) -> anyhow::Result<Self> {
        Ok(Self {
            start: local(&interval.start).context(UNEXPECTED)?,
            end: local(&interval.end).context(UNEXPECTED)?,
        })
    }

    /// Returns whether it is eleven whole months and some of the twelfth.
    pub(crate) fn is_running_year(&self) -> bool {
        let begins_month = self.start.day() == 1 && self.start.time() == NaiveTime::MIN;
        let after = |months| self.start.checked_add_months(Months::new(months));
        let runs = after(11).zip(after(12));
        begins_month && runs.is_some_and(|(from, until)| from < self.end && self.end < until)
    }

    /// Returns whether it is a unit of the calendar of so many months, such as a quarter.
    fn is_unit(&self, months: u32) -> bool {
        let [start, end] = [self.start, self.end].map(|at| at.date());
        start.day() == 1
            && start.month0().is_multiple_of(months)
            && start.checked_add_months(Months::new(months)) == Some(end)
    }

    /// Returns whether it is a part of an interval of the calendar.
    pub(crate) fn is_part_of(&self, unit: Unit) -> bool {
        // A day begins at one where clocks are set forward at midnight.
        let begins = |at: NaiveDateTime| at.time().hour() <= 1 && at.time().minute() == 0;
        let is_days = |days| (self.end.date() - self.start.date()).num_days() == days;
        let is_whole = match unit {
            Unit::All => true,
            Unit::Day => is_days(1),
            Unit::Week => is_days(7),
            Unit::Month => self.is_unit(1),
            Unit::Quarter => self.is_unit(3),
            Unit::Year => self.is_unit(12),
        };
        !(is_whole && begins(self.start) && begins(self.end))
    }

    /// Returns the first and the last day, such as `24 Oct – 22 Nov 2026`, and their times if it is not
    /// made of whole days.
    pub(crate) fn words(&self) -> String {
        let Self { start, end } = *self;
        let last = self.last();
        let year = if start.year() == last.year() {
            ""
        } else {
            " %Y"
        };
        let time = |at: NaiveDateTime| match at.time() {
            NaiveTime::MIN => "",
            _ => " %H:%M",
        };
        let text = |day: NaiveDateTime, format: String| day.format(&format).to_string();
        let first = text(start, format!("%-d %b{year}{}", time(start)));
        let last_words = text(last, format!("%-d %b %Y{}", time(end)));
        if start.date() == last.date() && start.time() == end.time() {
            return last_words;
        }
        format!("{first} – {last_words}")
    }

    /// Returns the last day of whole days, or else the end.
    fn last(&self) -> NaiveDateTime {
        let day_before = self.end.checked_sub_days(Days::new(1));
        let is_whole = self.end.time() == NaiveTime::MIN && self.end > self.start;
        day_before.filter(|_| is_whole).unwrap_or(self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::NamedPeriod;

    #[test]
    fn a_period_has_the_days_that_its_name_says() {
        for (name, today, start, end) in [
            ("2026", "2026-11-24", "2026-01-01", "2027-01-01"),
            ("0001", "2026-11-24", "0001-01-01", "0002-01-01"),
            ("2026-Q1", "2026-11-24", "2026-01-01", "2026-04-01"),
            ("2026-Q4", "2026-11-24", "2026-10-01", "2027-01-01"),
            ("2026-02", "2026-11-24", "2026-02-01", "2026-03-01"),
            ("2026-12", "2026-11-24", "2026-12-01", "2027-01-01"),
            ("2026-W01", "2026-11-24", "2025-12-29", "2026-01-05"),
            ("2026-W53", "2026-11-24", "2026-12-28", "2027-01-04"),
            ("1d", "2026-11-24", "2026-11-24", "2026-11-25"),
            ("30d", "2026-11-24", "2026-10-26", "2026-11-25"),
            ("12w", "2026-11-24", "2026-09-02", "2026-11-25"),
            ("1mo", "2026-11-24", "2026-11-01", "2026-11-25"),
            ("1mo", "2026-11-01", "2026-11-01", "2026-11-02"),
            ("6mo", "2026-08-31", "2026-03-01", "2026-09-01"),
            ("12mo", "2026-11-24", "2025-12-01", "2026-11-25"),
            ("1y", "2026-11-24", "2025-12-01", "2026-11-25"),
            ("1y", "2028-02-29", "2027-03-01", "2028-03-01"),
            ("9999y", "2026-11-24", "0001-01-01", "2026-11-25"),
        ] {
            let period: NamedPeriod = name.parse().expect(name);
            let dates = period.dates(today.parse().unwrap()).unwrap();
            let expected = (start.parse().unwrap(), end.parse().unwrap());
            assert_eq!(dates, expected, "{name}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        let names = "\
            d 0d -1d +1d 1.5d 30 30D 12m 10000d 26 0000 9999 2026- 2026-Q0 2026-Q5 2026-q3 \
            2026-Q03 2026Q3 2026-13 2026-00 2026-9 2026-+9 2026-W00 2025-W53 2026-W1 2026-09-01 \
            ２０２６ 1é";
        for name in names.split(' ').chain(["", "last week"]) {
            assert!(name.parse::<NamedPeriod>().is_err(), "{name}");
        }
    }
}
