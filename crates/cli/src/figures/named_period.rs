//! Periods as people say them: `2026-Q3`, `30d`.

use std::str::FromStr;

use chrono::{Days, Months, NaiveDate, Weekday};

/// A period of the calendar, or one that ends with today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedPeriod {
    /// Its first day, and the day after its last.
    Calendar(NaiveDate, NaiveDate),
    /// So many days, the last of which is today.
    Days(u64),
    /// From the day after the same date so many months ago, or after the last of that month, until today.
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
                let ago = today.checked_sub_months(Months::new(months))?;
                ago.checked_add_days(Days::new(1))?
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
    let unit = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at_checked(unit)?;
    let count: u16 = count
        .parse()
        .ok()
        .filter(|count| (1..=9999).contains(count))?;
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
    let year = number(year, 4)
        .filter(|year| (1..=9998).contains(year))?
        .cast_signed();
    let of_months = |first, months| {
        let start = NaiveDate::from_ymd_opt(year, first, 1)?;
        let end = start.checked_add_months(Months::new(months))?;
        Some(NamedPeriod::Calendar(start, end))
    };
    if rest.is_empty() {
        return of_months(1, 12);
    }
    let rest = rest.strip_prefix('-')?;
    if let Some(quarter) = rest.strip_prefix('Q') {
        let quarter = number(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
        return of_months(3 * quarter - 2, 3);
    }
    if let Some(week) = rest.strip_prefix('W') {
        let start = NaiveDate::from_isoywd_opt(year, number(week, 2)?, Weekday::Mon)?;
        return Some(NamedPeriod::Calendar(
            start,
            start.checked_add_days(Days::new(7))?,
        ));
    }
    of_months(number(rest, 2)?, 1)
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
            ("1mo", "2026-11-24", "2026-10-25", "2026-11-25"),
            ("6mo", "2026-08-31", "2026-03-01", "2026-09-01"),
            ("1y", "2026-11-24", "2025-11-25", "2026-11-25"),
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
