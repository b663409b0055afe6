//! Items in DynamoDB's JSON.

use std::borrow::Cow;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use shared::items::{Item, Json};

/// Decodes an item; returns `None` if it is damaged.
pub fn decode(json: &[u8]) -> Option<Item> {
    Json::read(str::from_utf8(json).ok()?, item)
}

/// Encodes an item with its members in their order, so that equal items are equal texts. Returns
/// `None` if the type of an attribute is unknown.
pub fn encode(item: &Item) -> Option<String> {
    Some(Value::from(members(item)?).to_string())
}

/// Appends a text as JSON.
pub(super) fn push_string(text: &str, out: &mut String) {
    let is_escaped = |byte: u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    if text.bytes().any(is_escaped) {
        // Serializing a string cannot fail.
        out.push_str(&serde_json::to_string(text).unwrap_or_default());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

/// Encodes the members of an item or a map, which sorts them.
fn members(item: &Item) -> Option<Map<String, Value>> {
    let members = item.iter();
    members
        .map(|(name, value)| Some((name.clone(), typed(value)?)))
        .collect()
}

/// Encodes an attribute: an object with its type as the only member.
fn typed(value: &AttributeValue) -> Option<Value> {
    let base64 = |blob: &Blob| STANDARD.encode(blob);
    Some(match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(digits) => json!({ "N": digits }),
        AttributeValue::Bool(flag) => json!({ "BOOL": flag }),
        AttributeValue::Null(flag) => json!({ "NULL": flag }),
        AttributeValue::M(map) => json!({ "M": members(map)? }),
        AttributeValue::L(list) => {
            json!({ "L": list.iter().map(typed).collect::<Option<Vec<_>>>()? })
        }
        AttributeValue::Ss(texts) => json!({ "SS": texts }),
        AttributeValue::Ns(numbers) => json!({ "NS": numbers }),
        AttributeValue::B(blob) => json!({ "B": base64(blob) }),
        AttributeValue::Bs(blobs) => {
            json!({ "BS": blobs.iter().map(base64).collect::<Vec<_>>() })
        }
        _ => return None,
    })
}

fn item(json: &mut Json<'_>) -> Option<Item> {
    // Most items have a few attributes: no growing in steps.
    let mut item = Item::with_capacity(8);
    json.object(|json, name| {
        item.insert(name.into_owned(), value(json)?);
        Some(())
    })?;
    Some(item)
}

fn value(json: &mut Json<'_>) -> Option<AttributeValue> {
    json.typed(|json, kind| {
        Some(match kind {
            "S" => AttributeValue::S(text(json)?),
            "N" => AttributeValue::N(text(json)?),
            "BOOL" => AttributeValue::Bool(json.boolean()?),
            "NULL" => AttributeValue::Null(json.boolean()?),
            "M" => AttributeValue::M(item(json)?),
            "L" => AttributeValue::L(list(json, value)?),
            "SS" => AttributeValue::Ss(list(json, text)?),
            "NS" => AttributeValue::Ns(list(json, text)?),
            "B" => AttributeValue::B(blob(json)?),
            "BS" => AttributeValue::Bs(list(json, blob)?),
            _ => return None,
        })
    })
}

fn text(json: &mut Json<'_>) -> Option<String> {
    json.string().map(Cow::into_owned)
}

fn blob(json: &mut Json<'_>) -> Option<Blob> {
    STANDARD.decode(&*json.string()?).ok().map(Blob::new)
}

/// Reads the elements of an array.
pub(super) fn list<'a, T>(
    json: &mut Json<'a>,
    element: fn(&mut Json<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut list = Vec::new();
    json.array(|json| {
        list.push(element(json)?);
        Some(())
    })?;
    Some(list)
}
