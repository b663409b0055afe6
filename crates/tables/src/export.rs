//! Reads all records of a project, page by page.

use std::marker::PhantomData;

use shared::items::{Item, PagedTable, Partition, ResponseRecord, UserFacts, string};
use shared::model::ProjectId;
use shared::store::{Attributes, Error, ItemPage, ItemPages};

use super::AdminStore;
use super::backoff::unless_throttled;

/// The items of a partition, page by page, as records of type `T`. The reads are strongly consistent,
/// so the export is complete.
pub struct ExportPages<T> {
    pages: ItemPages,
    project: ProjectId,
    record: PhantomData<fn() -> T>,
}

/// What was found in stored items.
#[derive(Debug)]
pub struct Found<T> {
    /// The records.
    pub records: Vec<T>,
    /// The keys of the items that could not be decoded; range keys, where a table has them.
    pub damaged: Vec<String>,
}

impl<T> Found<T> {
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

/// A record that can be exported.
pub trait Exported: Sized {
    /// The table of its items.
    const TABLE: PagedTable;

    /// Decodes an item; returns `None` if it is damaged.
    fn decode(item: &Item, project: &ProjectId) -> Option<Self>;
}

impl AdminStore {
    /// Queries the response records of one shard of the project.
    pub fn export_responses(&self, project: &ProjectId, shard: u8) -> ExportPages<ResponseRecord> {
        self.export(Partition::of_responses(project, shard), project)
    }

    /// Queries the users of the project.
    pub fn export_users(&self, project: &ProjectId) -> ExportPages<UserFacts> {
        self.export(Partition::of_users(project), project)
    }

    fn export<T>(&self, partition: Partition, project: &ProjectId) -> ExportPages<T> {
        ExportPages {
            pages: self.reader.items(partition, Attributes::All),
            project: project.clone(),
            record: PhantomData,
        }
    }
}

/// Reads the next page of items; returns `None` after the last one.
pub(super) async fn next_page(
    pages: &mut ItemPages,
    is_wanted: impl Fn(&str) -> bool,
) -> Result<Option<ItemPage>, Error> {
    unless_throttled("Query", async || pages.next(&is_wanted).await).await
}

impl<T: Exported> ExportPages<T> {
    /// Returns the next page, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn next(&mut self) -> Result<Option<Found<T>>, Error> {
        let [_, range] = T::TABLE.key_names();
        let page = next_page(&mut self.pages, |_| true).await?;
        let decode = |item: &Item| T::decode(item, &self.project);
        Ok(page.map(|page| Found::decode(&page.items, range, decode)))
    }
}

impl Exported for UserFacts {
    const TABLE: PagedTable = PagedTable::Users;

    fn decode(item: &Item, _: &ProjectId) -> Option<Self> {
        Self::from_item(item)
    }
}

impl Exported for ResponseRecord {
    const TABLE: PagedTable = PagedTable::Responses;

    fn decode(item: &Item, project: &ProjectId) -> Option<Self> {
        Self::from_item(item, project)
    }
}
