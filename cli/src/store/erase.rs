//! Finds and removes what is stored about one person.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::model::{ProjectId, SHARDS, UserId, shard_key};
use shared::store::Error;

use super::attributes::{Item, project as project_attributes, string};
use super::backoff::unless_throttled;
use super::item::user_key;
use super::{AdminStore, IN_FLIGHT};

/// A response record of a user: its key, and the names of the attributes that may identify the user.
#[derive(Debug)]
pub(crate) struct ResponseOfUser {
    key: Item,
    /// `userId` is the last, so that an interrupted erasure finds the record again.
    names: Vec<String>,
}

impl ResponseOfUser {
    const KEPT: [&str; 4] = ["shard", "at", "rating", "dismissed"];

    fn new(item: &Item) -> Self {
        let mut names: Vec<_> = item.keys().cloned().collect();
        names.retain(|name| !Self::KEPT.contains(&name.as_str()));
        names.sort_by_key(|name| name == "userId");
        Self {
            key: project_attributes(item, ["shard", "at"]),
            names,
        }
    }

    /// Returns the range key: the instant and the identifier.
    pub(crate) fn sort_key(&self) -> String {
        string(&self.key, "at").unwrap_or_default()
    }
}

impl AdminStore {
    /// Finds the response records of this user; returns them, and the number of records in the project.
    pub(crate) async fn responses_of_user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
    ) -> Result<(Vec<ResponseOfUser>, u64), Error> {
        let (mut found, mut total) = (Vec::new(), 0);
        for shard in 0..SHARDS {
            let mut add = |items: &[Item]| {
                let is_theirs =
                    |id: &AttributeValue| id.as_s().is_ok_and(|id| id == user_id.as_str());
                let theirs = items
                    .iter()
                    .filter(|item| item.get("userId").is_some_and(is_theirs));
                found.extend(theirs.map(ResponseOfUser::new));
            };
            if let Some((items, count)) = self.responses_naming(project, shard, user_id).await? {
                total += count;
                add(&items);
                continue;
            }
            let mut pages = self.export_responses(project, shard);
            while let Some(items) = pages.next_items().await? {
                total += items.len() as u64;
                add(&items);
            }
        }
        Ok((found, total))
    }

    /// Returns the response records of a shard that may be the user's, and the number of all, where they
    /// can be found without decoding all.
    async fn responses_naming(
        &self,
        project: &ProjectId,
        shard: u8,
        user_id: &UserId,
    ) -> Result<Option<(Vec<Item>, u64)>, Error> {
        let Some(engine) = &self.engine else {
            return Ok(None);
        };
        let (table, hash) = (&self.tables.responses, shard_key(project, shard));
        engine
            .items_containing(table, &hash, user_id.as_str())
            .await
    }

    /// Removes everything from these records but the key, the rating and the dismissal.
    pub(crate) async fn anonymize(
        &self,
        responses: Vec<ResponseOfUser>,
        user_id: &UserId,
    ) -> Result<(), Error> {
        let theirs = AttributeValue::S(user_id.as_str().to_owned());
        stream::iter(responses)
            .map(|response| self.anonymize_one(response, &theirs))
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await
    }

    async fn anonymize_one(
        &self,
        ResponseOfUser { key, names }: ResponseOfUser,
        theirs: &AttributeValue,
    ) -> Result<(), Error> {
        // An expression has at most 4 KB.
        const AT_ONCE: usize = 100;
        for names in names.chunks(AT_ONCE) {
            let removed = names.iter().map(|name| (name.as_str(), None));
            // A record that belongs to another user by now is left alone.
            let unless_changed = [("userId", Some(theirs))];
            let (table, key) = (&self.tables.responses, key.clone());
            let update = self.update(table, key, removed, unless_changed);
            if !update.run().await? {
                break;
            }
        }
        Ok(())
    }

    /// Returns whether the user exists.
    pub(crate) async fn has_user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
    ) -> Result<bool, Error> {
        let key = vec![user_key(project, user_id)];
        Ok(!self.get_all(&self.tables.users, key).await?.is_empty())
    }

    /// Deletes the user, if it exists.
    pub(crate) async fn remove_user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
    ) -> Result<(), Error> {
        let request = self
            .client
            .delete_item()
            .table_name(&self.tables.users)
            .set_key(Some(user_key(project, user_id)));
        let send = async || request.clone().send().await;
        let deleted = unless_throttled("DeleteItem users", send).await;
        deleted.map(drop)
    }
}
