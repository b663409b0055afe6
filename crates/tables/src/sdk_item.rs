//! Items as the SDK represents them, and DynamoDB's JSON.

use std::borrow::Cow;
use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use items::Json;
use serde_json::{Map, Value, json};
use store::Error;

use super::damaged;

pub(super) type Item = HashMap<String, AttributeValue>;

/// Decodes an item, or fails if it is damaged.
pub(super) fn decode(json: &str) -> Result<Item, Error> {
    Json::read(json, item).ok_or_else(damaged)
}

/// Encodes an item with its members in their order, so that equal items are equal texts. Fails if the type of
/// an attribute is unknown.
pub(super) fn encode(item: &Item) -> Result<String, Error> {
    let members = members(item).ok_or_else(damaged)?;
    Ok(Value::from(members).to_string())
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
            "L" => AttributeValue::L(json.elements(value)?),
            "SS" => AttributeValue::Ss(json.elements(text)?),
            "NS" => AttributeValue::Ns(json.elements(text)?),
            "B" => AttributeValue::B(blob(json)?),
            "BS" => AttributeValue::Bs(json.elements(blob)?),
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
