//! Items as the SDK represents them, and their attributes as the types of the model.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Table;
use super::json::Scalar;
use super::transcode::json_number;

/// An item as the SDK represents it.
pub type Item = HashMap<String, AttributeValue>;

/// Makes an item of the attributes that have a value.
pub(super) fn item<const N: usize>(
    attributes: [(&'static str, Option<AttributeValue>); N],
) -> Item {
    let mut item = Item::with_capacity(N);
    let known = attributes.into_iter();
    item.extend(known.filter_map(|(name, value)| Some((name.to_owned(), value?))));
    item
}

pub(super) fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// Returns the key of an item of this table.
pub fn key_of(table: Table, item: &Item) -> Item {
    let (hash, range) = table.key_names();
    let names = [Some(hash), range].into_iter().flatten();
    let key = names.filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())));
    key.collect()
}

/// Returns a string attribute.
pub fn string<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.get(name)?.as_s().ok().map(String::as_str)
}

/// Returns a boolean attribute.
pub fn boolean(item: &Item, name: &str) -> Option<bool> {
    item.get(name)?.as_bool().ok().copied()
}

/// Parses a string attribute.
pub fn parsed<T: FromStr>(item: &Item, name: &str) -> Option<T> {
    string(item, name)?.parse().ok()
}

/// Returns an attribute as requests decode it.
pub(super) fn scalar<'a>(item: &'a Item, name: &str) -> Scalar<'a> {
    match item.get(name) {
        None | Some(AttributeValue::Null(_)) => Scalar::Null,
        Some(AttributeValue::S(text)) => Scalar::String(text.into()),
        Some(AttributeValue::N(digits)) => Scalar::Number(digits.into()),
        Some(AttributeValue::Bool(flag)) => Scalar::Bool(*flag),
        Some(_) => Scalar::Other,
    }
}

/// Returns a value as JSON (contract, section 3).
pub fn value_json(value: &AttributeValue) -> Option<Box<RawValue>> {
    serde_json::value::to_raw_value(&Json(value)).ok()
}

struct Json<'a>(&'a AttributeValue);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            AttributeValue::S(text) => serializer.serialize_str(text),
            AttributeValue::N(digits) => number(digits)?.serialize(serializer),
            AttributeValue::Bool(flag) => serializer.serialize_bool(*flag),
            AttributeValue::Null(_) => serializer.serialize_unit(),
            // The SDK returns maps in random order; equal maps should become equal JSON.
            AttributeValue::M(map) => serializer.collect_map(
                map.iter()
                    .map(|(name, value)| (name, Json(value)))
                    .collect::<BTreeMap<_, _>>(),
            ),
            AttributeValue::L(list) => serializer.collect_seq(list.iter().map(Json)),
            AttributeValue::Ss(texts) => serializer.collect_seq(texts),
            AttributeValue::Ns(numbers) => {
                let numbers = numbers.iter().map(|digits| number(digits));
                serializer.collect_seq(numbers.collect::<Result<Vec<_>, S::Error>>()?)
            }
            AttributeValue::B(blob) => serializer.serialize_str(&STANDARD.encode(blob)),
            AttributeValue::Bs(blobs) => {
                serializer.collect_seq(blobs.iter().map(|blob| STANDARD.encode(blob)))
            }
            _ => Err(S::Error::custom("an attribute of an unknown type")),
        }
    }
}

fn number<E: serde::ser::Error>(digits: &str) -> Result<&RawValue, E> {
    json_number(digits).ok_or_else(|| E::custom("not a number"))
}
