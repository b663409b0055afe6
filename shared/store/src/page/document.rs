//! The JSON of a page: its items, the capacity it consumed, and the key it ends with.

use model::items::{Json, Scalar};

use crate::capacity::capacity_units;
use crate::read::PageRead;

/// A page without its items.
#[derive(Debug, Default)]
pub(super) struct PageOutline {
    pub(super) items: u64,
    pub(super) capacity_units: f64,
    /// The range key after which the next page begins; `None` on the last page.
    pub(super) last_key: Option<String>,
}

/// Reads a page, and calls `item` with each of its items. Returns `None` if `item` does, which means that the
/// item is malformed, and if the page itself is malformed, or has its items or its key twice.
pub(super) fn read(
    body: &[u8],
    read: &PageRead,
    mut item: impl FnMut(&mut Json<'_>) -> Option<()>,
) -> Option<PageOutline> {
    let text = std::str::from_utf8(body).ok()?;
    let mut page = PageOutline::default();
    let mut has_items = false;
    Json::read(text, |json| {
        json.object(|json, name| match &*name {
            "Items" if !has_items => {
                has_items = true;
                json.array(|json| {
                    page.items += 1;
                    item(json)
                })
            }
            "ConsumedCapacity" => {
                page.capacity_units = capacity_units(json)?;
                Some(())
            }
            "LastEvaluatedKey" if page.last_key.is_none() => {
                page.last_key = Some(key(json, read)?);
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
pub(super) fn last_key(body: &[u8], read: &PageRead) -> Option<String> {
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
            last_key = Some(key(json, read)?);
            Some(())
        })
    })?;
    last_key
}

/// Reads the key that a page ends with, whose attributes are all strings; returns its range key.
fn key(json: &mut Json<'_>, read: &PageRead) -> Option<String> {
    let [_, range] = read.partition.table.key_names();
    let mut last = None;
    json.object(|json, name| {
        let text = Scalar::read(json)?.string()?;
        if name == range {
            last = Some(text.into_owned());
        }
        Some(())
    })?;
    last
}
