//! Counts and deletes all records of a project.

use model::ProjectId;
use model::items::{PagedTable, Partition, Table};
use store::{Attributes, Error};

use super::backend::Backend;
use super::export::next_page;
use super::store::AdminStore;

/// How many records a project has.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordCounts {
    /// Response records.
    pub responses: u64,
    /// Users.
    pub users: u64,
}

impl AdminStore {
    /// Counts the records of the project.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn count_records(&self, project: &ProjectId) -> Result<RecordCounts, Error> {
        let mut counts = RecordCounts::default();
        for shard in self.shards(project).await? {
            counts.responses += self.count(shard).await?;
        }
        counts.users = self.count(Partition::of_users(project)).await?;
        Ok(counts)
    }

    /// Deletes the responses of the project, then its users. Reports how many after each batch.
    ///
    /// # Errors
    ///
    /// Fails if the store does; what was deleted until then remains deleted.
    pub async fn delete_records(
        &self,
        project: &ProjectId,
        deleted: impl Fn(u64),
    ) -> Result<(), Error> {
        for shard in self.shards(project).await? {
            self.delete(shard, &deleted).await?;
        }
        self.delete(Partition::of_users(project), &deleted).await
    }

    /// Returns the shards of the project's response records: in a folder also those that nothing reads, which
    /// another program may have written. In DynamoDB, only a scan of all projects would find these.
    pub(super) async fn shards(&self, project: &ProjectId) -> Result<Vec<Partition>, Error> {
        match &self.backend {
            Backend::DynamoDb(_) => Ok(Partition::shards(project).collect()),
            Backend::Folder(folder_store) => {
                let beginning = format!("{project}#");
                folder_store
                    .partitions(PagedTable::Responses, beginning)
                    .await
            }
        }
    }

    async fn count(&self, partition: Partition) -> Result<u64, Error> {
        let mut pages = self.reader.items(partition, Attributes::Key);
        let mut count = 0;
        while let Some(page) = next_page(&mut pages, |_| Some(())).await? {
            count += page.len() as u64;
        }
        Ok(count)
    }

    /// Deletes the items page by page. What is deleted does not disturb the pages that follow, because
    /// each begins after a key, whether or not that still exists.
    async fn delete(&self, partition: Partition, deleted: &impl Fn(u64)) -> Result<(), Error> {
        /// A progress bar moves after each.
        const AT_ONCE: usize = 1000;
        let table = Table::from(partition.table);
        let mut pages = self.reader.items(partition, Attributes::Key);
        let read = |json: &str| Some(json.to_owned());
        while let Some(page) = next_page(&mut pages, read).await? {
            for keys in page.chunks(AT_ONCE) {
                self.backend.delete(table, keys.to_vec()).await?;
                deleted(keys.len() as u64);
            }
        }
        Ok(())
    }
}
