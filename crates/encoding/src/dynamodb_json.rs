//! Items in DynamoDB's JSON.

use std::fmt;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;
use shared::items::{Item, Json, transcode};

/// Decodes an item; returns `None` if it is damaged.
pub fn decode(json: &[u8]) -> Option<Item> {
    let mut json = serde_json::Deserializer::from_slice(json);
    let item = item(&mut json).ok()?;
    json.end().ok()?;
    Some(item)
}

/// Decodes an attribute; returns `None` if it is damaged.
pub(super) fn decode_value(json: &str) -> Option<AttributeValue> {
    serde_json::from_str::<Owned>(json)
        .ok()
        .map(AttributeValue::from)
}

/// Encodes an item with its members in their order, so that equal items are equal texts. Returns
/// `None` if the type of an attribute is unknown.
pub fn encode(item: &Item) -> Option<String> {
    serde_json::to_string(&SortedMembers(item)).ok()
}

/// Returns a value as plain JSON (contract, section 3).
pub(super) fn value_json(value: &AttributeValue) -> Option<Box<RawValue>> {
    let typed = serde_json::to_string(&TypedValue(value)).ok()?;
    let mut plain = Vec::new();
    Json::read(&typed, |json| transcode(json, &mut plain))?.then_some(())?;
    RawValue::from_string(String::from_utf8(plain).ok()?).ok()
}

/// Appends a text as JSON.
pub(super) fn push_string(text: &str, out: &mut String) {
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    if text.bytes().any(is_escaped) {
        // A text always serializes.
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

/// An item or a map, to serialize.
struct SortedMembers<'a>(&'a Item);

impl Serialize for SortedMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members: Vec<_> = self.0.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        let members = members.into_iter();
        serializer.collect_map(members.map(|(name, value)| (name, TypedValue(value))))
    }
}

/// An attribute, to serialize: an object with its type as the only member.
struct TypedValue<'a>(&'a AttributeValue);

impl Serialize for TypedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let base64 = |blob: &Blob| STANDARD.encode(blob);
        let mut object = serializer.serialize_map(Some(1))?;
        match self.0 {
            AttributeValue::S(text) => object.serialize_entry("S", text),
            AttributeValue::N(digits) => object.serialize_entry("N", digits),
            AttributeValue::Bool(flag) => object.serialize_entry("BOOL", flag),
            AttributeValue::Null(flag) => object.serialize_entry("NULL", flag),
            AttributeValue::M(members) => object.serialize_entry("M", &SortedMembers(members)),
            AttributeValue::L(list) => {
                object.serialize_entry("L", &list.iter().map(TypedValue).collect::<Vec<_>>())
            }
            AttributeValue::Ss(texts) => object.serialize_entry("SS", texts),
            AttributeValue::Ns(numbers) => object.serialize_entry("NS", numbers),
            AttributeValue::B(blob) => object.serialize_entry("B", &base64(blob)),
            AttributeValue::Bs(blobs) => {
                object.serialize_entry("BS", &blobs.iter().map(base64).collect::<Vec<_>>())
            }
            _ => Err(S::Error::custom("an attribute of an unknown type")),
        }?;
        object.end()
    }
}

/// An attribute, deserialized.
#[derive(serde::Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Owned {
    S(String),
    N(String),
    Bool(bool),
    Null(bool),
    M(#[serde(deserialize_with = "item")] Item),
    L(Vec<Owned>),
    Ss(Vec<String>),
    Ns(Vec<String>),
    B(Base64),
    Bs(Vec<Base64>),
}

struct Base64(Blob);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        Ok(Self(Blob::new(bytes)))
    }
}

impl From<Owned> for AttributeValue {
    fn from(value: Owned) -> Self {
        match value {
            Owned::S(text) => Self::S(text),
            Owned::N(digits) => Self::N(digits),
            Owned::Bool(flag) => Self::Bool(flag),
            Owned::Null(flag) => Self::Null(flag),
            Owned::M(members) => Self::M(members),
            Owned::L(list) => Self::L(list.into_iter().map(Self::from).collect()),
            Owned::Ss(texts) => Self::Ss(texts),
            Owned::Ns(numbers) => Self::Ns(numbers),
            Owned::B(Base64(blob)) => Self::B(blob),
            Owned::Bs(blobs) => Self::Bs(blobs.into_iter().map(|Base64(blob)| blob).collect()),
        }
    }
}

/// Deserializes an item or a map, without a map in between.
fn item<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Item, D::Error> {
    struct ItemVisitor;
    impl<'de> Visitor<'de> for ItemVisitor {
        type Value = Item;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an item")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
            // Most items have a few attributes: no growing in steps.
            let mut members = Item::with_capacity(8);
            while let Some((name, value)) = map.next_entry::<_, Owned>()? {
                members.insert(name, value.into());
            }
            Ok(members)
        }
    }
    deserializer.deserialize_map(ItemVisitor)
}
