//! DynamoDB's typed JSON as the JSON of the contract, section 3, without anything in between.

use std::borrow::Cow;
use std::ops::Range;

use super::super::attributes::number;
use super::{Json, Value};

/// Appends a string as JSON. One that is borrowed had no escapes and needs none.
#[allow(clippy::ptr_arg)] // being borrowed says that there are no escapes
pub(in crate::store) fn quote(text: &Cow<'_, str>, out: &mut Vec<u8>) {
    if let Cow::Borrowed(text) = text {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        // Writing to memory cannot fail.
        serde_json::to_writer(out, text).unwrap_or_default();
    }
}

/// Appends a typed value as plain JSON. `false` when it is of no type that there is: what was
/// appended then has no meaning. `None` when the text is malformed.
pub(in crate::store) fn transcode(json: &mut Json<'_>, out: &mut Vec<u8>) -> Option<bool> {
    match json.scalar() {
        Some(Value::String(text)) => {
            quote(&text, out);
            return Some(true);
        }
        Some(Value::Number(digits)) => return Some(append_decimal(&digits, out)),
        _ => {}
    }
    let mut valid = false;
    json.object(|json, kind| {
        valid = match &*kind {
            // Binary values are base64 already.
            "S" | "B" => {
                quote(&json.string()?, out);
                true
            }
            "N" => decimal(json, out)?,
            "BOOL" => {
                out.extend_from_slice(if json.boolean()? { b"true" } else { b"false" });
                true
            }
            "NULL" => {
                json.skip()?;
                out.extend_from_slice(b"null");
                true
            }
            "M" => members(json, out)?,
            "L" => list(json, out, transcode)?,
            "NS" => list(json, out, decimal)?,
            "SS" | "BS" => list(json, out, |json, out| {
                quote(&json.string()?, out);
                Some(true)
            })?,
            _ => {
                json.skip()?;
                false
            }
        };
        Some(())
    })?;
    Some(valid)
}

fn decimal(json: &mut Json<'_>, out: &mut Vec<u8>) -> Option<bool> {
    Some(append_decimal(&json.string()?, out))
}

fn append_decimal(digits: &str, out: &mut Vec<u8>) -> bool {
    out.extend_from_slice(digits.as_bytes());
    number(digits).is_some()
}

fn list<'a>(
    json: &mut Json<'a>,
    out: &mut Vec<u8>,
    element: fn(&mut Json<'a>, &mut Vec<u8>) -> Option<bool>,
) -> Option<bool> {
    let mut all_valid = true;
    out.push(b'[');
    let start = out.len();
    json.array(|json| {
        all_valid &= element(json, out)?;
        out.push(b',');
        Some(())
    })?;
    close(out, start, b']');
    Some(all_valid)
}

/// Appends the members of a map, sorted by name: DynamoDB keeps no order, and equal users make
/// equal answers.
fn members<'a>(json: &mut Json<'a>, out: &mut Vec<u8>) -> Option<bool> {
    let mut all_valid = true;
    let mut places: Vec<(Cow<'a, str>, Range<usize>)> = Vec::new();
    out.push(b'{');
    let start = out.len();
    json.object(|json, name| {
        let begin = out.len();
        quote(&name, out);
        out.push(b':');
        all_valid &= transcode(json, out)?;
        out.push(b',');
        places.push((name, begin..out.len()));
        Some(())
    })?;
    if !places.is_sorted_by(|(one, _), (other, _)| one <= other) {
        places.sort_by(|(one, _), (other, _)| one.cmp(other));
        let written = out.split_off(start);
        for (_, place) in places {
            let place = place.start - start..place.end - start;
            out.extend_from_slice(written.get(place).unwrap_or_default());
        }
    }
    close(out, start, b'}');
    Some(all_valid)
}

/// Puts the end in the place of the last comma, or behind nothing.
fn close(out: &mut Vec<u8>, start: usize, end: u8) {
    match out.get_mut(start..).and_then(<[u8]>::last_mut) {
        Some(last_comma) => *last_comma = end,
        None => out.push(end),
    }
}
