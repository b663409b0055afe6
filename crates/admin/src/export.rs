//! Reads all records of a project, page by page.

use encoding::{ResponseRecord, UserFacts, decode};
use shared::items::{Item, Partition, string};
use shared::model::ProjectId;
use shared::store::{Attributes, Error, ItemPages};

use super::backoff::unless_throttled;
use super::store::AdminStore;

/// The records of a partition, page by page. The reads are strongly consistent, so the export is complete.
pub struct ExportPages<T> {
    pages: ItemPages,
    /// The attribute that is the range key.
    key: &'static str,
    decode: Box<Decode<T>>,
}

/// Decodes an item; returns `None` if it is damaged.
type Decode<T> = dyn Fn(&Item) -> Option<T>;

/// What was found in stored items.
#[derive(Debug)]
pub struct Decoded<T> {
    /// The records.
    pub records: Vec<T>,
    /// The keys of the items that could not be decoded; range keys, where a table has them.
    pub damaged: Vec<String>,
}

impl<T> Decoded<T> {
    /// Decodes items, whose keys are in this attribute.
    pub(super) fn decode(items: &[Item], key: &str, decode: impl Fn(&Item) -> Option<T>) -> Self {
        let (mut records, mut damaged) = (Vec::with_capacity(items.len()), Vec::new());
        for item in items {
            match decode(item) {
                Some(record) => records.push(record),
                None => damaged.push(string(item, key).unwrap_or_default().to_owned()),
            }
        }
        Self { records, damaged }
    }
}

impl AdminStore {
    /// Queries the response records of one shard of the project.
    pub fn export_responses(&self, project: &ProjectId, shard: u8) -> ExportPages<ResponseRecord> {
        let of = project.clone();
        let decode = move |item: &Item| ResponseRecord::from_item(item, &of);
        self.export(Partition::of_responses(project, shard), decode)
    }

    /// Queries the users of the project.
    pub fn export_users(&self, project: &ProjectId) -> ExportPages<UserFacts> {
        self.export(Partition::of_users(project), UserFacts::from_item)
    }

    fn export<T>(
        &self,
        partition: Partition,
        decode: impl Fn(&Item) -> Option<T> + 'static,
    ) -> ExportPages<T> {
        let [_, key] = partition.table.key_names();
        ExportPages {
            pages: self.reader.items(partition, Attributes::All),
            key,
            decode: Box::new(decode),
        }
    }
}

/// A page of items.
#[derive(Default)]
pub(super) struct ItemPage {
    /// Those of its items that are wanted.
    pub(super) items: Vec<Item>,
    /// The number of all its items.
    pub(super) count: u64,
}

/// Reads the next page of items; returns `None` after the last one. `is_wanted` chooses the items to decode
/// by their text in DynamoDB's JSON.
pub(super) async fn next_page(
    pages: &mut ItemPages,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Option<ItemPage>, Error> {
    unless_throttled("Query", async || {
        let mut page = ItemPage::default();
        let read = pages.next(|json| {
            page.count += 1;
            if is_wanted(json) {
                page.items.push(decode(json.as_bytes())?);
            }
            Some(())
        });
        Ok(read.await?.then_some(page))
    })
    .await
}

impl<T> ExportPages<T> {
    /// Returns the next page, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn next(&mut self) -> Result<Option<Decoded<T>>, Error> {
        let page = next_page(&mut self.pages, |_| true).await?;
        Ok(page.map(|page| Decoded::decode(&page.items, self.key, &self.decode)))
    }
}
