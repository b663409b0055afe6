//! Counts and deletes all records of a project.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{DeleteRequest, Select, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::model::{ProjectId, SHARDS, shard_key};
use shared::store::Error;

use super::attributes::Item;
use super::pages::Pages;
use super::write::{MAX_IN_A_BATCH, incomplete};
use super::{AdminStore, IN_FLIGHT};

/// How many records a project has.
#[derive(Clone, Copy, Default)]
pub(crate) struct RecordCounts {
    pub(crate) responses: u64,
    pub(crate) users: u64,
}

/// The items with one hash key.
struct Partition<'a> {
    table: &'a str,
    hash: &'static str,
    range: &'static str,
    value: String,
}

impl AdminStore {
    /// Counts the records of the project.
    pub(crate) async fn count_records(&self, project: &ProjectId) -> Result<RecordCounts, Error> {
        let mut counts = RecordCounts::default();
        for shard in self.shards(project) {
            counts.responses += self.count(shard).await?;
        }
        counts.users = self.count(self.users(project)).await?;
        Ok(counts)
    }

    /// Deletes the responses of the project, then its users. Reports how many after each batch.
    pub(crate) async fn delete_records(
        &self,
        project: &ProjectId,
        deleted: impl Fn(u64),
    ) -> Result<(), Error> {
        for partition in self.shards(project).chain([self.users(project)]) {
            self.delete(partition, &deleted).await?;
        }
        Ok(())
    }

    fn shards(&self, project: &ProjectId) -> impl Iterator<Item = Partition<'_>> {
        (0..SHARDS).map(move |shard| Partition {
            table: &self.tables.responses,
            hash: "shard",
            range: "at",
            value: shard_key(project, shard),
        })
    }

    fn users(&self, project: &ProjectId) -> Partition<'_> {
        Partition {
            table: &self.tables.users,
            hash: "project",
            range: "userId",
            value: project.to_string(),
        }
    }

    async fn count(&self, partition: Partition<'_>) -> Result<u64, Error> {
        let Partition {
            table, hash, value, ..
        } = partition;
        let query = self.query(table, hash, value).select(Select::Count);
        let mut pages = Pages::of(query);
        let mut count = 0;
        while let Some(page) = pages.next().await? {
            count += u64::try_from(page.count).unwrap_or_default();
        }
        Ok(count)
    }

    /// Deletes the items page by page. What is deleted does not disturb the pages that follow, because
    /// each begins after a key, whether or not that still exists.
    async fn delete(&self, partition: Partition<'_>, deleted: &impl Fn(u64)) -> Result<(), Error> {
        let Partition {
            table,
            hash,
            range,
            value,
        } = partition;
        let keys = self
            .query(table, hash, value)
            .projection_expression("#hash, #range")
            .expression_attribute_names("#range", range);
        let mut pages = Pages::of(keys);
        while let Some(page) = pages.next().await? {
            stream::iter(batches(page.items.unwrap_or_default())?)
                .map(async |batch| {
                    let count = batch.len() as u64;
                    self.write_batch(HashMap::from([(table.to_owned(), batch)]))
                        .await?;
                    deleted(count);
                    Ok::<_, Error>(())
                })
                .buffer_unordered(IN_FLIGHT)
                .try_collect::<()>()
                .await?;
        }
        Ok(())
    }
}

/// Returns requests that delete the items with these keys, in batches.
fn batches(keys: Vec<Item>) -> Result<Vec<Vec<WriteRequest>>, Error> {
    let mut batches: Vec<Vec<WriteRequest>> = Vec::new();
    for key in keys {
        let delete = DeleteRequest::builder().set_key(Some(key)).build();
        let delete = delete.map_err(|_| incomplete("BatchWriteItem"))?;
        let request = WriteRequest::builder().delete_request(delete).build();
        match batches.last_mut() {
            Some(batch) if batch.len() < MAX_IN_A_BATCH => batch.push(request),
            _ => batches.push(vec![request]),
        }
    }
    Ok(batches)
}
