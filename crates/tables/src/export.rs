//! Reads all records of a project, page by page.

use items::{ItemMembers, Partition, ResponseRecord, Shard, UserFacts};
use model::ProjectId;
use store::{Error, ItemPages, KeyRange, Projection};

use super::Tables;
use super::backoff::unless_throttled;

/// The records of a partition, page by page. The reads are strongly consistent, so the export is complete.
pub struct ExportPages<T> {
    pages: ItemPages,
    project: ProjectId,
    /// The attribute that is the range key.
    key: &'static str,
    decode: Decode<T>,
}

/// Decodes an item of a project; returns `None` if it is damaged.
type Decode<T> = fn(&ItemMembers<'_>, &ProjectId) -> Option<T>;

/// What was found in stored items.
#[derive(Debug)]
pub struct Decoded<T> {
    pub records: Vec<T>,
    /// The keys of the items that could not be decoded; range keys, where a table has them.
    pub damaged: Vec<String>,
}

impl<T> FromIterator<Result<T, String>> for Decoded<T> {
    fn from_iter<I: IntoIterator<Item = Result<T, String>>>(items: I) -> Self {
        let mut records = Vec::new();
        let mut damaged = Vec::new();
        for item in items {
            match item {
                Ok(record) => records.push(record),
                Err(key) => damaged.push(key),
            }
        }
        Self { records, damaged }
    }
}

impl Tables {
    /// Queries the response records of one shard of the project whose keys are in this range.
    pub fn export_responses(
        &self,
        project: &ProjectId,
        shard: Shard,
        range: KeyRange,
    ) -> ExportPages<ResponseRecord> {
        let shard = Partition::of_responses(project, shard);
        self.export(project, shard, range, ResponseRecord::from_item)
    }

    pub fn export_users(&self, project: &ProjectId) -> ExportPages<UserFacts> {
        let users = Partition::of_users(project);
        self.export(project, users, KeyRange::All, |item, _| {
            UserFacts::from_item(item)
        })
    }

    fn export<T>(
        &self,
        of: &ProjectId,
        partition: Partition,
        range: KeyRange,
        decode: Decode<T>,
    ) -> ExportPages<T> {
        let [_, key] = partition.key_names();
        ExportPages {
            pages: self.reader.items(partition, range, Projection::All),
            project: of.clone(),
            key,
            decode,
        }
    }
}

/// Reads the next page of items; returns `None` after the last one. `read` reads an item in DynamoDB's JSON,
/// and returns `None` if it is damaged.
pub(super) async fn next_page<T>(
    pages: &mut ItemPages,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<Vec<T>>, Error> {
    unless_throttled("Query", async || {
        let mut page = Vec::new();
        let is_read = pages.next(|json| {
            page.push(read(json)?);
            Some(())
        });
        Ok(is_read.await?.then_some(page))
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
        let read = |json: &str| {
            let item = ItemMembers::of_item(json)?;
            let key = || item.string(self.key).unwrap_or_default().into_owned();
            Some((self.decode)(&item, &self.project).ok_or_else(key))
        };
        let page = next_page(&mut self.pages, read).await?;
        Ok(page.map(Decoded::from_iter))
    }
}
