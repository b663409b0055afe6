//! Finds and removes what is stored about one person.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::model::{ProjectId, SHARDS, UserId};
use shared::store::Error;

use super::attributes::{Item, project as project_attributes};
use super::item::user_key;
use super::{AdminStore, IN_FLIGHT};

/// The key of a response record.
#[derive(Debug)]
pub(crate) struct ResponseKey(Item);

impl AdminStore {
    /// Finds the response records of this user; returns their keys, and the number of records in the
    /// project.
    pub(crate) async fn responses_of_user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
    ) -> Result<(Vec<ResponseKey>, u64), Error> {
        let (mut keys, mut total) = (Vec::new(), 0);
        for shard in 0..SHARDS {
            let mut pages = self.export_responses(project, shard);
            while let Some(items) = pages.next_items().await? {
                total += items.len() as u64;
                let theirs = items.iter().filter(|item| {
                    item.get("userId")
                        .is_some_and(|id| id.as_s().is_ok_and(|id| id == user_id.as_str()))
                });
                keys.extend(
                    theirs.map(|item| ResponseKey(project_attributes(item, ["shard", "at"]))),
                );
            }
        }
        Ok((keys, total))
    }

    /// Removes `userId` and `traits` from these records.
    pub(crate) async fn anonymize(
        &self,
        keys: Vec<ResponseKey>,
        user_id: &UserId,
    ) -> Result<(), Error> {
        let theirs = AttributeValue::S(user_id.as_str().to_owned());
        stream::iter(keys)
            .map(async |ResponseKey(key)| {
                let removed = [("userId", None), ("traits", None)];
                // A record that belongs to another user by now is left alone.
                let unless_changed = [("userId", Some(&theirs))];
                self.update(&self.tables.responses, key, removed, unless_changed)
                    .await
            })
            .buffer_unordered(IN_FLIGHT)
            .try_collect::<Vec<bool>>()
            .await
            .map(drop)
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
        self.client
            .delete_item()
            .table_name(&self.tables.users)
            .set_key(Some(user_key(project, user_id)))
            .send()
            .await
            .map(drop)
            .map_err(|error| Error::from_sdk("DeleteItem users", &error))
    }
}
