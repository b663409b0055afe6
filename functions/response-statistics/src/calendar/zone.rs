//! Time zones: the offset at an instant, and the instant of a local time.

use std::str::FromStr;

use chrono::{
    DateTime, Datelike, FixedOffset, NaiveDateTime, SecondsFormat, TimeDelta, Timelike, Utc,
};
use jiff::civil;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use shared::model::{Invalid, Timestamp};

/// A zone of the tz database that this program contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Zone(TimeZone);

impl Default for Zone {
    fn default() -> Self {
        Self(TimeZone::UTC)
    }
}

/// Accepts the names of the tz database exactly as it writes them, links included.
impl FromStr for Zone {
    type Err = Invalid;

    fn from_str(name: &str) -> Result<Self, Invalid> {
        // Jiff ignores case, and knows a zone that the tz database does not have.
        let exact = |zone: &TimeZone| zone.iana_name() == Some(name) && !zone.is_unknown();
        TimeZoneDatabase::bundled()
            .get(name)
            .ok()
            .filter(exact)
            .map(Self)
            .ok_or(Invalid(
                "must be the name of a time zone, such as Europe/Prague or UTC",
            ))
    }
}

impl Zone {
    /// Returns the name in the tz database.
    pub(crate) fn name(&self) -> &str {
        self.0.iana_name().unwrap_or_default()
    }

    /// Parses a timestamp, which is a time of this zone if it has no offset.
    pub(crate) fn parse_timestamp(&self, text: &str) -> Result<Timestamp, Invalid> {
        Timestamp::parse_with(text, |local| self.first_instant(local))
    }

    /// Returns what the zone's clocks show at this instant.
    pub(crate) fn local(&self, instant: DateTime<Utc>) -> NaiveDateTime {
        let offset = self.0.to_offset(timestamp(instant));
        instant.naive_utc() + seconds(offset)
    }

    /// Returns the first instant at which the zone's clocks show this time. If they skip it, returns
    /// the first instant after the gap. Returns `None` in the years that the calendar does not have.
    pub(crate) fn first_instant(&self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        let at = |offset| local.and_utc().checked_sub_signed(seconds(offset));
        match self.0.to_ambiguous_timestamp(civil_time(local)?).offset() {
            AmbiguousOffset::Unambiguous { offset } => at(offset),
            AmbiguousOffset::Fold { before, .. } => at(before),
            AmbiguousOffset::Gap { after, .. } => {
                // With the offset after the gap, a time in the gap is before the gap.
                let mut transitions = self.0.following(timestamp(at(after)?));
                let end = transitions.find(|transition| transition.offset() == after)?;
                DateTime::from_timestamp_millis(end.timestamp().as_millisecond())
            }
        }
    }

    /// Writes an instant in ISO 8601 with milliseconds and the zone's offset: as `Z` in UTC, and if
    /// the format cannot express the local time, because the offset has seconds or the year more or
    /// fewer than four digits.
    pub(crate) fn write(&self, instant: DateTime<Utc>) -> String {
        let zone = self.0.to_offset_info(timestamp(instant));
        let seconds = zone.offset().seconds();
        let local = FixedOffset::east_opt(seconds)
            .filter(|_| zone.abbreviation() != "UTC" && seconds % 60 == 0)
            .map(|offset| instant.with_timezone(&offset))
            .filter(|local| (1..=9999).contains(&local.year()));
        match local {
            Some(local) => local.to_rfc3339_opts(SecondsFormat::Millis, false),
            None => instant.to_rfc3339_opts(SecondsFormat::Millis, true),
        }
    }
}

fn seconds(offset: Offset) -> TimeDelta {
    TimeDelta::seconds(offset.seconds().into())
}

/// Returns the instant in jiff's type, which ends a day and two hours before the year 10000. No zone
/// changes its offset in that time.
fn timestamp(instant: DateTime<Utc>) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(instant.timestamp_millis()).unwrap_or(jiff::Timestamp::MAX)
}

/// Returns the local time in jiff's type, or `None` after the year 9999.
fn civil_time(local: NaiveDateTime) -> Option<civil::DateTime> {
    let small = |number: u32| i8::try_from(number).ok();
    civil::DateTime::new(
        i16::try_from(local.year()).ok()?,
        small(local.month())?,
        small(local.day())?,
        small(local.hour())?,
        small(local.minute())?,
        small(local.second())?,
        i32::try_from(local.nanosecond()).ok()?,
    )
    .ok()
}
