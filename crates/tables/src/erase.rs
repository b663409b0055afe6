//! Removes what is stored about one person, and all records of a project.

use std::collections::BTreeMap;

use items::{ItemKey, ItemMembers, Partition, Table};
use model::{ProjectId, UserId};
use store::{Error, KeyRange, Projection};
use unicode_normalization::UnicodeNormalization as _;

use super::export::next_page;
use super::{ItemChange, Tables, damaged};

/// The attributes that remain of an anonymous record.
const KEPT: [&str; 4] = ["shard", "at", "rating", "dismissed"];

/// The stored item of a user's response record.
#[derive(Debug)]
pub struct ResponseOfUser {
    key: ItemKey,
    json: String,
}

impl ResponseOfUser {
    /// Returns the range key: the instant and the identifier.
    pub fn sort_key(&self) -> &str {
        self.key.range.as_deref().unwrap_or_default()
    }

    /// Returns what removes everything from the record but the key, the rating and the dismissal, unless it
    /// belongs to another user by then.
    fn anonymized(self) -> Result<ItemChange, Error> {
        let item = ItemMembers::of_item(&self.json).ok_or_else(damaged)?;
        let mut anonymous = ItemMembers::default();
        for name in KEPT {
            anonymous.set(name.into(), item.get(name).cloned());
        }
        let after = anonymous.json();
        Ok(ItemChange {
            key: self.key,
            before: Some(self.json),
            after,
            guard: &["userId", "traits"],
        })
    }
}

/// Returns an e-mail address without what people write differently: case, spaces around it, and whether its
/// characters are composed.
fn folded(address: &str) -> String {
    address.trim().to_lowercase().nfc().collect()
}

#[derive(Debug, Clone, Copy, Default)]
pub struct RecordCounts {
    pub responses: u64,
    pub users: u64,
}

impl Tables {
    /// Finds the users with this address, however it is written, and those whose `userId` it is, stored as a user or in
    /// response records alone; returns the name of each, which may be empty.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn users_with_address(
        &self,
        project: &ProjectId,
        address: &str,
    ) -> Result<BTreeMap<UserId, String>, Error> {
        let address = folded(address);
        let mut found = BTreeMap::new();
        let users = Partition::of_users(project);
        let shards = self.writer.shards(Some(project)).await?;
        for partition in shards.into_iter().chain([users]) {
            let is_user = partition.table() == Table::Users;
            let read = |json: &str| {
                let item = ItemMembers::of_item(json)?;
                let has_address = |name| {
                    item.string(name)
                        .is_some_and(|text| folded(&text) == address)
                };
                let is_theirs = has_address("userId") || is_user && has_address("email");
                if !is_theirs {
                    return Some(None);
                }
                let name = if is_user { item.string("name") } else { None };
                let user_id: Option<UserId> = item.parsed("userId");
                Some(user_id.map(|user_id| (user_id, name.unwrap_or_default().into_owned())))
            };
            let mut pages = self.reader.items(partition, KeyRange::All, Projection::All);
            while let Some(page) = next_page(&mut pages, read).await? {
                found.extend(page.into_iter().flatten());
            }
        }
        Ok(found)
    }

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
            if !may_be_theirs(json) {
                return Some(None);
            }
            let item = ItemMembers::of_item(json)?;
            let is_theirs = item
                .string("userId")
                .is_some_and(|id| id == user_id.as_str());
            let key = item.key(Table::Responses)?;
            let json = json.to_owned();
            Some(is_theirs.then_some(ResponseOfUser { key, json }))
        };
        let mut found = Vec::new();
        let mut total = 0;
        for shard in self.writer.shards(Some(project)).await? {
            let mut pages = self.reader.items(shard, KeyRange::All, Projection::All);
            while let Some(page) = next_page(&mut pages, read).await? {
                total += page.len() as u64;
                found.extend(page.into_iter().flatten());
            }
        }
        Ok((found, total))
    }

    /// Removes everything from these records but the key, the rating and the dismissal.
    ///
    /// # Errors
    ///
    /// Fails if the store does; some records may be anonymous by then.
    pub async fn anonymize(&self, responses: Vec<ResponseOfUser>) -> Result<(), Error> {
        let changes = responses.into_iter().map(ResponseOfUser::anonymized);
        let changes = changes.collect::<Result<_, _>>()?;
        self.writer.replace(Table::Responses, changes).await?;
        Ok(())
    }

    /// Returns whether the user exists.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn has_user(&self, project: &ProjectId, user_id: &UserId) -> Result<bool, Error> {
        let key = ItemKey::of_user(project, user_id);
        Ok(!self.writer.get(Table::Users, vec![key]).await?.is_empty())
    }

    /// Deletes the user, if it exists.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn remove_user(&self, project: &ProjectId, user_id: &UserId) -> Result<(), Error> {
        let key = ItemKey::of_user(project, user_id);
        self.writer.delete(Table::Users, vec![key]).await
    }

    /// Counts the records of the project.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn count_records(&self, project: &ProjectId) -> Result<RecordCounts, Error> {
        let mut counts = RecordCounts::default();
        for shard in self.writer.shards(Some(project)).await? {
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
        for shard in self.writer.shards(Some(project)).await? {
            self.delete(shard, &deleted).await?;
        }
        self.delete(Partition::of_users(project), &deleted).await
    }

    async fn count(&self, partition: Partition) -> Result<u64, Error> {
        let mut pages = self.reader.items(partition, KeyRange::All, Projection::Key);
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
        let table = partition.table();
        let mut pages = self.reader.items(partition, KeyRange::All, Projection::Key);
        let read = |json: &str| ItemMembers::of_item(json)?.key(table);
        while let Some(page) = next_page(&mut pages, read).await? {
            for keys in page.chunks(AT_ONCE) {
                self.writer.delete(table, keys.to_vec()).await?;
                deleted(keys.len() as u64);
            }
        }
        Ok(())
    }
}
