//! The words that name a period (contract, section 4): `2026-Q3`, `30d`, `last-week`.

use std::str::FromStr;

use chrono::{Days, NaiveDate, NaiveTime, Weekday};
use model::{Invalid, Period, Timestamp, Unit, WeekStart, Zone, parse_digits};

/// A number of units of the calendar. One in which today lies ends with today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodWord {
    unit: Unit,
    count: u32,
    last: LastUnit,
}

impl PeriodWord {
    /// What a text is told that is none.
    pub const EXPECTED: Invalid = Invalid(
        "must be a period such as 2026, 2026-Q3, 2026-09, 2026-W41, 30d, 12w, 6mo, 1y, this-month or last-quarter",
    );
}

/// The last unit of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastUnit {
    /// It begins on this date.
    Dated(NaiveDate),
    /// Today lies in it.
    Current,
    /// It is the one before that.
    Previous,
}

impl FromStr for PeriodWord {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let word = relative(text).or_else(|| until_today(text));
        word.or_else(|| of_calendar(text)).ok_or(Self::EXPECTED)
    }
}

/// Parses `this-week` or `last-year`.
fn relative(text: &str) -> Option<PeriodWord> {
    let (which, unit) = text.split_once('-')?;
    let last = match which {
        "this" => LastUnit::Current,
        "last" => LastUnit::Previous,
        _ => return None,
    };
    let unit = unit.parse().ok();
    Some(PeriodWord {
        unit: unit.filter(|unit| !matches!(unit, Unit::All | Unit::Day))?,
        count: 1,
        last,
    })
}

/// Parses `30d`, `12w`, `6mo` or `1y`.
fn until_today(text: &str) -> Option<PeriodWord> {
    let (digits, unit) = text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)?;
    let number: u32 = digits.parse().ok()?;
    let is_known = number <= 9999 && !digits.starts_with('0');
    let (unit, each) = match unit {
        "d" => (Unit::Day, 1),
        "w" => (Unit::Day, 7),
        "mo" => (Unit::Month, 1),
        "y" => (Unit::Month, 12),
        _ => return None,
    };
    is_known.then_some(PeriodWord {
        unit,
        count: number.checked_mul(each)?,
        last: LastUnit::Current,
    })
}

/// Parses `2026`, `2026-Q3`, `2026-09` or `2026-W41`.
fn of_calendar(text: &str) -> Option<PeriodWord> {
    let (year, rest) = text.split_at_checked(4)?;
    let number = |text: &str, digits| (text.len() == digits).then(|| parse_digits::<u32>(text))?;
    let year = number(year, 4)?.cast_signed();
    let month = |month| NaiveDate::from_ymd_opt(year, month, 1);
    let (unit, first) = match rest.strip_prefix('-') {
        None if rest.is_empty() => (Unit::Year, month(1)),
        None => return None,
        Some(part) => match part.split_at_checked(1)? {
            ("Q", digit) => {
                let quarter = number(digit, 1).filter(|number| (1..=4).contains(number))?;
                (Unit::Quarter, Unit::Quarter.after(month(1)?, quarter - 1))
            }
            ("W", digits) => {
                let week = NaiveDate::from_isoywd_opt(year, number(digits, 2)?, Weekday::Mon);
                (Unit::Week, week)
            }
            _ => (Unit::Month, month(number(part, 2)?)),
        },
    };
    Some(PeriodWord {
        unit,
        count: 1,
        last: LastUnit::Dated(first?),
    })
}

/// The period that a word names on a day.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedPeriod {
    pub(crate) period: Period,
    /// As many units before, of which the last ends as many days after its start; `None` if that is before year 0001.
    pub(crate) previous: Option<Period>,
    /// Whether it is one unit, and today lies in it.
    pub(crate) will_end: bool,
}

impl PeriodWord {
    /// Returns the period that is named now. `None` if it is not within the years 0001 to 9999.
    #[must_use]
    pub fn period(self, now: Timestamp, zone: &Zone) -> Option<Period> {
        let named = self.on(zone.local(now.into()).date(), zone)?;
        Some(named.period)
    }

    /// Returns the period that is named today. `None` if it is not within the years 0001 to 9999.
    pub(crate) fn on(self, today: NaiveDate, zone: &Zone) -> Option<NamedPeriod> {
        let Self { unit, count, last } = self;
        let current = unit.first_date(today, WeekStart::Monday);
        let last = match last {
            LastUnit::Dated(first) => first,
            LastUnit::Current => current,
            LastUnit::Previous => unit.before(current, 1)?,
        };
        let (start, whole) = (unit.before(last, count - 1)?, unit.after(last, 1)?);
        let earlier = unit.before(last, count)?;
        let tomorrow = today.succ_opt()?;
        let is_current = last < tomorrow && tomorrow < whole;
        let (end, earlier_end) = if is_current {
            let passed = tomorrow.signed_duration_since(last).num_days();
            let passed = Days::new(passed.cast_unsigned());
            (tomorrow, earlier.checked_add_days(passed)?.min(start))
        } else {
            (whole, start)
        };
        let period = |start: NaiveDate, end: NaiveDate| {
            Some(Period {
                start: zone.timestamp(start.and_time(NaiveTime::MIN))?,
                end: zone.timestamp(end.and_time(NaiveTime::MIN))?,
            })
        };
        Some(NamedPeriod {
            period: period(start, end)?,
            previous: period(unit.before(start, count)?, earlier_end),
            will_end: count == 1 && last <= today && today < whole,
        })
    }
}

#[cfg(test)]
mod tests;
