//! Time zones: the offset at an instant, and the instant of a local time.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDateTime, SecondsFormat, TimeDelta, Utc};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, civil};

use crate::Invalid;
use crate::time::{self, Timestamp};

/// A zone of the tz database that this program contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

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

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Zone {
    /// Returns the name in the tz database.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or_default()
    }

    /// Parses a timestamp. One without an offset is a local time of this zone, or the end of the gap if
    /// the zone's clocks skip it.
    pub fn parse_timestamp(&self, text: &str) -> Result<Timestamp, Invalid> {
        time::parse(text, |local| self.earliest_or_gap_end(local))
    }

    /// Returns what the zone's clocks show at this instant.
    pub fn local(&self, instant: DateTime<Utc>) -> NaiveDateTime {
        let offset = self.0.to_offset(in_jiff(instant));
        instant.naive_utc() + seconds(offset)
    }

    /// Returns the first instant at which the zone's clocks show this time. Returns `None` if they skip
    /// it, and after the year 9999.
    pub fn earliest(&self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        match self.offsets(local)? {
            AmbiguousOffset::Unambiguous { offset } => with_offset(local, offset),
            AmbiguousOffset::Fold { before, .. } => with_offset(local, before),
            AmbiguousOffset::Gap { .. } => None,
        }
    }

    /// Returns the first instant at which the zone's clocks show this time, or the first one after the
    /// gap if they skip it. Returns `None` after the year 9999.
    pub fn earliest_or_gap_end(&self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        let AmbiguousOffset::Gap { after, .. } = self.offsets(local)? else {
            return self.earliest(local);
        };
        // With the offset after the gap, a time in the gap is before the gap.
        let before = with_offset(local, after)?;
        let mut transitions = self.0.following(in_jiff(before));
        let end = transitions.find(|transition| transition.offset() == after)?;
        DateTime::from_timestamp_millis(end.timestamp().as_millisecond())
    }

    fn offsets(&self, local: NaiveDateTime) -> Option<AmbiguousOffset> {
        Some(self.0.to_ambiguous_timestamp(civil_time(local)?).offset())
    }

    /// Writes an instant in ISO 8601 with milliseconds and the zone's offset: as `Z` in UTC, and if
    /// the format cannot express the local time, because the offset has seconds or the year more or
    /// fewer than four digits.
    pub fn write(&self, instant: DateTime<Utc>) -> String {
        let zone = self.0.to_offset_info(in_jiff(instant));
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

fn with_offset(local: NaiveDateTime, offset: Offset) -> Option<DateTime<Utc>> {
    local.and_utc().checked_sub_signed(seconds(offset))
}

fn seconds(offset: Offset) -> TimeDelta {
    TimeDelta::seconds(offset.seconds().into())
}

/// Returns the instant in jiff's type, which ends a day and two hours before the year 10000. No zone
/// changes its offset in that time.
fn in_jiff(instant: DateTime<Utc>) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(instant.timestamp_millis()).unwrap_or(jiff::Timestamp::MAX)
}

/// Returns the local time in jiff's type, or `None` after the year 9999.
fn civil_time(local: NaiveDateTime) -> Option<civil::DateTime> {
    let passed = SignedDuration::from_millis(local.and_utc().timestamp_millis());
    let epoch = civil::DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    epoch.checked_add(passed).ok()
}
