//! Dates in the format of a table.

use chrono::format::{Parsed, StrftimeItems, parse};
use chrono::{DateTime, LocalResult, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;

use crate::text::quoted;

/// The format of dates, and their time zone.
#[derive(Debug, Clone)]
pub(super) struct Dates {
    format: String,
    zone: Tz,
}

impl Dates {
    pub(super) fn new(format: &str, zone: Tz) -> Self {
        Self {
            format: format.to_owned(),
            zone,
        }
    }

    /// Converts a date to ISO 8601.
    pub(super) fn canonical(&self, text: &str) -> Result<String, String> {
        let mut parsed = Parsed::new();
        parse(&mut parsed, text.trim(), StrftimeItems::new(&self.format)).map_err(|_| {
            format!(
                "{} does not have the format {:?}",
                quoted(text),
                self.format
            )
        })?;
        let instant = self
            .instant(&parsed)
            .map_err(|reason| format!("{} {reason}", quoted(text)))?;
        Ok(instant.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
    }

    fn instant(&self, parsed: &Parsed) -> Result<DateTime<Utc>, String> {
        if parsed.offset().is_some() {
            let exact = parsed.to_datetime();
            return exact
                .map(|instant| instant.to_utc())
                .map_err(|_| "is not an instant".to_owned());
        }
        let local = parsed
            .to_naive_datetime_with_offset(0)
            .or_else(|_| Ok(parsed.to_naive_date()?.and_time(NaiveTime::MIN)))
            .map_err(|_: chrono::ParseError| "is not a date".to_owned())?;
        if parsed.timestamp().is_some() {
            return Ok(local.and_utc());
        }
        match self.zone.from_local_datetime(&local) {
            // When clocks are set back, an hour happens twice. This takes the first.
            LocalResult::Single(instant) | LocalResult::Ambiguous(instant, _) => {
                Ok(instant.to_utc())
            }
            LocalResult::None => Err(format!(
                "does not exist in {}, where clocks were set forward",
                self.zone
            )),
        }
    }
}

/// Checks a strftime format.
pub(super) fn parse_format(text: &str) -> Result<String, String> {
    StrftimeItems::new(text)
        .parse()
        .map_err(|_| "is not a strftime format, such as '%m/%d/%Y %H:%M:%S'".to_owned())
        .map(|_| text.to_owned())
}
