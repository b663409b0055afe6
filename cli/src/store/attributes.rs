//! Items as the SDK represents them, and their attributes as the types of the model.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;
use shared::store::json_number;

/// An item as the SDK represents it.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// Returns the item with these attributes only.
pub(super) fn project<const N: usize>(item: &Item, names: [&str; N]) -> Item {
    names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())))
        .collect()
}

/// Returns a string attribute.
pub(super) fn string(item: &Item, name: &str) -> Option<String> {
    item.get(name)?.as_s().ok().cloned()
}

/// Returns a boolean attribute.
pub(super) fn boolean(item: &Item, name: &str) -> Option<bool> {
    item.get(name)?.as_bool().ok().copied()
}

/// Parses a string attribute.
pub(super) fn parsed<T: std::str::FromStr>(item: &Item, name: &str) -> Option<T> {
    item.get(name)?.as_s().ok()?.parse().ok()
}

/// Returns an attribute as JSON (contract, section 3).
pub(super) fn json(item: &Item, name: &str) -> Option<Box<RawValue>> {
    value_json(item.get(name)?)
}

/// Returns a value as JSON.
pub(super) fn value_json(value: &AttributeValue) -> Option<Box<RawValue>> {
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
