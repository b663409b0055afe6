//! A page's JSON: the records, and what stands around them.

use aws_sdk_dynamodb::types::AttributeValue;

use super::super::attributes::Item;
use super::{Json, Value};

/// What takes the records of a page.
pub(in crate::store) trait Records {
    /// Takes one record, attribute by attribute, in any order. `None` is malformed JSON; what is
    /// wrong with a record is for it to count.
    fn take(&mut self, item: &mut Json<'_>) -> Option<()>;
}

/// What stands around the records.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) records: usize,
    pub(super) capacity_units: f64,
    /// Where the next page begins.
    pub(super) last_key: Option<Item>,
}

/// Reads a page; `None` when it is malformed.
pub(super) fn read(body: &[u8], records: &mut impl Records) -> Option<Page> {
    let text = std::str::from_utf8(body).ok()?;
    let mut page = Page::default();
    let mut is_whole = false;
    Json::read(text, |json| {
        json.object(|json, name| match &*name {
            "Items" => {
                is_whole = true;
                json.array(|item| {
                    page.records += 1;
                    records.take(item)
                })
            }
            "ConsumedCapacity" => json.object(|json, name| {
                if name != "CapacityUnits" {
                    return json.skip();
                }
                page.capacity_units = json.number()?;
                Some(())
            }),
            "LastEvaluatedKey" => {
                page.last_key = Some(key(json)?);
                Some(())
            }
            _ => json.skip(),
        })
    })?;
    is_whole.then_some(page)
}

/// The key that a page ends with, without reading what stands before it; `None` also where it is
/// not near the end.
pub(super) fn last_key(body: &[u8]) -> Option<Item> {
    const MEMBER: &[u8] = br#""LastEvaluatedKey":"#;
    // A key is 3 kB at most, some of it perhaps escaped.
    let tail = body.get(body.len().saturating_sub(8192)..)?;
    let at = tail
        .windows(MEMBER.len())
        .rposition(|name| name == MEMBER)?;
    // Not the end of an object, unless the member is the document's own.
    let end = format!("{{{}", std::str::from_utf8(tail.get(at..)?).ok()?);
    let mut last_key = None;
    Json::read(&end, |json| {
        json.object(|json, name| {
            if name != "LastEvaluatedKey" {
                return json.skip();
            }
            last_key = Some(key(json)?);
            Some(())
        })
    })?;
    last_key
}

/// A key of our tables: strings throughout.
fn key(json: &mut Json<'_>) -> Option<Item> {
    let mut key = Item::new();
    json.object(|json, name| {
        let text = Value::read(json)?.string()?.into_owned();
        key.insert(name.into_owned(), AttributeValue::S(text));
        Some(())
    })?;
    Some(key)
}
