//! Converts DynamoDB's typed JSON directly to the plain JSON of the contract, section 3.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::value::RawValue;

use crate::json::{Json, Scalar};

pub fn append_string(text: &str, out: &mut String) {
    // Counted without an early end, many bytes at a time.
    let is_escaped = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    if text
        .as_bytes()
        .iter()
        .filter(|byte| is_escaped(byte))
        .count()
        == 0
    {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        // Serializing a string cannot fail.
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    }
}

/// Appends a typed value as plain JSON. Returns `None` if the text is malformed, and `false` if the
/// type is unknown; the caller then discards the output.
pub fn transcode(json: &mut Json<'_>, out: &mut String) -> Option<bool> {
    match json.plain_scalar() {
        Some(Scalar::String(text)) => {
            append_string(&text, out);
            return Some(true);
        }
        Some(Scalar::Number(digits)) => return Some(append_decimal(&digits, out)),
        _ => {}
    }
    json.typed(|json, kind| match kind {
        // Binary values are base64 already.
        "S" | "B" => {
            append_string(&json.string()?, out);
            Some(true)
        }
        "N" => decimal(json, out),
        "BOOL" => {
            out.push_str(if json.boolean()? { "true" } else { "false" });
            Some(true)
        }
        "NULL" => {
            json.skip()?;
            out.push_str("null");
            Some(true)
        }
        "M" => members(json, out),
        "L" => list(json, out, transcode),
        "NS" => list(json, out, decimal),
        "SS" | "BS" => list(json, out, |json, out| {
            append_string(&json.string()?, out);
            Some(true)
        }),
        _ => json.skip().map(|()| false),
    })
}

fn decimal(json: &mut Json<'_>, out: &mut String) -> Option<bool> {
    Some(append_decimal(&json.string()?, out))
}

/// Appends DynamoDB's decimal text; returns whether it is a number in JSON. It stays text, because a double
/// would lose digits beyond the sixteenth.
fn append_decimal(digits: &str, out: &mut String) -> bool {
    out.push_str(digits);
    let begins_as_one = digits.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    begins_as_one && serde_json::from_str::<&RawValue>(digits).is_ok()
}

fn list<'a>(
    json: &mut Json<'a>,
    out: &mut String,
    element: fn(&mut Json<'a>, &mut String) -> Option<bool>,
) -> Option<bool> {
    let mut all_valid = true;
    out.push('[');
    let start = out.len();
    json.array(|json| {
        all_valid &= element(json, out)?;
        out.push(',');
        Some(())
    })?;
    close(out, start, ']');
    Some(all_valid)
}

/// Appends the members of a map, sorted by name: DynamoDB keeps no order, and equal maps should
/// become equal JSON.
fn members<'a>(json: &mut Json<'a>, out: &mut String) -> Option<bool> {
    let mut all_valid = true;
    let mut places: Vec<(Cow<'a, str>, Range<usize>)> = Vec::new();
    out.push('{');
    let start = out.len();
    json.object(|json, name| {
        let begin = out.len();
        append_string(&name, out);
        out.push(':');
        all_valid &= transcode(json, out)?;
        out.push(',');
        places.push((name, begin..out.len()));
        Some(())
    })?;
    if !places.is_sorted_by(|(one, _), (other, _)| one <= other) {
        places.sort_by(|(one, _), (other, _)| one.cmp(other));
        let written = out.split_off(start);
        for (_, Range { start: begin, end }) in places {
            let member = written.get(begin - start..end - start);
            out.push_str(member.unwrap_or_default());
        }
    }
    close(out, start, '}');
    Some(all_valid)
}

/// Replaces the last comma after `start` with `end`, or appends `end` if there is none.
fn close(out: &mut String, start: usize, end: char) {
    if out.len() > start {
        out.pop();
    }
    out.push(end);
}
