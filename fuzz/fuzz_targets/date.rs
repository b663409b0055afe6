#![no_main]
//! Checks dates of the API and of imports: what is accepted is an instant within the years 0001 to
//! 9999, and the same instant when it is written and read again.

use chrono::{DateTime, Utc};
use intake::{DateForm, Dates};
use libfuzzer_sys::fuzz_target;
use model::{Timestamp, Zone};

// A time zone, a format, and a date, on a line each.
fuzz_target!(|text: &str| {
    let mut lines = text.splitn(3, '\n');
    let (zone, format, date) = (lines.next(), lines.next(), lines.next());
    let zone: Zone = zone.unwrap_or_default().parse().unwrap_or_default();
    let date = date.unwrap_or_default();
    of_the_api(&zone, date);
    if let Ok(form) = format.unwrap_or_default().parse() {
        of_an_import(&zone, form, date);
    }
});

fn of_the_api(zone: &Zone, date: &str) {
    let canonical = Timestamp::canonical(date.into());
    let parsed = date.parse::<Timestamp>().ok();
    assert_eq!(
        canonical.as_deref(),
        parsed.map(|date| date.to_string()).as_deref()
    );
    if let Some(date) = parsed {
        assert_eq!(date.to_string().parse(), Ok(date));
    }
    if let Ok(date) = zone.parse_timestamp(date) {
        assert_eq!(date.to_string().parse(), Ok(date));
        let instant = DateTime::<Utc>::from(date);
        assert_eq!(zone.parse_timestamp(&zone.write(instant)), Ok(date));
        // When clocks are set back, the first of two instants is taken.
        let earliest = zone.earliest_or_gap_end(zone.local(instant));
        assert!(earliest.is_none_or(|earliest| earliest <= instant));
    }
}

fn of_an_import(zone: &Zone, form: DateForm, date: &str) {
    let is_of_the_api = form == DateForm::Format("%Y-%m-%dT%H:%M:%S".to_owned());
    let dates = Dates {
        forms: vec![form],
        zone: zone.clone(),
    };
    if let Ok(instant) = dates.read(date) {
        assert_eq!(instant.to_string().parse(), Ok(instant));
        // Formats accept more than the API does.
        if is_of_the_api && let Ok(of_the_api) = zone.parse_timestamp(date.trim()) {
            assert_eq!(of_the_api, instant);
        }
    }
}
