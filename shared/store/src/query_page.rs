//! A page of a Query: what is read, and how it is decoded.
//!
//! The SDK signs, sends, retries and times out, but its `HashMap` for every item costs several times
//! more than all of that together. The body of the response is therefore kept as it is, and decoded
//! straight into what the caller needs, borrowing from it. A data folder returns the same bodies.

use std::collections::BTreeSet;

use std::sync::Arc;

use items::{Json, Partition, Scalar};
use model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::{PageBody, TableReader, Usage};

/// A read of a page of items with one hash key, in ascending byte order of their range keys.
#[derive(Debug, Clone)]
pub struct PageRead {
    /// The items with one hash key.
    pub partition: Partition,
    /// Which range keys are read.
    pub range: KeyRange,
    /// The range key after which the page begins; `None` for the first page.
    pub after: Option<String>,
    /// The greatest number of items, in addition to the limit of 1 MB.
    pub limit: Option<u32>,
    /// What is needed of each item. A store may return more.
    pub attributes: Attributes,
    /// Whether the page has all acknowledged writes, at twice the price; otherwise, writes of the last moments
    /// may be missing.
    pub is_consistent: bool,
}

/// Which range keys are read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyRange {
    /// All.
    All,
    /// This key.
    Equal(String),
    /// The keys between these two, both inclusive, in order.
    Between([String; 2]),
}

impl KeyRange {
    /// Returns the keys of the response records that were created from `start` on, and before `end`. Without one of
    /// these, they have no such bound.
    pub fn of_responses(start: Option<Timestamp>, end: Option<Timestamp>) -> Self {
        if start.is_none() && end.is_none() {
            return Self::All;
        }
        // Keys begin with the year.
        let first = start.map_or("0".to_owned(), |start| start.to_string());
        // A text between the keys of all earlier instants and the end. `BETWEEN` includes its bounds, and a key may be
        // an instant alone.
        let last = end.map_or("~".to_owned(), |end| end.to_string().replace('Z', "Y"));
        Self::Between([first, last])
    }
}

/// What is needed of each item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attributes {
    /// Everything.
    All,
    /// The key.
    Key,
    /// What became of a display.
    Outcome {
        /// The names of the attributes that are needed, too.
        others: Vec<&'static str>,
        /// The traits that are needed, unless `traits` are among these attributes.
        traits: BTreeSet<String>,
    },
}

impl PageRead {
    /// Makes the read of whole items from the first one on, as far as they fit on a page. Eventually
    /// consistent.
    pub fn of(partition: Partition) -> Self {
        Self {
            partition,
            range: KeyRange::All,
            after: None,
            limit: None,
            attributes: Attributes::All,
            is_consistent: false,
        }
    }

    /// Returns the name of the read in errors.
    pub fn operation(&self) -> &'static str {
        match (&self.partition, &self.range) {
            (Partition::Users(_), KeyRange::Equal(_)) => "Query user",
            (Partition::Users(_), _) => "Query users",
            (Partition::Responses(_), _) => "Query responses",
        }
    }
}

impl Attributes {
    /// Returns whether the index of outcomes has all of them (docs/item-format.md). It has neither traits nor
    /// users.
    pub fn are_indexed(&self) -> bool {
        match self {
            Self::Outcome { others, traits } => {
                traits.is_empty() && others.iter().all(|name| *name == "at")
            }
            Self::All | Self::Key => false,
        }
    }
}

/// A page that is still to be decoded.
#[derive(Debug)]
pub(super) struct FetchedPage {
    read: PageRead,
    body: PageBody,
}

impl FetchedPage {
    pub(super) async fn fetch(tables: Arc<dyn TableReader>, read: PageRead) -> Result<Self, Error> {
        let body = tables.page(read.clone()).await?;
        Ok(Self { read, body })
    }

    /// Calls `item` with each item of the page. Returns the range key after which the next page begins;
    /// `None` on the last page.
    pub(super) fn read(
        &self,
        item: impl FnMut(&mut Json<'_>) -> Option<()>,
        usage: &Usage,
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

    /// Finds the range key after which the next page begins, without reading the items before it. Returns
    /// `None` on the last page, and where the key is not near the end.
    pub(super) fn last_key_in_tail(&self) -> Option<String> {
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

/// Reads the units of a `ConsumedCapacity`.
pub(super) fn capacity_units(json: &mut Json<'_>) -> Option<f64> {
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
