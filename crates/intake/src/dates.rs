//! Dates in ISO 8601, and in a format of their own.

use std::fmt::Write as _;

use chrono::format::{Fixed, Item, Numeric, Parsed, StrftimeItems, parse};
use chrono::{DateTime, Datelike, ParseError, SecondsFormat, Utc};
use model::{Invalid, Timestamp, Zone};

use crate::reason::{Reason, quoted};

/// The format of dates, and their time zone.
#[derive(Debug, Clone)]
pub struct Dates {
    format: String,
    zone: Zone,
}

impl Dates {
    /// Reads dates in this strftime format. Those without an offset are local times of the zone.
    pub fn new(format: &str, zone: Zone) -> Self {
        Self {
            format: format.to_owned(),
            zone,
        }
    }

    /// Converts a date to ISO 8601.
    ///
    /// # Errors
    ///
    /// Returns why it is not one.
    pub fn canonical(&self, text: &str) -> Result<String, Reason> {
        let mut parsed = Parsed::new();
        parse(&mut parsed, text.trim(), StrftimeItems::new(&self.format)).map_err(|_| {
            format!(
                "{} does not have the format {:?}",
                quoted(text),
                self.format
            )
        })?;
        let instant = self.instant(parsed).and_then(|instant| {
            // `%Y` also reads the year 26, where `%y` was meant.
            if !(1000..=9999).contains(&instant.year()) {
                return Err("is not in the years 1000 to 9999".to_owned());
            }
            Ok(instant.to_rfc3339_opts(SecondsFormat::Millis, true))
        });
        instant.map_err(|reason| format!("{} {reason}", quoted(text)))
    }

    fn instant(&self, mut parsed: Parsed) -> Result<DateTime<Utc>, Reason> {
        let invalid = |_| "is not an instant".to_owned();
        // A zone's offset would move it to the next second.
        if parsed.second() == Some(60) {
            return Err("is a leap second".to_owned());
        }
        let is_date = complete(&mut parsed).map_err(invalid)?;
        if parsed.offset().is_some() || parsed.timestamp().is_some() {
            return Ok(parsed.to_datetime().map_err(invalid)?.to_utc());
        }
        let local = parsed.to_naive_datetime_with_offset(0).map_err(invalid)?;
        if local.year() > 9999 {
            return Err("is not in the years 1000 to 9999".to_owned());
        }
        // When clocks are set back, an hour happens twice. This takes the first.
        let instant = if is_date {
            self.zone.earliest_or_gap_end(local)
        } else {
            self.zone.earliest(local)
        };
        instant.ok_or_else(|| {
            let zone = &self.zone;
            format!("does not exist in {zone}, where clocks were set forward")
        })
    }
}

/// Completes a date alone, which is its midnight, and an hour alone. Anything else must be complete.
/// Returns whether it is a date alone.
fn complete(parsed: &mut Parsed) -> Result<bool, ParseError> {
    if parsed.timestamp().is_some() || parsed.minute().is_some() || parsed.second().is_some() {
        return Ok(false);
    }
    let is_date = parsed.hour_div_12().is_none() && parsed.hour_mod_12().is_none();
    if is_date {
        parsed.set_hour(0)?;
    }
    parsed.set_minute(0)?;
    Ok(is_date)
}

/// Checks that dates of a strftime format are instants.
///
/// # Errors
///
/// Returns what is expected.
pub fn parse_format(text: &str) -> Result<String, &'static str> {
    let items = StrftimeItems::new(text)
        .parse()
        .map_err(|_| "is not a strftime format, such as '%m/%d/%Y %H:%M:%S'")?;
    if items.contains(&Item::Fixed(Fixed::TimezoneName)) {
        return Err(
            "has %Z, but names such as CST stand for several offsets: give %z or --timezone",
        );
    }
    check_fields(&items)?;
    // 2001-02-03T16:05:06Z.
    let instant = DateTime::from_timestamp_secs(981_216_306).unwrap_or_default();
    // `%#z` can only be read.
    let writable = text.replace("%#z", "%z");
    let mut date = String::new();
    let written = write!(date, "{}", instant.format(&writable));
    let read = Dates::new(text, Zone::default()).canonical(&date);
    if written.is_err() || !read.is_ok_and(|read| read.starts_with("2001-02-03T")) {
        return Err(
            "does not tell instants: it needs a whole date, and of a time the hour (%I with %p), then minutes, \
             then seconds",
        );
    }
    Ok(text.to_owned())
}

/// Checks that no field is a likely mistake for another one, which would be read as a wrong instant.
fn check_fields(items: &[Item<'_>]) -> Result<(), &'static str> {
    let has = |number: &Numeric| {
        items
            .iter()
            .any(|item| matches!(item, Item::Numeric(found, _) if found == number))
    };
    if has(&Numeric::Nanosecond) {
        return Err("has %f, which counts nanoseconds: a fraction of a second is %.f or %3f");
    }
    let months = items.iter().filter(|item| {
        matches!(
            item,
            Item::Numeric(Numeric::Month, _)
                | Item::Fixed(Fixed::ShortMonthName | Fixed::LongMonthName)
        )
    });
    if months.count() > 1 && (has(&Numeric::Hour) || has(&Numeric::Hour12)) {
        return Err("has the month twice: minutes are %M");
    }
    Ok(())
}

/// Parses a date in ISO 8601. Unlike the API, files may have a space in place of the `T` and before the offset,
/// which may be `UTC` or hours alone (`+02`).
pub(crate) fn timestamp(text: &str) -> Result<Timestamp, Invalid> {
    text.parse().or_else(|invalid| {
        let other = in_form_of_the_api(text.trim());
        other.and_then(|text| text.parse().ok()).ok_or(invalid)
    })
}

fn in_form_of_the_api(text: &str) -> Option<String> {
    let (date, clock) = text.split_at_checked("2026-01-31".len())?;
    let mut clock = clock.strip_prefix([' ', 'T'])?.to_owned();
    if let Some((time, offset)) = clock.split_once(' ') {
        let offset = if offset == "UTC" { "Z" } else { offset };
        let is_offset = offset.starts_with(['Z', '+', '-']);
        clock = is_offset.then(|| format!("{time}{offset}"))?;
    }
    if let Some(at) = clock.rfind(['+', '-'])
        && clock.len() - at == "+02".len()
    {
        clock.push_str("00");
    }
    Some(format!("{date}T{clock}"))
}

/// Returns the formats that all of these texts have, of those that other services write. The empty one is
/// ISO 8601. Where the order of month and day is open, both are returned.
pub(crate) fn common_formats(texts: &[impl AsRef<str>]) -> impl Iterator<Item = String> {
    const DAYS: [&str; 4] = ["%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d"];
    const TIMES: [&str; 5] = ["", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p"];
    let days = DAYS.into_iter();
    let dates = days.flat_map(|day| TIMES.map(|time| format!("{day}{time}")));
    let formats = ["", "%s"].map(str::to_owned).into_iter().chain(dates);
    formats.filter(|format| texts.iter().all(|text| has_format(text.as_ref(), format)))
}

fn has_format(text: &str, format: &str) -> bool {
    match format {
        "" => timestamp(text).is_ok(),
        // Smaller numbers are not seconds since 1970.
        "%s" if text.len() < 9 => false,
        _ => Dates::new(format, Zone::default()).canonical(text).is_ok(),
    }
}

/// Returns whether the text is a timestamp with an offset, which needs neither a format nor a time zone.
pub(crate) fn is_exact(text: &str) -> bool {
    let time = text.split_once('T').map(|(_, time)| time);
    text.parse::<Timestamp>().is_ok()
        && time.is_some_and(|time| time.contains(['Z', '+', '-', ' ']))
}
