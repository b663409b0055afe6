//! Periods of the calendar: the default one, the one before, and their dates in words.

use anyhow::Context;
use chrono::{DateTime, Datelike as _, Days, Months, NaiveDateTime, NaiveTime, Utc};
use model::{Timestamp, Unit};

use super::answer::TimeSpan;
use super::named_period::NamedPeriod;
use super::query::StatisticsRequest;
use crate::client::UNEXPECTED;

/// A period as the clocks of its zone show it: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalPeriod {
    pub(crate) start: NaiveDateTime,
    pub(crate) end: NaiveDateTime,
}

impl StatisticsRequest {
    /// Fills in the period that is named, or else what is missing of the default one, the last 30 days.
    pub(crate) fn with_default_period(mut self, now: DateTime<Utc>) -> Self {
        let today = self.timezone.clone().unwrap_or_default().local(now).date();
        if self.period.is_some() {
            // Files have filled in the period of their records.
            (self.start, self.end) = (None, None);
        }
        let period = self.period.unwrap_or(NamedPeriod::Days(30));
        if self.end.is_none()
            && let Some((start, end)) = period.dates(today)
        {
            self.start.get_or_insert(start.to_string());
            self.end = Some(end.to_string());
        }
        self
    }

    /// Fills in the days from the first to the last of these instants.
    pub(crate) fn fill_period(&mut self, first: Timestamp, last: Timestamp) {
        let zone = self.timezone.clone().unwrap_or_default();
        let day = |at: Timestamp| zone.local(at.into()).date();
        let end = day(last).checked_add_days(Days::new(1));
        let end = end.filter(|end| end.year() <= 9999);
        let end = end.map_or("9999-12-31T23:59:59.999Z".to_owned(), |end| end.to_string());
        self.start.get_or_insert_with(|| day(first).to_string());
        self.end.get_or_insert(end);
    }

    /// Returns the same request for another period.
    pub(crate) fn during(&self, period: &LocalPeriod) -> Self {
        let text = |time: NaiveDateTime| time.format("%Y-%m-%dT%H:%M:%S%.3f").to_string();
        Self {
            start: Some(text(period.start)),
            end: Some(text(period.end)),
            ..self.clone()
        }
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
        })
    }

    /// Returns the period that this one is compared with, as on the page: the same days a year earlier for eleven
    /// whole months and the one that runs, and else the period before, of as many months or days; `None` if no
    /// calendar here reaches that far back.
    pub(crate) fn before(&self) -> Option<Self> {
        let Self { start, end } = *self;
        let months = (end.year() - start.year()) * 12 + end.month().cast_signed()
            - start.month().cast_signed();
        let months = Months::new(u32::try_from(months).ok()?);
        let begins_month = start.day() == 1 && start.time() == NaiveTime::MIN;
        let after = |months| start.checked_add_months(Months::new(months));
        if begins_month && after(11)? < end && end < after(12)? {
            return Some(Self {
                start: start.checked_sub_months(Months::new(12))?,
                end: end.checked_sub_months(Months::new(12))?,
            });
        }
        let is_whole = start.checked_add_months(months) == Some(end)
            || end.checked_sub_months(months) == Some(start);
        let before = if is_whole {
            start.checked_sub_months(months)
        } else {
            start.checked_sub_signed(end - start)
        };
        let before = before.filter(|before| before.year() >= 1)?;
        Some(Self {
            start: before,
            end: start,
        })
    }

    /// Returns the shortest unit that divides the period into at most 40 intervals, as on the page.
    pub(crate) fn readable_unit(&self) -> Unit {
        const MOST_DAYS: [(i64, Unit); 4] = [
            (40, Unit::Day),
            (273, Unit::Week),
            (1187, Unit::Month),
            (3561, Unit::Quarter),
        ];
        let days = (self.end - self.start).num_days();
        let unit = MOST_DAYS.into_iter().find(|(most, _)| days <= *most);
        unit.map_or(Unit::Year, |(_, unit)| unit)
    }

    /// Returns the first and the last day, such as `24 Oct – 22 Nov 2026`, and their times if it is not
    /// made of whole days.
    pub(crate) fn words(&self) -> String {
        let (start, end, last) = (self.start, self.end, self.last());
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
