//! The instants of a request, in the forms in which clients write them (contract, Timestamps). Stored items
//! have those of `model::time` alone, and files have more, which options name.

use model::{Invalid, Timestamp, Zone, parse_digits};

/// Parses an instant. One without an offset is a local time of the zone.
pub(crate) fn parse(text: &str, zone: &Zone) -> Result<Timestamp, Invalid> {
    let instant = match unix_millis(text) {
        Some(millis) => Timestamp::from_unix_millis(millis),
        None => zone.parse_timestamp(&in_extended_form(text)).ok(),
    };
    instant.ok_or(Invalid(
        "must be an ISO 8601 timestamp, such as 2026-09-01 or 2026-09-01T08:30:00Z",
    ))
}

/// Reads seconds, which have ten digits since 2001, or milliseconds, which have thirteen.
fn unix_millis(text: &str) -> Option<u64> {
    match text.len() {
        10 => Some(parse_digits::<u64>(text)? * 1000),
        13 => parse_digits(text),
        _ => None,
    }
}

/// Writes `20260901T083000` and `2026-09-01 08:30:00 UTC` in the form of `model::time`. What is neither remains
/// malformed.
fn in_extended_form(text: &str) -> String {
    let (date, rest) = text.split_at(text.find(['T', ' ']).unwrap_or(text.len()));
    let day = punctuated(date, '-', [4, 6]);
    let mut rest = rest.chars();
    let Some(separator) = rest.next() else {
        return day;
    };
    let time = rest.as_str();
    let end_of_clock = time.find(|c: char| !c.is_ascii_digit() && !".:".contains(c));
    let (clock, offset) = time.split_at(end_of_clock.unwrap_or(time.len()));
    // `2026-09-01 02:00` may be a date with an offset whose + was lost.
    let has_seconds = clock.len() >= "083000".len();
    let separator = if has_seconds { 'T' } else { separator };
    let clock = match date {
        _ if date.contains('-') => clock.to_owned(),
        _ => punctuated(clock, ':', [2, 4]),
    };
    let offset = match offset.trim_start_matches(' ') {
        "UTC" | "GMT" => "Z".to_owned(),
        // An unescaped + in a query arrives as a space.
        digits if digits.starts_with(|c: char| c.is_ascii_digit()) => format!("+{digits}"),
        // Spaces that precede nothing remain, so that the text remains malformed.
        "" => offset.to_owned(),
        other => other.to_owned(),
    };
    format!("{day}{separator}{clock}{offset}")
}

/// Sets marks before these places, unless the text has some.
fn punctuated(text: &str, mark: char, before: [usize; 2]) -> String {
    let mut marked = String::new();
    for (place, character) in text.char_indices() {
        if before.contains(&place) && !text.contains(mark) {
            marked.push(mark);
        }
        marked.push(character);
    }
    marked
}
