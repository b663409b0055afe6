//! Values of Extended JSON, as of `MongoDB`, which are written as objects: `{"$date":…}`, `{"$numberInt":"9"}`.

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat};
use serde::de::IgnoredAny;

use crate::json_object::{JsonString, elements, pairs};
use items::append_string;

/// Returns the JSON with plain values in the place of those. What is not valid stays as it is.
pub(crate) fn plain(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    if json.contains("\"$") && append(json, 0, &mut out).is_some() {
        Cow::Owned(out)
    } else {
        Cow::Borrowed(json)
    }
}

fn append(json: &str, depth: u32, out: &mut String) -> Option<()> {
    const MAX_DEPTH: u32 = 128;
    if depth > MAX_DEPTH {
        return None;
    }
    match json.as_bytes() {
        [b'{', ..] => {
            let members = pairs(json).ok()?;
            if let [(name, value)] = &*members
                && let Some(value) = scalar_of(name, value.get())
            {
                out.push_str(&value);
                return Some(());
            }
            out.push('{');
            for (n, (name, value)) in members.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                append_string(name, out);
                out.push(':');
                append(value.get(), depth + 1, out)?;
            }
            out.push('}');
        }
        [b'[', ..] => {
            out.push('[');
            for (n, element) in elements(json).ok()?.into_iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                append(element.get(), depth + 1, out)?;
            }
            out.push(']');
        }
        _ => out.push_str(json),
    }
    Some(())
}

/// Returns the plain JSON of a value, if this member makes an object one.
fn scalar_of<'a>(name: &str, value: &'a str) -> Option<Cow<'a, str>> {
    let string = || serde_json::from_str(value).ok();
    let text = || string().map(|JsonString(text)| text);
    match name {
        "$oid" => text().map(|_| value.into()),
        "$numberInt" | "$numberLong" | "$numberDouble" | "$numberDecimal" => {
            let number = text()?;
            let is_json = number.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                && serde_json::from_str::<IgnoredAny>(&number).is_ok();
            // `Infinity` and `NaN` stay texts.
            Some(if is_json { number } else { value.into() })
        }
        "$date" if text().is_some() => Some(value.into()),
        "$date" => {
            let plain = plain(value);
            let instant = DateTime::from_timestamp_millis(plain.parse().ok()?)?;
            let date = instant.to_rfc3339_opts(SecondsFormat::Millis, true);
            Some(format!("\"{date}\"").into())
        }
        _ => None,
    }
}
