use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use serde_json::Value;

use super::Store;
use super::attributes::{Item, attribute};
use super::fault::fault;
use crate::config::Tables;
use crate::error::Error;
use crate::model::{Credential, Outcome, ResponseRecord, Secret, Timestamp, User, shard_of};

/// An item to be put, in the public item format (ARCHITECTURE.md).
pub struct NewItem {
    table: fn(&Tables) -> &String,
    pub(super) item: Item,
}

impl NewItem {
    fn new<const N: usize>(
        table: fn(&Tables) -> &String,
        attributes: [(&str, Option<AttributeValue>); N],
    ) -> Self {
        let item = attributes
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect();
        Self { table, item }
    }

    /// The item of this user.
    pub fn user(user: &User) -> Self {
        let text = |text: String| Some(AttributeValue::S(text));
        let traits: Option<Value> = serde_json::from_str(user.traits.as_json()).ok();
        Self::new(
            |tables| &tables.users,
            [
                ("project", text(user.project.to_string())),
                ("userId", text(user.user_id.as_str().to_owned())),
                ("id", text(user.id.clone())),
                ("created", text(user.created.to_string())),
                (
                    "lastSeen",
                    user.last_seen.map(|at| AttributeValue::S(at.to_string())),
                ),
                ("email", user.email.clone().map(AttributeValue::S)),
                ("name", user.name.clone().map(AttributeValue::S)),
                (
                    "unsubscribed",
                    Some(AttributeValue::Bool(user.unsubscribed)),
                ),
                ("traits", traits.as_ref().map(attribute)),
            ],
        )
    }

    /// The item of this record. Its id fixes the shard, so writing a record again replaces it.
    pub fn response(record: &ResponseRecord) -> Self {
        let rating = match record.outcome {
            Outcome::Rated(rating) => Some(AttributeValue::N(rating.value().to_string())),
            Outcome::Dismissed | Outcome::Pending => None,
        };
        let dismissed =
            (record.outcome == Outcome::Dismissed).then_some(AttributeValue::Bool(true));
        Self::new(
            |tables| &tables.responses,
            [
                (
                    "shard",
                    Some(AttributeValue::S(format!(
                        "{}#{}",
                        record.project,
                        shard_of(&record.id)
                    ))),
                ),
                (
                    "at",
                    Some(AttributeValue::S(format!(
                        "{}#{}",
                        record.created, record.id
                    ))),
                ),
                ("userId", record.user_id.clone().map(AttributeValue::S)),
                ("rating", rating),
                ("dismissed", dismissed),
                (
                    "traits",
                    Some(attribute(&Value::Object(record.traits.clone()))),
                ),
            ],
        )
    }

    /// The item of what this secret opens; of the secret itself only the digest.
    pub fn credential(
        secret: &Secret,
        credential: &Credential,
        label: Option<&str>,
        created: Timestamp,
    ) -> Self {
        let text = |text: &str| Some(AttributeValue::S(text.to_owned()));
        let (kind, project, username, projects) = match credential {
            Credential::ReadKey(key) => ("read-key", text(key.project.as_str()), None, None),
            Credential::Account(account) => {
                let projects = account.projects.iter().map(ToString::to_string).collect();
                (
                    "account",
                    None,
                    text(&account.username),
                    Some(AttributeValue::Ss(projects)),
                )
            }
        };
        Self::new(
            |tables| &tables.credentials,
            [
                ("digest", text(&secret.digest().to_string())),
                ("kind", text(kind)),
                ("project", project),
                ("username", username),
                ("projects", projects),
                ("label", label.and_then(text)),
                ("created", text(&created.to_string())),
            ],
        )
    }
}

impl Store {
    /// Puts the items, replacing those with the same key, and returns when the last one is
    /// acknowledged.
    pub async fn put_all(&self, items: Vec<NewItem>) -> Result<(), Error> {
        const MOST_IN_A_BATCH: usize = 25;
        let mut items = items.into_iter();
        loop {
            let batch: Vec<_> = items.by_ref().take(MOST_IN_A_BATCH).collect();
            if batch.is_empty() {
                return Ok(());
            }
            self.put_batch(batch).await?;
        }
    }

    async fn put_batch(&self, items: Vec<NewItem>) -> Result<(), Error> {
        const ATTEMPTS: u32 = 10;
        let mut pending: HashMap<String, Vec<WriteRequest>> = HashMap::new();
        for NewItem { table, item } in items {
            let put = PutRequest::builder()
                .set_item(Some(item))
                .build()
                .map_err(|_| Error::Internal)?;
            pending
                .entry(table(&self.tables).clone())
                .or_default()
                .push(WriteRequest::builder().put_request(put).build());
        }
        for attempt in 0..ATTEMPTS {
            let output = self
                .client
                .batch_write_item()
                .set_request_items(Some(pending))
                .send()
                .await
                .map_err(|error| fault("BatchWriteItem", &error))?;
            pending = output.unprocessed_items.unwrap_or_default();
            if pending.is_empty() {
                return Ok(());
            }
            // A batch is answered in part when the table is throttled.
            tokio::time::sleep(Duration::from_millis(50 << attempt)).await;
        }
        Err(Error::Unavailable)
    }
}
