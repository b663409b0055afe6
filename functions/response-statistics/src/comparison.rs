//! The second period of a comparison (contract, section 4).

use chrono::{Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime};
use model::{Period, Timestamp, Zone};
use serde::Serialize;

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
    /// As many months or days before.
    Previous,
    /// The same dates a year earlier.
    Year,
    /// The time from one instant to another.
    #[serde(untagged)]
    Period(Timestamp, Timestamp),
}

impl ComparedWith {
    /// Parses the parameter. A timestamp without an offset is a local time of the zone.
    pub(crate) fn parse(text: &str, zone: &Zone) -> Result<Self, &'static str> {
        const EXPECTED: &str = "must be previous, year or START/END, two ISO 8601 timestamps";
        let (start, end) = match text {
            "previous" => return Ok(Self::Previous),
            "year" => return Ok(Self::Year),
            _ => text.split_once('/').ok_or(EXPECTED)?,
        };
        let instant = |text| zone.parse_timestamp(text).map_err(|_| EXPECTED);
        Ok(Self::Period(instant(start)?, instant(end)?))
    }
}

impl Comparison {
    /// Finds the second period of this one. An error completes a sentence that begins with the parameter.
    pub(crate) fn of(period: Period, with: ComparedWith, zone: Zone) -> Result<Self, &'static str> {
        if period.is_empty() {
            return Err("cannot be combined with an empty period");
        }
        let other = match with {
            ComparedWith::Previous => LocalPeriod::of(period, &zone).previous(&zone),
            ComparedWith::Year => LocalPeriod::of(period, &zone).year_earlier(&zone),
            ComparedWith::Period(start, end) => Some(Period { start, end }),
        };
        let other = other.ok_or("must be a period after the year 0000")?;
        if other.is_empty() {
            return Err("must not be an empty period");
        }
        if other.start < period.end && period.start < other.end {
            return Err("must be a period that does not overlap the one from startDate to endDate");
        }
        Ok(Self {
            with,
            period: other,
            zone,
        })
    }
}

/// A period, and what the clocks of its zone show at its start and its end.
struct LocalPeriod {
    period: Period,
    start: NaiveDateTime,
    end: NaiveDateTime,
}

impl LocalPeriod {
    fn of(period: Period, zone: &Zone) -> Self {
        Self {
            period,
            start: local(period.start, zone),
            end: local(period.end, zone),
        }
    }

    /// Returns the period before, of as many months, as much of the calendar's unit before, or as much time.
    fn previous(&self, zone: &Zone) -> Option<Period> {
        let (start, time) = match (self.whole_months(), self.unit()) {
            (Some(months), _) => (self.start.checked_sub_months(months)?, None),
            (None, Some(unit)) => {
                let start = self.start.checked_sub_months(unit)?;
                (start, Some(self.end - self.start))
            }
            (None, None) => (self.start.checked_sub_signed(self.end - self.start)?, None),
        };
        let end = match time {
            Some(time) => instant(start.checked_add_signed(time)?, zone)?.min(self.period.start),
            None => self.period.start,
        };
        Some(Period {
            start: instant(start, zone)?,
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

    /// Returns the months of the smallest of month, quarter and year that begins with the period and holds it.
    fn unit(&self) -> Option<Months> {
        let begins = self.start.day() == 1 && self.start.time() == NaiveTime::MIN;
        let fits = |months: &u32| {
            let end = self.start.checked_add_months(Months::new(*months));
            self.start.month0().is_multiple_of(*months) && end.is_some_and(|end| self.end < end)
        };
        [1, 3, 12]
            .into_iter()
            .find(|months| begins && fits(months))
            .map(Months::new)
    }

    fn year_earlier(&self, zone: &Zone) -> Option<Period> {
        let earlier = |local: NaiveDateTime, otherwise: (u32, u32)| {
            let (year, date) = (local.year() - 1, local.date());
            let (month, day) = otherwise;
            let date = date
                .with_year(year)
                .or_else(|| NaiveDate::from_ymd_opt(year, month, day))?;
            instant(date.and_time(local.time()), zone)
        };
        Some(Period {
            start: earlier(self.start, (2, 28))?,
            end: earlier(self.end, (3, 1))?,
        })
    }
}

/// Returns what the clocks of a zone show, or midnight at the first instant of a date without one.
pub(crate) fn local(at: Timestamp, zone: &Zone) -> NaiveDateTime {
    let local = zone.local(at.into());
    let midnight = local.date().and_time(NaiveTime::MIN);
    if instant(midnight, zone) == Some(at) {
        midnight
    } else {
        local
    }
}

fn instant(local: NaiveDateTime, zone: &Zone) -> Option<Timestamp> {
    Timestamp::from_instant(zone.earliest_or_gap_end(local)?)
}
