//! Periods on the screen, as the clocks of their zones show them.

use anyhow::Context;
use chrono::{NaiveDateTime, NaiveTime};
use model::{Unit, WeekStart, Zone};
use response_statistics::TimeSpan;

use crate::client::UNEXPECTED;

/// A period as the clocks of its zone show it: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalPeriod {
    pub(crate) start: NaiveDateTime,
    pub(crate) end: NaiveDateTime,
}

impl LocalPeriod {
    /// Parses the period of an answer.
    pub(crate) fn of(interval: &TimeSpan, zone: &Zone) -> anyhow::Result<Self> {
        let parsed = |text: &str| {
            let instant = zone.parse_timestamp(text).ok().context(UNEXPECTED)?;
            anyhow::Ok(zone.clock(instant))
        };
        Ok(Self {
            start: parsed(&interval.start)?,
            end: parsed(&interval.end)?,
        })
    }

    /// Returns whether it is a part of an interval of the calendar.
    pub(crate) fn is_part_of(&self, unit: Unit, week_start: WeekStart) -> bool {
        let [first, after] = [self.start, self.end].map(|at| at.date());
        let is_whole =
            unit.first_date(first, week_start) == first && unit.after(first, 1) == Some(after);
        let are_midnights = [self.start, self.end].map(|at| at.time()) == [NaiveTime::MIN; 2];
        !(is_whole && are_midnights)
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}
