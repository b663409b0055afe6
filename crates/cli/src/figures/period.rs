//! Periods on the screen, as the clocks of their zones show them.

use anyhow::Context;
use chrono::{Datelike as _, Days, NaiveDateTime, NaiveTime, Timelike as _};
use model::{Unit, WeekStart};

use super::answer::TimeSpan;
use crate::client::UNEXPECTED;

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

    /// Returns whether it is a part of an interval of the calendar.
    pub(crate) fn is_part_of(&self, unit: Unit, week_start: WeekStart) -> bool {
        let [first, after] = [self.start, self.end].map(|at| at.date());
        let is_whole =
            unit.first_date(first, week_start) == first && unit.after(first, 1) == Some(after);
        // A day begins at one where clocks are set forward at midnight.
        let begins = |at: NaiveDateTime| at.time().hour() <= 1 && at.time().minute() == 0;
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
