//! The traits of users and response records.

use std::collections::BTreeMap;

use model::{Decimal, Invalid};
use serde_json::value::RawValue;

use crate::item_members::ItemValue;
use crate::transcode::append_string;

/// The members of a JSON object. Their values are kept as text, so that no number loses a digit.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(transparent)]
pub struct Traits(BTreeMap<String, Box<RawValue>>);

impl<'a> FromIterator<(String, &'a RawValue)> for Traits {
    fn from_iter<I: IntoIterator<Item = (String, &'a RawValue)>>(members: I) -> Self {
        let owned = members
            .into_iter()
            .map(|(name, value)| (name, value.to_owned()));
        Self(owned.collect())
    }
}

impl FromIterator<(String, Box<RawValue>)> for Traits {
    fn from_iter<I: IntoIterator<Item = (String, Box<RawValue>)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl Traits {
    pub fn retain(&mut self, accepts: impl Fn(&str) -> bool) {
        self.0.retain(|name, _| accepts(name));
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Parses a JSON text; returns `None` if it is not an object.
    pub fn from_json(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok().map(Self)
    }

    /// Decodes an attribute; returns `None` if it is not a map.
    pub(crate) fn from_value(value: &ItemValue<'_>) -> Option<Self> {
        serde_json::from_str(&value.plain()?).ok().map(Self)
    }

    /// Appends the members as a map of DynamoDB's JSON.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub(crate) fn encode(&self, out: &mut String) -> Result<(), Invalid> {
        let texts = self.0.iter().map(|(name, value)| (name.as_str(), &**value));
        encode_members(texts, 1, out)
    }
}

const NOT_JSON: Invalid = Invalid("must be JSON");

/// Encodes JSON that is nested in `level - 1` maps or lists.
fn encode(json: &str, level: u32, out: &mut String) -> Result<(), Invalid> {
    const MAX_LEVEL: u32 = 31;
    match json.as_bytes() {
        [b'{' | b'[', ..] if level > MAX_LEVEL => {
            return Err(Invalid("must not be nested deeper than 31 levels"));
        }
        [b'{', ..] => {
            let members: BTreeMap<String, &RawValue> =
                serde_json::from_str(json).map_err(|_| NOT_JSON)?;
            let texts = members.iter().map(|(name, value)| (name.as_str(), *value));
            encode_members(texts, level, out)?;
        }
        [b'[', ..] => encode_list(json, level, out)?,
        [b'"', ..] => {
            out.push_str(r#"{"S":"#);
            encode_string(json, out)?;
            out.push('}');
        }
        b"true" => out.push_str(r#"{"BOOL":true}"#),
        b"false" => out.push_str(r#"{"BOOL":false}"#),
        b"null" => out.push_str(r#"{"NULL":true}"#),
        _ => {
            out.push_str(r#"{"N":""#);
            encode_number(json, out)?;
            out.push_str(r#""}"#);
        }
    }
    Ok(())
}

/// Encodes a string. Equal strings are equal texts.
fn encode_string(json: &str, out: &mut String) -> Result<(), Invalid> {
    if json.contains('\\') {
        let text: String = serde_json::from_str(json).map_err(|_| NOT_JSON)?;
        append_string(&text, out);
    } else {
        out.push_str(json);
    }
    Ok(())
}

/// Encodes a JSON number as DynamoDB would return it, so that equal numbers are equal texts.
fn encode_number(json: &str, out: &mut String) -> Result<(), Invalid> {
    // JSON has no leading zeros, so these are as DynamoDB returns them.
    if json.len() < 38 && json.bytes().all(|byte| byte.is_ascii_digit()) {
        out.push_str(json);
        return Ok(());
    }
    let number: Decimal = json.parse().map_err(|_| {
        Invalid(
            "must not hold numbers that DynamoDB cannot keep: at most 38 significant digits, \
             and 0 or 1E-130 to 9.99E+125",
        )
    })?;
    out.push_str(&number.to_string());
    Ok(())
}

fn encode_list(json: &str, level: u32, out: &mut String) -> Result<(), Invalid> {
    let values: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| NOT_JSON)?;
    out.push_str(r#"{"L":["#);
    for (n, value) in values.into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        encode(value.get(), level + 1, out)?;
    }
    out.push_str("]}");
    Ok(())
}

fn encode_members<'a>(
    members: impl Iterator<Item = (&'a str, &'a RawValue)>,
    level: u32,
    out: &mut String,
) -> Result<(), Invalid> {
    out.push_str(r#"{"M":{"#);
    for (n, (name, value)) in members.enumerate() {
        if name.is_empty() {
            return Err(Invalid("must not have empty names"));
        }
        if n > 0 {
            out.push(',');
        }
        append_string(name, out);
        out.push(':');
        encode(value.get(), level + 1, out)?;
    }
    out.push_str("}}");
    Ok(())
}
