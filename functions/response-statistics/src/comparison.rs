//! The second period of a comparison (contract, section 4).

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime};
use model::{Period, Timestamp, Unit, WeekStart, Zone};
use serde::Serialize;

use crate::instant;
use crate::period_word::{NamedPeriod, PeriodWord};

/// The period of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RequestedPeriod {
    /// From one instant to another.
    Dated(Period),
    /// That of a word, which also says what was before.
    Named(NamedPeriod),
}

impl RequestedPeriod {
    pub(crate) fn period(self) -> Period {
        match self {
            Self::Dated(period) | Self::Named(NamedPeriod { period, .. }) => period,
        }
    }
}

/// A second period to compare with.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// As requested.
    pub(crate) with: ComparedWith,
    pub(crate) period: Period,
    pub(crate) zone: Zone,
}

/// What a period is compared with.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ComparedWith {
    /// As much of the calendar before.
    Previous,
    /// The same dates a year earlier.
    Year,
    /// The time from one instant to another.
    #[serde(untagged)]
    Period(Timestamp, Timestamp),
}

/// What a period outside the calendar is told.
pub(crate) const OUTSIDE: &str = "must be a period of the years 0001 to 9999";

impl ComparedWith {
    /// Parses the parameter. A timestamp without an offset is a local time of the zone, and a word is that of today.
    pub(crate) fn parse(text: &str, today: NaiveDate, zone: &Zone) -> Result<Self, &'static str> {
        const EXPECTED: &str = "must be previous, year, a period such as 2026-Q3, or START/END such as 2026-07-01/2026-10-01";
        match text {
            "previous" => return Ok(Self::Previous),
            "year" => return Ok(Self::Year),
            _ => {}
        }
        let Some((start, end)) = text.split_once('/') else {
            let word: PeriodWord = text.parse().map_err(|_| EXPECTED)?;
            let named = word.on(today, zone).ok_or(OUTSIDE)?;
            return Ok(Self::Period(named.period.start, named.period.end));
        };
        let instant = |text| instant::parse(text, zone).map_err(|_| EXPECTED);
        Ok(Self::Period(instant(start)?, instant(end)?))
    }
}

impl Comparison {
    /// Finds the second period of this one. An error completes a sentence that begins with the parameter.
    pub(crate) fn of(
        requested: RequestedPeriod,
        with: ComparedWith,
        zone: Zone,
    ) -> Result<Self, &'static str> {
        let period = requested.period();
        if period.is_empty() {
            return Err("cannot be combined with an empty period");
        }
        let other = match with {
            ComparedWith::Previous => match requested {
                RequestedPeriod::Dated(_) => ClockPeriod::of(period, &zone).previous(&zone),
                RequestedPeriod::Named(named) => named.previous,
            },
            ComparedWith::Year => ClockPeriod::of(period, &zone).year_earlier(&zone),
            ComparedWith::Period(start, end) => Some(Period { start, end }),
        };
        let other = other.ok_or(OUTSIDE)?;
        if other.is_empty() {
            return Err("must not be an empty period");
        }
        if other.start < period.end && period.start < other.end {
            return Err("must be a period that does not overlap the requested one");
        }
        // The same dates, without a word, may be compared with others.
        let with = match requested {
            RequestedPeriod::Dated(_) => with,
            RequestedPeriod::Named(_) => ComparedWith::Period(other.start, other.end),
        };
        Ok(Self {
            with,
            period: other,
            zone,
        })
    }
}

/// A period, and what the clocks of its zone show at its start and its end.
struct ClockPeriod {
    period: Period,
    start: NaiveDateTime,
    end: NaiveDateTime,
}

impl ClockPeriod {
    fn of(period: Period, zone: &Zone) -> Self {
        Self {
            period,
            start: zone.clock(period.start),
            end: zone.clock(period.end),
        }
    }

    /// Returns the period before, of as many months, as much of the calendar's unit before, or as much time.
    fn previous(&self, zone: &Zone) -> Option<Period> {
        let (start, time) = match (self.whole_months(), self.unit()) {
            (Some(months), _) => (self.start.checked_sub_months(months)?, None),
            (None, Some(unit)) => {
                let first = unit.before(self.start.date(), 1)?;
                (first.and_time(NaiveTime::MIN), Some(self.end - self.start))
            }
            (None, None) => (self.start.checked_sub_signed(self.end - self.start)?, None),
        };
        let end = match time {
            Some(time) => zone
                .timestamp(start.checked_add_signed(time)?)?
                .min(self.period.start),
            None => self.period.start,
        };
        Some(Period {
            start: zone.timestamp(start)?,
            end,
        })
    }

    /// Returns the number of months, if the end is the start so many months later, or the start the end so many
    /// months earlier.
    fn whole_months(&self) -> Option<Months> {
        let Self { start, end, .. } = self;
        let years = end.year() - start.year();
        let months = 12 * years + end.month().cast_signed() - start.month().cast_signed();
        let months = Months::new(u32::try_from(months).ok().filter(|months| *months > 0)?);
        let is_whole = start.checked_add_months(months) == Some(*end)
            || end.checked_sub_months(months) == Some(*start);
        is_whole.then_some(months)
    }

    /// Returns the smallest of month, quarter and year that begins with the period and holds it.
    fn unit(&self) -> Option<Unit> {
        if self.start.time() != NaiveTime::MIN {
            return None;
        }
        let date = self.start.date();
        let begins_and_holds = |unit: &Unit| {
            let after = unit.after(date, 1);
            unit.first_date(date, WeekStart::Monday) == date
                && after.is_some_and(|after| self.end < after.and_time(NaiveTime::MIN))
        };
        let units = [Unit::Month, Unit::Quarter, Unit::Year];
        units.into_iter().find(begins_and_holds)
    }

    fn year_earlier(&self, zone: &Zone) -> Option<Period> {
        let earlier = |local: NaiveDateTime, otherwise: (u32, u32)| {
            let (year, date) = (local.year() - 1, local.date());
            let (month, day) = otherwise;
            let date = date
                .with_year(year)
                .or_else(|| NaiveDate::from_ymd_opt(year, month, day))?;
            zone.timestamp(date.and_time(local.time()))
        };
        Some(Period {
            start: earlier(self.start, (2, 28))?,
            end: earlier(self.end, (3, 1))?,
        })
    }
}
