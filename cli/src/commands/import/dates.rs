//! Dates as a table writes them.

use chrono::format::{Parsed, StrftimeItems, parse};
use chrono::{DateTime, LocalResult, NaiveTime, TimeZone, Utc};
use chrono_tz::Tz;

use super::record::quoted;

/// How dates are written, and where their clock stood.
#[derive(Debug, Clone)]
pub(crate) struct Dates {
    format: String,
    zone: Tz,
}

impl Dates {
    pub(crate) fn new(format: &str, zone: Tz) -> Self {
        Self {
            format: format.to_owned(),
            zone,
        }
    }

    /// The instant in ISO 8601.
    pub(crate) fn canonical(&self, text: &str) -> Result<String, String> {
        let mut parsed = Parsed::new();
        parse(&mut parsed, text.trim(), StrftimeItems::new(&self.format))
            .map_err(|_| format!("{} is not written as {:?}", quoted(text), self.format))?;
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
                .map_err(|_| "is no instant".to_owned());
        }
        let local = parsed
            .to_naive_datetime_with_offset(0)
            .or_else(|_| Ok(parsed.to_naive_date()?.and_time(NaiveTime::MIN)))
            .map_err(|_: chrono::ParseError| "is no date".to_owned())?;
        if parsed.timestamp().is_some() {
            return Ok(local.and_utc());
        }
        match self.zone.from_local_datetime(&local) {
            // When clocks are set back an hour happens twice; nobody can tell which one it was.
            LocalResult::Single(instant) | LocalResult::Ambiguous(instant, _) => {
                Ok(instant.to_utc())
            }
            LocalResult::None => Err(format!(
                "did not happen in {}, where clocks were set forward",
                self.zone
            )),
        }
    }
}

/// A strftime format that dates can be read with.
pub(super) fn format(text: &str) -> Result<String, String> {
    StrftimeItems::new(text)
        .parse()
        .map_err(|_| "is not a format as strftime has them, such as '%m/%d/%Y %H:%M:%S'".to_owned())
        .map(|_| text.to_owned())
}
