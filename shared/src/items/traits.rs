//! The traits of users and response records.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::value::RawValue;

use super::Item;
use crate::model::{Decimal, Invalid};

/// The members of a JSON object. Their values are kept as text, so that no number loses a digit.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(transparent)]
pub struct Traits(BTreeMap<String, Box<RawValue>>);

impl<'a> FromIterator<(String, &'a RawValue)> for Traits {
    fn from_iter<I: IntoIterator<Item = (String, &'a RawValue)>>(members: I) -> Self {
        let members = members.into_iter();
        Self(
            members
                .map(|(name, value)| (name, value.to_owned()))
                .collect(),
        )
    }
}

impl Traits {
    /// Parses a JSON text; returns `None` if it is not an object.
    pub fn from_json(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok().map(Self)
    }

    /// Encodes the members as a map.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB would refuse.
    pub(super) fn encode(&self) -> Result<AttributeValue, Invalid> {
        let members = self.0.iter();
        encode_members(members.map(|(name, value)| (name.as_str(), &**value)), 1)
    }
}

/// Encodes JSON that is nested in `level - 1` maps or lists.
fn encode(json: &str, level: u32) -> Result<AttributeValue, Invalid> {
    const MAX_LEVEL: u32 = 31;
    const NOT_JSON: Invalid = Invalid("must be JSON");
    Ok(match json.as_bytes() {
        [b'{' | b'[', ..] if level > MAX_LEVEL => {
            return Err(Invalid("must not be nested deeper than 31 levels"));
        }
        [b'{', ..] => {
            let members: BTreeMap<String, &RawValue> =
                serde_json::from_str(json).map_err(|_| NOT_JSON)?;
            encode_members(
                members.iter().map(|(name, value)| (name.as_str(), *value)),
                level,
            )?
        }
        [b'[', ..] => {
            let values: Vec<&RawValue> = serde_json::from_str(json).map_err(|_| NOT_JSON)?;
            let encoded = values
                .into_iter()
                .map(|value| encode(value.get(), level + 1));
            AttributeValue::L(encoded.collect::<Result<_, _>>()?)
        }
        [b'"', ..] => AttributeValue::S(serde_json::from_str(json).map_err(|_| NOT_JSON)?),
        b"true" => AttributeValue::Bool(true),
        b"false" => AttributeValue::Bool(false),
        b"null" => AttributeValue::Null(true),
        _ => number(json)?,
    })
}

/// Encodes a JSON number as DynamoDB would return it, so that equal numbers are equal attributes.
fn number(json: &str) -> Result<AttributeValue, Invalid> {
    let number: Decimal = json.parse().map_err(|_| {
        Invalid(
            "must not hold numbers that DynamoDB cannot keep: at most 38 significant digits, and 0 or 1E-130 to 9.99E+125",
        )
    })?;
    Ok(AttributeValue::N(number.to_string()))
}

fn encode_members<'a>(
    members: impl Iterator<Item = (&'a str, &'a RawValue)>,
    level: u32,
) -> Result<AttributeValue, Invalid> {
    let mut encoded = Item::with_capacity(members.size_hint().0);
    for (name, value) in members {
        if name.is_empty() {
            return Err(Invalid("must not have empty names"));
        }
        encoded.insert(name.to_owned(), encode(value.get(), level + 1)?);
    }
    Ok(AttributeValue::M(encoded))
}
