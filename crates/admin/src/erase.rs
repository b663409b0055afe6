//! Removes what is stored about one person, and all records of a project.

use aws_sdk_dynamodb::types::AttributeValue;
use encoding::user_key;
use futures_util::{StreamExt, TryStreamExt, stream};
use model::items::{PagedTable, Partition, Table};
use model::{ProjectId, UserId};
use store::{Attributes, Error};

use super::admin_store::{AdminStore, Backend};
use super::dynamodb::{DynamoDbTables, IN_FLIGHT, Update};
use super::export::next_page;
use super::item::{Item, decode, encode, key_of, string};

/// The attributes that remain of an anonymous record.
const KEPT: [&str; 4] = ["shard", "at", "rating", "dismissed"];

/// The stored item of a user's response record.
#[derive(Debug)]
pub struct ResponseOfUser(Item);

impl ResponseOfUser {
    /// Returns the range key: the instant and the identifier.
    pub fn sort_key(&self) -> &str {
        string(&self.0, "at").unwrap_or_default()
    }
}

/// How many records a project has.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecordCounts {
    /// Response records.
    pub responses: u64,
    /// Users.
    pub users: u64,
}

impl AdminStore {
    /// Finds the response records of this user; returns them, and the number of records in the project.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn responses_of_user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
    ) -> Result<(Vec<ResponseOfUser>, u64), Error> {
        // A text with escapes has to be decoded to be compared.
        let may_be_theirs = |json: &str| json.contains('\\') || json.contains(user_id.as_str());
        let read = |json: &str| {
            if may_be_theirs(json) {
                decode(json).ok().map(Some)
            } else {
                Some(None)
            }
        };
        let mut found = Vec::new();
        let mut total = 0;
        for shard in self.shards(project).await? {
            let mut pages = self.reader.items(shard, Attributes::All);
            while let Some(page) = next_page(&mut pages, read).await? {
                total += page.len() as u64;
                let is_theirs = |item: &Item| string(item, "userId") == Some(user_id.as_str());
                let theirs = page.into_iter().flatten().filter(is_theirs);
                found.extend(theirs.map(ResponseOfUser));
            }
        }
        Ok((found, total))
    }

    /// Removes everything from these records but the key, the rating and the dismissal.
    ///
    /// # Errors
    ///
    /// Fails if the store does; some records may be anonymous by then.
    pub async fn anonymize(
        &self,
        responses: Vec<ResponseOfUser>,
        user_id: &UserId,
    ) -> Result<(), Error> {
        match &self.backend {
            Backend::DynamoDb(tables) => {
                let theirs = AttributeValue::S(user_id.as_str().to_owned());
                stream::iter(responses)
                    .map(|response| anonymize_one(tables, response, &theirs))
                    .buffer_unordered(IN_FLIGHT)
                    .try_collect()
                    .await
            }
            Backend::Folder(folder) => {
                let anonymous = responses.into_iter().map(|ResponseOfUser(mut item)| {
                    item.retain(|name, _| KEPT.contains(&name.as_str()));
                    encode(&item)
                });
                let items = anonymous.collect::<Result<_, _>>()?;
                folder.put(Table::Responses, items).await
            }
        }
    }

    /// Returns whether the user exists.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn has_user(&self, project: &ProjectId, user_id: &UserId) -> Result<bool, Error> {
        let key = vec![user_key(project, user_id)];
        Ok(!self.backend.get(Table::Users, key).await?.is_empty())
    }

    /// Deletes the user, if it exists.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn remove_user(&self, project: &ProjectId, user_id: &UserId) -> Result<(), Error> {
        let key = vec![user_key(project, user_id)];
        self.backend.delete(Table::Users, key).await
    }

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
            Backend::Folder(folder) => {
                let beginning = format!("{project}#");
                folder.partitions(PagedTable::Responses, beginning).await
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

async fn anonymize_one(
    tables: &DynamoDbTables,
    ResponseOfUser(item): ResponseOfUser,
    theirs: &AttributeValue,
) -> Result<(), Error> {
    // An expression has at most 4 KB.
    const AT_ONCE: usize = 100;
    let mut names: Vec<_> = item
        .keys()
        .map(String::as_str)
        .filter(|name| !KEPT.contains(name))
        .collect();
    // The last one, so that an interrupted erasure finds the record again.
    names.sort_by_key(|name| *name == "userId");
    for names in names.chunks(AT_ONCE) {
        let update = Update {
            table: Table::Responses,
            key: key_of(Table::Responses, &item),
            set: names.iter().map(|name| (*name, None)).collect(),
            // A record that belongs to another user by now is left alone.
            unless_changed: vec![("userId", Some(theirs))],
        };
        if !tables.update(&tables.request(&update)).await? {
            break;
        }
    }
    Ok(())
}
