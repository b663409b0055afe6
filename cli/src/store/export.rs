//! Whole records of a project, for moving and erasing them.

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::query::{QueryError, QueryOutput};
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_async::future::pagination_stream::PaginationStream;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::Store;
use super::attributes::{Attributes, Item, json, parsed};
use super::fault::fault;
use super::import::{facts_of, only};
use super::page::Value;
use super::responses::outcome;
use super::users::key as user_key;
use super::write::IN_FLIGHT;
use crate::error::Error;
use crate::model::{
    ProjectId, RecordId, ResponseRecord, SHARDS, Timestamp, Traits, UserFacts, UserId,
};

/// Items of a project, page by page. Strongly consistent: what is exported is whole.
#[derive(Debug)]
pub struct WholePages {
    pages: PaginationStream<Result<QueryOutput, SdkError<QueryError, HttpResponse>>>,
    project: ProjectId,
}

/// A record, or the key of one that cannot be decoded.
pub type Whole<T> = Result<T, String>;

impl Store {
    /// All response records of one shard of the project.
    pub fn whole_responses(&self, project: &ProjectId, shard: u8) -> WholePages {
        let hash = format!("{project}#{shard}");
        self.whole_pages(&self.tables.responses, ("shard", hash), project)
    }

    /// All users of the project.
    pub fn whole_users(&self, project: &ProjectId) -> WholePages {
        self.whole_pages(
            &self.tables.users,
            ("project", project.to_string()),
            project,
        )
    }

    fn whole_pages(&self, table: &str, hash: (&str, String), project: &ProjectId) -> WholePages {
        let query = self
            .client
            .query()
            .table_name(table)
            .consistent_read(true)
            .key_condition_expression("#hash = :hash")
            .expression_attribute_names("#hash", hash.0)
            .expression_attribute_values(":hash", AttributeValue::S(hash.1));
        WholePages {
            pages: query.into_paginator().send(),
            project: project.clone(),
        }
    }

    /// The keys of the project's response records that this user gave, and how many records there
    /// are in all.
    pub async fn responses_of_user(
        &self,
        project: &ProjectId,
        user_id: &UserId,
    ) -> Result<(Vec<ResponseKey>, u64), Error> {
        let (mut keys, mut all) = (Vec::new(), 0);
        for shard in 0..SHARDS {
            let mut pages = self.whole_responses(project, shard);
            while let Some(items) = pages.items().await? {
                all += items.len() as u64;
                let theirs = items.iter().filter(|item| {
                    item.get("userId")
                        .is_some_and(|id| id.as_s().is_ok_and(|id| id == user_id.as_str()))
                });
                keys.extend(theirs.map(|item| ResponseKey(only(item, ["shard", "at"]))));
            }
        }
        Ok((keys, all))
    }

    /// Takes from these records who gave them: their `userId` and `traits`.
    pub async fn anonymise(&self, keys: Vec<ResponseKey>, user_id: &UserId) -> Result<(), Error> {
        let theirs = AttributeValue::S(user_id.as_str().to_owned());
        stream::iter(keys)
            .map(async |ResponseKey(key)| {
                let nothing = [("userId", None), ("traits", None)];
                // One that is somebody else's by now is none of theirs.
                let still = [("userId", Some(&theirs))];
                self.update(&self.tables.responses, key, nothing, still)
                    .await
            })
            .buffer_unordered(IN_FLIGHT)
            .try_collect::<Vec<bool>>()
            .await
            .map(drop)
    }

    /// Whether there is such a user.
    pub async fn has_user(&self, project: &ProjectId, user_id: &UserId) -> Result<bool, Error> {
        let key = vec![user_key(project, user_id)];
        Ok(!self.existing(&self.tables.users, key).await?.is_empty())
    }

    /// Deletes the user, if there is one.
    pub async fn remove_user(&self, project: &ProjectId, user_id: &UserId) -> Result<(), Error> {
        self.client
            .delete_item()
            .table_name(&self.tables.users)
            .set_key(Some(user_key(project, user_id)))
            .send()
            .await
            .map(drop)
            .map_err(|error| fault("DeleteItem users", &error))
    }
}

/// The key of a response record.
#[derive(Debug)]
pub struct ResponseKey(Item);

impl WholePages {
    async fn items(&mut self) -> Result<Option<Vec<Item>>, Error> {
        let Some(page) = self.pages.next().await else {
            return Ok(None);
        };
        let page = page.map_err(|error| fault("Query", &error))?;
        Ok(Some(page.items.unwrap_or_default()))
    }

    /// The next page of [`Store::whole_responses`], or `None` after the last one.
    pub async fn next_responses(&mut self) -> Result<Option<Vec<Whole<ResponseRecord>>>, Error> {
        let items = self.items().await?;
        let decode = |item: Item| {
            let key = key_of(&item, "at");
            response(item, &self.project).ok_or(key)
        };
        Ok(items.map(|items| items.into_iter().map(decode).collect()))
    }

    /// The next page of [`Store::whole_users`], or `None` after the last one.
    pub async fn next_users(&mut self) -> Result<Option<Vec<Whole<UserFacts>>>, Error> {
        let items = self.items().await?;
        let decode = |item: Item| {
            let key = key_of(&item, "userId");
            let user_id = key.parse().map_err(|_| key)?;
            Ok(facts_of(item, user_id))
        };
        Ok(items.map(|items| items.into_iter().map(decode).collect()))
    }
}

fn key_of(item: &Item, range: &str) -> String {
    let key = item.get(range).and_then(|key| key.as_s().ok());
    key.cloned().unwrap_or_default()
}

fn scalar(value: Option<&AttributeValue>) -> Value<'_> {
    match value {
        None | Some(AttributeValue::Null(_)) => Value::Null,
        Some(AttributeValue::S(text)) => Value::String(text.into()),
        Some(AttributeValue::N(digits)) => Value::Number(digits.into()),
        Some(AttributeValue::Bool(flag)) => Value::Bool(*flag),
        Some(_) => Value::Other,
    }
}

fn response(item: Item, project: &ProjectId) -> Option<ResponseRecord> {
    let outcome = outcome(&scalar(item.get("rating")), &scalar(item.get("dismissed")))?;
    let mut item = Attributes::new(item);
    let at: String = item.take("at", parsed)?;
    let (created, id) = at.split_once('#')?;
    let created: Timestamp = created.parse().ok()?;
    let id: RecordId = id.parse().ok()?;
    Some(ResponseRecord {
        project: project.clone(),
        id,
        created,
        outcome,
        user_id: item.take("userId", parsed),
        traits: item.take("traits", |value| Traits::from_json(json(&value)?)),
    })
}
