//! Items in DynamoDB's JSON.

use std::fmt;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

use super::Item;

/// Decodes an item; returns `None` if it is damaged.
pub fn decode(json: &[u8]) -> Option<Item> {
    serde_json::from_slice(json).ok().map(|Members(item)| item)
}

/// Encodes an item with its members in their order, so that equal items are equal texts. Returns
/// `None` if the type of an attribute is unknown.
pub fn encode(item: &Item) -> Option<String> {
    serde_json::to_string(&Borrowed(item)).ok()
}

/// An item or a map, to serialize.
struct Borrowed<'a>(&'a Item);

impl Serialize for Borrowed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members: Vec<_> = self.0.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        serializer.collect_map(
            members
                .into_iter()
                .map(|(name, value)| (name, Value(value))),
        )
    }
}

/// An attribute, to serialize: an object with its type as the only member.
struct Value<'a>(&'a AttributeValue);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let base64 = |blob: &Blob| STANDARD.encode(blob);
        let mut object = serializer.serialize_map(Some(1))?;
        match self.0 {
            AttributeValue::S(text) => object.serialize_entry("S", text),
            AttributeValue::N(digits) => object.serialize_entry("N", digits),
            AttributeValue::Bool(flag) => object.serialize_entry("BOOL", flag),
            AttributeValue::Null(flag) => object.serialize_entry("NULL", flag),
            AttributeValue::M(members) => object.serialize_entry("M", &Borrowed(members)),
            AttributeValue::L(list) => {
                object.serialize_entry("L", &list.iter().map(Value).collect::<Vec<_>>())
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

/// An item or a map, deserialized.
struct Members(Item);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Item;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an item")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
                // Most items have a few attributes: no growing in steps.
                let mut members = Item::with_capacity(8);
                while let Some((name, Owned(value))) = map.next_entry()? {
                    members.insert(name, value);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Object).map(Self)
    }
}

/// An attribute, deserialized.
struct Owned(AttributeValue);

impl<'de> Deserialize<'de> for Owned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = AttributeValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an attribute")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AttributeValue, A::Error> {
                let tag = map.next_key()?;
                let value = match tag.ok_or_else(|| A::Error::custom("no type"))? {
                    Type::S => AttributeValue::S(map.next_value()?),
                    Type::N => AttributeValue::N(map.next_value()?),
                    Type::Bool => AttributeValue::Bool(map.next_value()?),
                    Type::Null => AttributeValue::Null(map.next_value()?),
                    Type::M => AttributeValue::M(map.next_value::<Members>()?.0),
                    Type::L => {
                        let list: Vec<Owned> = map.next_value()?;
                        AttributeValue::L(list.into_iter().map(|Owned(value)| value).collect())
                    }
                    Type::Ss => AttributeValue::Ss(map.next_value()?),
                    Type::Ns => AttributeValue::Ns(map.next_value()?),
                    Type::B => AttributeValue::B(blob(&map.next_value::<String>()?)?),
                    Type::Bs => {
                        let texts: Vec<String> = map.next_value()?;
                        let blobs = texts.iter().map(|text| blob(text));
                        AttributeValue::Bs(blobs.collect::<Result<_, _>>()?)
                    }
                };
                match map.next_key::<Type>()? {
                    None => Ok(value),
                    Some(_) => Err(A::Error::custom("two types")),
                }
            }
        }
        deserializer.deserialize_map(Object).map(Self)
    }
}

/// The type of an attribute.
#[derive(serde::Deserialize)]
enum Type {
    S,
    N,
    #[serde(rename = "BOOL")]
    Bool,
    #[serde(rename = "NULL")]
    Null,
    M,
    L,
    #[serde(rename = "SS")]
    Ss,
    #[serde(rename = "NS")]
    Ns,
    B,
    #[serde(rename = "BS")]
    Bs,
}

fn blob<E: serde::de::Error>(base64: &str) -> Result<Blob, E> {
    STANDARD.decode(base64).map(Blob::new).map_err(E::custom)
}
