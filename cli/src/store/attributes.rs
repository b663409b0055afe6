//! Attribute values as the types of the model.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// An item as the SDK hands it over.
pub(super) type Item = HashMap<String, AttributeValue>;

/// An item whose attributes are taken one by one, noting whether one is damaged, that is, of a
/// wrong type.
pub(super) struct Attributes {
    item: Item,
    pub(super) damaged: bool,
}

impl Attributes {
    pub(super) fn new(item: Item) -> Self {
        Self {
            item,
            damaged: false,
        }
    }

    /// Takes an attribute. A stored `NULL` is an absent one.
    pub(super) fn take<T>(
        &mut self,
        name: &str,
        decode: impl FnOnce(AttributeValue) -> Option<T>,
    ) -> Option<T> {
        let value = self.item.remove(name).filter(|value| !value.is_null())?;
        let decoded = decode(value);
        self.damaged |= decoded.is_none();
        decoded
    }
}

pub(super) fn string(value: AttributeValue) -> Option<String> {
    if let AttributeValue::S(text) = value {
        Some(text)
    } else {
        None
    }
}

#[allow(clippy::needless_pass_by_value)] // what `take` asks for
pub(super) fn boolean(value: AttributeValue) -> Option<bool> {
    if let AttributeValue::Bool(flag) = value {
        Some(flag)
    } else {
        None
    }
}

/// A string that is one of the model's types.
pub(super) fn parsed<T: std::str::FromStr>(value: AttributeValue) -> Option<T> {
    string(value)?.parse().ok()
}

/// The value as JSON (contract, section 3).
pub(super) fn json(value: &AttributeValue) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(&Json(value)).ok()
}

struct Json<'a>(&'a AttributeValue);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            AttributeValue::S(text) => serializer.serialize_str(text),
            AttributeValue::N(digits) => number(digits)
                .ok_or_else(|| S::Error::custom("not a number"))?
                .serialize(serializer),
            AttributeValue::Bool(flag) => serializer.serialize_bool(*flag),
            AttributeValue::Null(_) => serializer.serialize_unit(),
            // The SDK hands maps over in a new order each time; sorted, equal users make equal
            // answers.
            AttributeValue::M(map) => serializer.collect_map(
                map.iter()
                    .map(|(name, value)| (name, Json(value)))
                    .collect::<BTreeMap<_, _>>(),
            ),
            AttributeValue::L(list) => serializer.collect_seq(list.iter().map(Json)),
            AttributeValue::Ss(texts) => serializer.collect_seq(texts),
            AttributeValue::Ns(numbers) => {
                let numbers: Vec<_> = numbers
                    .iter()
                    .map(|digits| number(digits))
                    .collect::<Option<_>>()
                    .ok_or_else(|| S::Error::custom("not a number"))?;
                serializer.collect_seq(numbers)
            }
            AttributeValue::B(blob) => serializer.serialize_str(&STANDARD.encode(blob)),
            AttributeValue::Bs(blobs) => {
                serializer.collect_seq(blobs.iter().map(|blob| STANDARD.encode(blob)))
            }
            _ => Err(S::Error::custom("an attribute of an unknown type")),
        }
    }
}

/// DynamoDB's decimal text as it is, if it is one: a double would lose digits beyond the sixteenth.
pub(super) fn number(digits: &str) -> Option<&RawValue> {
    let begins_as_one = digits.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    serde_json::from_str(digits)
        .ok()
        .filter(|_: &&RawValue| begins_as_one)
}
