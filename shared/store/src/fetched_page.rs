//! A page of a Query, and how it is decoded.
//!
//! The SDK signs, sends, retries and times out, but its `HashMap` for every item costs several times
//! more than all of that together. The body of the response is therefore kept as it is, and decoded
//! straight into what the caller needs, borrowing from it. A data folder returns the same bodies.

use std::sync::Arc;

use items::{Json, Partition, Scalar};

use crate::error::{Error, ErrorKind};
use crate::page_read::PageRead;
use crate::table_reader::{PageBody, TableReader};
use crate::usage::ReadUsage;

/// A page that is still to be decoded.
#[derive(Debug)]
pub(crate) struct FetchedPage {
    read: PageRead,
    body: PageBody,
}

impl FetchedPage {
    pub(crate) async fn fetch(tables: Arc<dyn TableReader>, read: PageRead) -> Result<Self, Error> {
        let body = tables.page(read.clone()).await?;
        Ok(Self { read, body })
    }

    /// Calls `item` with each item of the page. Returns the range key after which the next page begins;
    /// `None` on the last page.
    pub(crate) fn read(
        &self,
        item: impl FnMut(&mut Json<'_>) -> Option<()>,
        usage: &ReadUsage,
    ) -> Result<Option<String>, Error> {
        let outline = PageOutline::read(self.body.as_ref(), &self.read.partition, item);
        // A page that ends at the key after which it begins, or before that key, repeats an earlier page.
        let advances =
            |page: &PageOutline| page.last_key.is_none() || page.last_key > self.read.after;
        let Some(page) = outline.filter(advances) else {
            let code = "not a page of items";
            return Err(Error::new(ErrorKind::Damaged, self.read.operation(), code));
        };
        usage.add(|totals| {
            totals.pages += 1;
            totals.records += u64::from(page.items);
            totals.capacity_units += page.capacity_units;
        });
        Ok(page.last_key)
    }

    /// Finds the range key after which the next page begins, without decoding the items. Returns `None` on the last
    /// page, and if the page is malformed.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method itself is for one lifetime"
    )]
    pub(crate) fn last_key(&self) -> Option<String> {
        let partition = &self.read.partition;
        let outline = || PageOutline::read(self.body.as_ref(), partition, |json| json.skip());
        self.last_key_in_tail().or_else(|| outline()?.last_key)
    }

    /// Finds the key near the end, where DynamoDB writes it.
    fn last_key_in_tail(&self) -> Option<String> {
        const MEMBER: &[u8] = br#""LastEvaluatedKey":"#;
        let body = self.body.as_ref();
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
                last_key = Some(range_key(json, &self.read.partition)?);
                Some(())
            })
        })?;
        last_key
    }
}

/// A page without its items.
#[derive(Debug, Default)]
struct PageOutline {
    items: u32,
    capacity_units: f64,
    /// The range key after which the next page begins; `None` on the last page.
    last_key: Option<String>,
}

impl PageOutline {
    /// Reads a page, and calls `item` with each of its items. Returns `None` if `item` does, which means that
    /// the item is malformed, and if the page itself is malformed, has its items or its key twice, or as many items as
    /// it does not say.
    fn read(
        body: &[u8],
        partition: &Partition,
        mut item: impl FnMut(&mut Json<'_>) -> Option<()>,
    ) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        let mut page = Self::default();
        let mut has_items = false;
        // A data folder does not say it.
        let mut count = None;
        Json::read(text, |json| {
            json.object(|json, name| match &*name {
                "Items" if !has_items => {
                    has_items = true;
                    json.array(|json| {
                        page.items += 1;
                        item(json)
                    })
                }
                "Count" => {
                    count = Some(json.text()?.parse().ok()?);
                    Some(())
                }
                "ConsumedCapacity" => {
                    page.capacity_units = capacity_units(json)?;
                    Some(())
                }
                "LastEvaluatedKey" if page.last_key.is_none() => {
                    page.last_key = Some(range_key(json, partition)?);
                    Some(())
                }
                "Items" | "LastEvaluatedKey" => None,
                _ => json.skip(),
            })
        })?;
        let is_whole = count.is_none_or(|count: u32| count == page.items);
        (has_items && is_whole).then_some(page)
    }
}

/// Reads the key that a page ends with, whose attributes are all strings; returns its range key.
fn range_key(json: &mut Json<'_>, partition: &Partition) -> Option<String> {
    let [_, range] = partition.key_names();
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

pub(crate) fn capacity_units(json: &mut Json<'_>) -> Option<f64> {
    let mut units = 0.0;
    json.object(|json, name| {
        match &*name {
            "CapacityUnits" => units = json.number()?,
            _ => json.skip()?,
        }
        Some(())
    })?;
    Some(units)
}
