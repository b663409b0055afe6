//! Instants, in the one form that keys and responses use; the period of a request; and time zones: the offset at
//! an instant, and the instant of a local time.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use chrono::{
    DateTime, Datelike, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat,
    TimeDelta, Utc,
};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, civil};
use serde::{Serialize, Serializer};

use crate::parsed::Invalid;

/// An instant in UTC, in whole milliseconds, in the years 0001 to 9999.
///
/// Its text always has the form `2026-01-31T08:30:00.000Z`, so texts sort as their instants do.
/// Parsing accepts every form of the contract, section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// 1970-01-01T00:00:00.000Z, the default of a stored user's `created`.
    pub const EPOCH: Self = Self(DateTime::UNIX_EPOCH);

    /// Returns the milliseconds from `earlier` to this instant; negative if `earlier` is later.
    pub fn millis_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0).num_milliseconds()
    }

    /// Returns the instant this many milliseconds later, or `None` outside the years 0001 to 9999.
    pub fn plus_millis(self, millis: i64) -> Option<Self> {
        let later = TimeDelta::try_milliseconds(millis)?;
        self.0
            .checked_add_signed(later)
            .and_then(Self::from_instant)
    }

    /// Returns the instant this many milliseconds after 1970-01-01T00:00Z, or `None` after the year
    /// 9999.
    pub fn from_unix_millis(millis: u64) -> Option<Self> {
        Self::from_instant(DateTime::from_timestamp_millis(millis.try_into().ok()?)?)
    }

    /// Returns the canonical text of the instant that this text denotes, if it denotes one.
    pub fn canonical(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
        let instant = parse(&text, in_utc).ok()?;
        // No other accepted form has this length and ends like this.
        if text.len() == "2026-01-31T08:30:00.000Z".len() && text.ends_with('Z') {
            return Some(text);
        }
        Some(Cow::Owned(instant.to_string()))
    }

    /// Returns the first instant of the year 0001.
    pub fn first() -> Self {
        // So many days are between 0001-01-01 and 1970-01-01.
        Self(DateTime::UNIX_EPOCH - TimeDelta::days(719_162))
    }

    /// Truncates an instant to the millisecond. Returns `None` outside the years 0001 to 9999.
    pub fn from_instant(instant: DateTime<Utc>) -> Option<Self> {
        let whole = DateTime::from_timestamp_millis(instant.timestamp_millis())?;
        (1..=9999).contains(&whole.year()).then_some(Self(whole))
    }
}

impl FromStr for Timestamp {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        parse(text, in_utc)
    }
}

impl From<Timestamp> for DateTime<Utc> {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The time over which statistics are computed: `start` inclusive, `end` exclusive, so that
/// adjoining periods neither overlap nor leave a gap (contract, Requests).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first instant of the period.
    pub start: Timestamp,
    /// The first instant after the period.
    pub end: Timestamp,
}

impl Period {
    pub const DEFAULT_DAYS: u64 = 30;

    /// Returns the period of a request that arrived at `now`: without `end` it ends now, without
    /// `start` it begins 30 days before its end, by the zone's clocks.
    ///
    /// Returns `None` when `start` is after a *given* end. A start that is after a defaulted end
    /// makes an empty period.
    pub fn of_request(
        start: Option<Timestamp>,
        end: Option<Timestamp>,
        now: Timestamp,
        zone: &Zone,
    ) -> Option<Self> {
        if start > end && end.is_some() {
            return None;
        }
        let end_or_now = end.unwrap_or(now);
        Some(Self {
            start: start.unwrap_or_else(|| zone.days_before(end_or_now, Self::DEFAULT_DAYS)),
            end: end_or_now,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}

#[allow(clippy::unnecessary_wraps)] // in other zones, a local time may not exist
fn in_utc(local: NaiveDateTime) -> Option<DateTime<Utc>> {
    Some(local.and_utc())
}

/// Parses `YYYY-MM-DD[THH:MM[:SS[.fraction]][Z|±HH:MM|±HHMM]]`. One without an offset is a local time,
/// which `local` turns into an instant. Written by hand because chrono's own parsers accept more than
/// that (signs, missing zeros, leap seconds) or less (no seconds, no offset).
fn parse(
    text: &str,
    local: impl FnOnce(NaiveDateTime) -> Option<DateTime<Utc>>,
) -> Result<Timestamp, Invalid> {
    instant(text, local)
        .and_then(Timestamp::from_instant)
        .ok_or(Invalid("must be an ISO 8601 timestamp"))
}

fn instant(
    text: &str,
    local: impl FnOnce(NaiveDateTime) -> Option<DateTime<Utc>>,
) -> Option<DateTime<Utc>> {
    let mut rest = Rest(text);
    let date = rest.date()?;
    let time = if rest.0.is_empty() {
        NaiveTime::MIN
    } else {
        rest.skip("T")?;
        rest.time()?
    };
    let date_time = date.and_time(time);
    if rest.0.is_empty() {
        return local(date_time);
    }
    let utc = date_time.checked_sub_offset(rest.offset()?)?.and_utc();
    rest.0.is_empty().then_some(utc)
}

/// The part of the text that is still to be parsed.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    fn date(&mut self) -> Option<NaiveDate> {
        let year = self.digits(4)?;
        self.skip("-")?;
        let month = self.digits(2)?;
        self.skip("-")?;
        NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, self.digits(2)?)
    }

    fn time(&mut self) -> Option<NaiveTime> {
        let hour = self.digits(2)?;
        self.skip(":")?;
        let minute = self.digits(2)?;
        let second = match self.skip(":") {
            Some(()) => self.digits(2)?,
            None => return NaiveTime::from_hms_opt(hour, minute, 0),
        };
        let milli = match self.skip(".") {
            Some(()) => self.fraction()?,
            None => 0,
        };
        NaiveTime::from_hms_milli_opt(hour, minute, second, milli)
    }

    /// Reads any number of digits, truncated to milliseconds.
    fn fraction(&mut self) -> Option<u32> {
        let (digits, rest) = self
            .0
            .split_at(self.0.bytes().take_while(u8::is_ascii_digit).count());
        self.0 = rest;
        let digit = |place| digits.as_bytes().get(place).map_or(0, |digit| digit - b'0');
        let millis = (0..3).fold(0, |millis, place| 10 * millis + u32::from(digit(place)));
        (!digits.is_empty()).then_some(millis)
    }

    fn offset(&mut self) -> Option<FixedOffset> {
        if self.skip("Z").is_some() {
            return FixedOffset::east_opt(0);
        }
        // An unescaped + in a query arrives as a space.
        let sign = match self.skip("-") {
            Some(()) => -1,
            None => self.skip("+").or_else(|| self.skip(" ")).map(|()| 1)?,
        };
        let hours = self.digits(2)?;
        let _colon = self.skip(":");
        let minutes = self.digits(2)?;
        let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
        // An offset of a day or more is invalid.
        let offset = FixedOffset::east_opt(sign * seconds)?;
        (minutes < 60).then_some(offset)
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.bytes().try_fold(0, |number, byte| {
            byte.is_ascii_digit()
                .then(|| 10 * number + u32::from(byte - b'0'))
        })
    }

    fn skip(&mut self, literal: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(literal)?;
        Some(())
    }
}

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
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or_default()
    }

    /// Parses a timestamp. One without an offset is a local time of this zone, or the end of the gap if
    /// the zone's clocks skip it.
    pub fn parse_timestamp(&self, text: &str) -> Result<Timestamp, Invalid> {
        parse(text, |local| self.earliest_or_gap_end(local))
    }

    /// Returns what the zone's clocks show at this instant.
    pub fn local(&self, instant: DateTime<Utc>) -> NaiveDateTime {
        let offset = self.0.to_offset(in_jiff(instant));
        instant.naive_utc() + seconds(offset)
    }

    /// Returns what the zone's clocks show at this instant, or midnight at the first instant of a date without one.
    pub fn clock(&self, at: Timestamp) -> NaiveDateTime {
        let local = self.local(at.into());
        let midnight = local.date().and_time(NaiveTime::MIN);
        if self.timestamp(midnight) == Some(at) {
            midnight
        } else {
            local
        }
    }

    /// Returns the first instant at which the zone's clocks show this time, or the first one after the
    /// gap if they skip it. Returns `None` after the year 9999.
    pub fn earliest_or_gap_end(&self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        let zoned = self.0.to_ambiguous_timestamp(civil_time(local)?);
        let after = match zoned.offset() {
            AmbiguousOffset::Unambiguous { offset } => return with_offset(local, offset),
            AmbiguousOffset::Fold { before, .. } => return with_offset(local, before),
            AmbiguousOffset::Gap { after, .. } => after,
        };
        // With the offset after the gap, a time in the gap is before the gap.
        let before = with_offset(local, after)?;
        let mut transitions = self.0.following(in_jiff(before));
        let end = transitions.find(|transition| transition.offset() == after)?;
        DateTime::from_timestamp_millis(end.timestamp().as_millisecond())
    }

    /// Returns the same as [`Self::earliest_or_gap_end`]; `None` also before the year 0001.
    pub fn timestamp(&self, local: NaiveDateTime) -> Option<Timestamp> {
        Timestamp::from_instant(self.earliest_or_gap_end(local)?)
    }

    /// Returns when the zone's clocks showed the same [time](Self::clock) so many days earlier, or the first instant of
    /// the year 0001 if that is later.
    pub fn days_before(&self, at: Timestamp, days: u64) -> Timestamp {
        let earlier = self.clock(at).checked_sub_days(Days::new(days));
        let instant = earlier.and_then(|local| self.timestamp(local));
        instant.unwrap_or_else(Timestamp::first)
    }

    /// Writes an instant in ISO 8601 with milliseconds and the zone's offset: as `Z` in UTC, and if
    /// the format cannot express the local time, because the offset has seconds or the year more or
    /// fewer than four digits.
    pub fn write(&self, instant: DateTime<Utc>) -> String {
        let zone = self.0.to_offset_info(in_jiff(instant));
        let seconds = zone.offset().seconds();
        let local = FixedOffset::east_opt(seconds).map(|offset| instant.with_timezone(&offset));
        match local {
            Some(local)
                if zone.abbreviation() != "UTC"
                    && seconds % 60 == 0
                    && (1..=9999).contains(&local.year()) =>
            {
                local.to_rfc3339_opts(SecondsFormat::Millis, false)
            }
            _ => instant.to_rfc3339_opts(SecondsFormat::Millis, true),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Option<String> {
        let canonical = Timestamp::canonical(text.into()).map(Cow::into_owned);
        let parsed = text.parse::<Timestamp>().ok();
        assert_eq!(canonical, parsed.map(|timestamp| timestamp.to_string()));
        canonical
    }

    #[test]
    fn every_form_of_the_contract_becomes_the_canonical_one() {
        for (text, expected) in [
            ("2026-01-31T08:30:00.000Z", "2026-01-31T08:30:00.000Z"),
            ("2026-01-31", "2026-01-31T00:00:00.000Z"),
            ("2026-01-31T08:30", "2026-01-31T08:30:00.000Z"),
            ("2026-01-31T08:30Z", "2026-01-31T08:30:00.000Z"),
            ("2026-01-31T08:30:05", "2026-01-31T08:30:05.000Z"),
            ("2026-01-31T08:30:05.5", "2026-01-31T08:30:05.500Z"),
            ("2026-01-31T08:30:05.12", "2026-01-31T08:30:05.120Z"),
            (
                "2026-01-31T08:30:05.123999999999Z",
                "2026-01-31T08:30:05.123Z",
            ),
            ("2026-01-31T08:30:00+02:00", "2026-01-31T06:30:00.000Z"),
            ("2026-01-31T08:30:00+0000", "2026-01-31T08:30:00.000Z"),
            ("2026-01-31T08:30:00 02:00", "2026-01-31T06:30:00.000Z"),
            ("2026-01-31T08:30-0130", "2026-01-31T10:00:00.000Z"),
            ("0000-12-31T23:30-01:00", "0001-01-01T00:30:00.000Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000Z"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        let words = "
            yesterday 2026 2026-01 20260131 2026-W05-6 2026-031 2026-1-31 2026-02-29 2026-13-01 1546300800
            2026-01-31T 2026-01-31T08 2026-01-31T0830 2026-01-31t08:30 2026-01-31T08:30z
            2026-01-31T24:00 2026-01-31T08:60 2026-01-31T23:59:60Z
            2026-01-31T08:30:05. 2026-01-31T08:30.5 2026-01-31T08:30:05,5
            2026-01-31T08:30+02 2026-01-31T08:30+24:00 2026-01-31T08:30+02:60 2026-01-31T08:30:00Z+02:00
            2026-01-31Z 2026-01-31+02:00 +2026-01-31 -026-01-31 02026-01-31
            0000-01-01 0001-01-01T00:00+00:01 9999-12-31T23:59-00:01
            2026-01-3\u{0661} 2026-01-31T08:30\u{2212}02:00
        ";
        let with_spaces = [
            "",
            " 2026-01-31",
            "2026-01-31 ",
            "2026-01-31 08:30",
            "2026-01-31T08:30  02:00",
        ];
        for text in words.split_whitespace().chain(with_spaces) {
            assert_eq!(canonical(text), None, "{text}");
        }
    }
}
