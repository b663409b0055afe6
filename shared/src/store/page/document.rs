//! The JSON of a page: its items, the capacity it consumed, and the key it ends with.

use aws_sdk_dynamodb::types::AttributeValue;

use super::{Item, Json, Scalar};

/// Reads the items of a page.
pub(in crate::store) trait ItemReader {
    /// Reads one item, attribute by attribute, in any order. Returns `None` if the JSON is
    /// malformed; a damaged item of well-formed JSON is for the reader to count.
    fn read_item(&mut self, item: &mut Json<'_>) -> Option<()>;
}

/// A page without its items.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) items: usize,
    pub(super) capacity_units: f64,
    /// The key after which the next page begins; `None` on the last page.
    pub(super) last_key: Option<Item>,
}

impl Page {
    /// Returns whether the page ends after the key that it begins after. Otherwise it repeats an earlier page,
    /// whose items would count twice.
    pub(super) fn advances(&self, after: Option<&Item>) -> bool {
        let (Some(last), Some(after)) = (&self.last_key, after) else {
            return true;
        };
        // Of a key, only the range attribute differs between the items of a Query.
        let mut differing = last
            .iter()
            .filter(|(name, value)| after.get(*name) != Some(value));
        match (differing.next(), differing.next()) {
            (Some((name, value)), None) => {
                let before = after.get(name).and_then(|value| value.as_s().ok());
                before.is_some_and(|before| value.as_s().is_ok_and(|value| value > before))
            }
            _ => false,
        }
    }
}

/// Reads a page; returns `None` if it is malformed, or has its items or its key twice.
pub(super) fn read(body: &[u8], reader: &mut impl ItemReader) -> Option<Page> {
    let text = std::str::from_utf8(body).ok()?;
    let mut page = Page::default();
    let mut has_items = false;
    Json::read(text, |json| {
        json.object(|json, name| match &*name {
            "Items" if !has_items => {
                has_items = true;
                json.array(|item| {
                    page.items += 1;
                    reader.read_item(item)
                })
            }
            "ConsumedCapacity" => json.object(|json, name| {
                if name != "CapacityUnits" {
                    return json.skip();
                }
                page.capacity_units = json.number()?;
                Some(())
            }),
            "LastEvaluatedKey" if page.last_key.is_none() => {
                page.last_key = Some(key(json)?);
                Some(())
            }
            "Items" | "LastEvaluatedKey" => None,
            _ => json.skip(),
        })
    })?;
    has_items.then_some(page)
}

/// Finds the key that a page ends with, without reading the items before it. Returns `None` on the
/// last page, and where the key is not near the end.
pub(super) fn last_key(body: &[u8]) -> Option<Item> {
    const MEMBER: &[u8] = br#""LastEvaluatedKey":"#;
    // A key has at most 3 kB, which escapes may lengthen.
    let tail = body.get(body.len().saturating_sub(8192)..)?;
    let at = tail
        .windows(MEMBER.len())
        .rposition(|name| name == MEMBER)?;
    // The rest parses as an object only if the member belongs to the document itself.
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

/// Reads a key of our tables, whose attributes are all strings.
fn key(json: &mut Json<'_>) -> Option<Item> {
    let mut key = Item::new();
    json.object(|json, name| {
        let text = Scalar::read(json)?.string()?.into_owned();
        key.insert(name.into_owned(), AttributeValue::S(text));
        Some(())
    })?;
    Some(key)
}
