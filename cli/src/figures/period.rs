//! Periods of the calendar: the default one, the one before, and their dates in words.

use anyhow::Context;
use chrono::{DateTime, Datelike as _, Days, Months, NaiveDateTime, NaiveTime, Utc};

use super::answer::TimeSpan;
use super::query::StatisticsRequest;
use crate::client::UNEXPECTED;

/// A period as the clocks of its zone show it: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalPeriod {
    pub(crate) start: NaiveDateTime,
    pub(crate) end: NaiveDateTime,
    /// Whether both are in UTC, as an answer says them where a zone's offset has seconds.
    is_utc: bool,
}

impl StatisticsRequest {
    /// Fills in the default period: until the end of today, from 29 days before today.
    pub(crate) fn with_default_period(mut self, now: DateTime<Utc>) -> Self {
        let today = self.timezone.clone().unwrap_or_default().local(now).date();
        if self.end.is_none() {
            let start = today.checked_sub_days(Days::new(29));
            self.start = self.start.or(start.map(|date| date.to_string()));
            let end = today.checked_add_days(Days::new(1));
            self.end = end.map(|date| date.to_string());
        }
        self
    }

    /// Returns the same question about the period before this one; `None` if no calendar here reaches that
    /// far back.
    pub(crate) fn before(&self, period: &LocalPeriod) -> Option<Self> {
        let before = period.before()?;
        let text = |time: NaiveDateTime| {
            let zone = if before.is_utc { "Z" } else { "" };
            time.format("%Y-%m-%dT%H:%M:%S%.3f").to_string() + zone
        };
        Some(Self {
            start: Some(text(before.start)),
            end: Some(text(before.end)),
            ..self.clone()
        })
    }
}

impl LocalPeriod {
    /// Parses the period of an answer.
    pub(crate) fn of(interval: &TimeSpan) -> anyhow::Result<Self> {
        let local = |text: &str| {
            let local = text.get(.."2026-01-31T00:00:00.000".len())?;
            NaiveDateTime::parse_from_str(local, "%Y-%m-%dT%H:%M:%S%.3f").ok()
        };
        Ok(Self {
            start: local(&interval.start).context(UNEXPECTED)?,
            end: local(&interval.end).context(UNEXPECTED)?,
            is_utc: interval.start.ends_with('Z'),
        })
    }

    /// Returns the period before: as many months if this one has whole months, or else as long.
    pub(crate) fn before(&self) -> Option<Self> {
        let Self { start, end, .. } = *self;
        let months = (end.year() - start.year()) * 12 + end.month().cast_signed()
            - start.month().cast_signed();
        let months = Months::new(u32::try_from(months).ok()?);
        let is_whole = start.checked_add_months(months) == Some(end) && end != start;
        let before = if is_whole {
            start.checked_sub_months(months)
        } else {
            start.checked_sub_signed(end - start)
        };
        let before = before.filter(|before| before.year() >= 1)?;
        Some(Self {
            start: before,
            end: start,
            ..*self
        })
    }

    /// Returns the first and the last day, such as `24 Oct – 22 Nov 2026`, and their times if it is not
    /// made of whole days.
    pub(crate) fn words(&self) -> String {
        let last = self.last();
        let year = if self.start.year() == last.year() {
            ""
        } else {
            " %Y"
        };
        self.format(year, " %Y")
    }

    /// Returns the same, without the years if both days are in the year of another period.
    pub(crate) fn words_beside(&self, other: &Self) -> String {
        let years = [self.start.year(), self.last().year()];
        if years == [other.last().year(); 2] {
            self.format("", "")
        } else {
            self.words()
        }
    }

    fn format(&self, first_year: &str, last_year: &str) -> String {
        let (start, last) = (self.start, self.last());
        let time = |at: NaiveDateTime| {
            if at.time() == NaiveTime::MIN {
                ""
            } else {
                " %H:%M"
            }
        };
        let first = start
            .format(&format!("%-d %b{first_year}{}", time(start)))
            .to_string();
        let end = last
            .format(&format!("%-d %b{last_year}{}", time(self.end)))
            .to_string();
        if start.date() == last.date() && self.start.time() == self.end.time() {
            return end;
        }
        format!("{first} – {end}")
    }

    /// Returns the last day of whole days, or else the end.
    fn last(&self) -> NaiveDateTime {
        let day_before = self.end.checked_sub_days(Days::new(1));
        let is_whole = self.end.time() == NaiveTime::MIN && self.end > self.start;
        day_before.filter(|_| is_whole).unwrap_or(self.end)
    }
}
