//! Dates in the format of a table.

use chrono::format::{Parsed, StrftimeItems, parse};
use chrono::{DateTime, Datelike, NaiveTime, ParseError, Utc};
use shared::model::Zone;

use crate::text::quoted;

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

    /// Converts a date to ISO 8601. `Err` says why it is not one.
    pub fn canonical(&self, text: &str) -> Result<String, String> {
        let mut parsed = Parsed::new();
        parse(&mut parsed, text.trim(), StrftimeItems::new(&self.format)).map_err(|_| {
            format!(
                "{} does not have the format {:?}",
                quoted(text),
                self.format
            )
        })?;
        // `%Y` also reads the year 26, where `%y` was meant.
        let has_whole_year = |instant: &DateTime<Utc>| (1000..=9999).contains(&instant.year());
        let instant = self.instant(&parsed).and_then(|instant| {
            let instant = Some(instant).filter(has_whole_year);
            instant.ok_or_else(|| "is not in the years 1000 to 9999".to_owned())
        });
        let instant = instant.map_err(|reason| format!("{} {reason}", quoted(text)))?;
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
            .or_else(|_| Ok::<_, ParseError>(parsed.to_naive_date()?.and_time(NaiveTime::MIN)))
            .ok()
            .filter(|local| local.year() <= 9999)
            .ok_or("is not a date")?;
        if parsed.timestamp().is_some() {
            return Ok(local.and_utc());
        }
        // When clocks are set back, an hour happens twice. This takes the first.
        self.zone.earliest(local).ok_or_else(|| {
            let zone = &self.zone;
            format!("does not exist in {zone}, where clocks were set forward")
        })
    }
}

/// Checks a strftime format. `Err` says what is expected.
pub fn parse_format(text: &str) -> Result<String, String> {
    StrftimeItems::new(text)
        .parse()
        .map_err(|_| "is not a strftime format, such as '%m/%d/%Y %H:%M:%S'".to_owned())
        .map(|_| text.to_owned())
}
