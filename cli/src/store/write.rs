//! Writes in batches, and writes on condition.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, PutRequest, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};

use super::attributes::Item;
use super::fault::{fault, throttled};
use super::{NewItem, Store};
use crate::error::Error;

/// How many requests of a command are under way at a time.
pub(super) const IN_FLIGHT: usize = 8;

impl Store {
    /// Puts the items, replacing those with the same key, and returns when the last one is
    /// acknowledged. No two may have the same key.
    pub async fn put_all(&self, items: Vec<NewItem>) -> Result<(), Error> {
        const MOST_IN_A_BATCH: usize = 25;
        let mut items = items.into_iter();
        let batches = std::iter::from_fn(|| {
            let batch: Vec<_> = items.by_ref().take(MOST_IN_A_BATCH).collect();
            (!batch.is_empty()).then_some(batch)
        });
        stream::iter(batches.collect::<Vec<_>>())
            .map(|batch| self.put_batch(batch))
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await
    }

    async fn put_batch(&self, items: Vec<NewItem>) -> Result<(), Error> {
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
        let mut patience = Patience::default();
        loop {
            let sent: usize = pending.values().map(Vec::len).sum();
            let request = self.client.batch_write_item();
            match request
                .set_request_items(Some(pending.clone()))
                .send()
                .await
            {
                Ok(output) => pending = output.unprocessed_items.unwrap_or_default(),
                Err(error) if throttled(&error) => {}
                Err(error) => return Err(fault("BatchWriteItem", &error)),
            }
            let left: usize = pending.values().map(Vec::len).sum();
            if left == 0 {
                return Ok(());
            }
            patience.pause(left < sent).await?;
        }
    }

    /// The items with these keys that there are, in no order. Strongly consistent.
    pub(super) async fn existing(
        &self,
        table: &str,
        mut keys: Vec<Item>,
    ) -> Result<Vec<Item>, Error> {
        const MOST_IN_A_BATCH: usize = 100;
        let mut batches = Vec::new();
        while !keys.is_empty() {
            batches.push(keys.split_off(keys.len().saturating_sub(MOST_IN_A_BATCH)));
        }
        stream::iter(batches)
            .map(|batch| self.existing_of_batch(table, batch))
            .buffer_unordered(IN_FLIGHT)
            .try_concat()
            .await
    }

    async fn existing_of_batch(&self, table: &str, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        let keys = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(true)
            .build()
            .map_err(|_| Error::Internal)?;
        let mut pending = HashMap::from([(table.to_owned(), keys)]);
        let mut found = Vec::new();
        let mut patience = Patience::default();
        while !pending.is_empty() {
            let request = self.client.batch_get_item();
            let progress = match request
                .set_request_items(Some(pending.clone()))
                .send()
                .await
            {
                Ok(output) => {
                    let items: Vec<_> = output.responses.into_iter().flatten().collect();
                    let before = found.len();
                    found.extend(items.into_iter().flat_map(|(_, items)| items));
                    pending = output.unprocessed_keys.unwrap_or_default();
                    found.len() > before
                }
                Err(error) if throttled(&error) => false,
                Err(error) => return Err(fault("BatchGetItem", &error)),
            };
            if !pending.is_empty() {
                patience.pause(progress).await?;
            }
        }
        Ok(found)
    }

    /// Sets the attributes that have a value and removes the others, if those of `unless_changed`
    /// are as they were read; `false` when they are not, and nothing is changed.
    pub(super) async fn update<'a>(
        &self,
        table: &str,
        key: Item,
        attributes: impl IntoIterator<Item = (&'a str, Option<AttributeValue>)>,
        unless_changed: impl IntoIterator<Item = (&'a str, Option<&AttributeValue>)>,
    ) -> Result<bool, Error> {
        let mut request = self
            .client
            .update_item()
            .table_name(table)
            .set_key(Some(key));
        let (mut set, mut remove, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (n, (name, value)) in attributes.into_iter().enumerate() {
            request = request.expression_attribute_names(format!("#a{n}"), name);
            let Some(value) = value else {
                remove.push(format!("#a{n}"));
                continue;
            };
            request = request.expression_attribute_values(format!(":a{n}"), value);
            set.push(format!("#a{n} = :a{n}"));
        }
        for (n, (name, value)) in unless_changed.into_iter().enumerate() {
            request = request.expression_attribute_names(format!("#c{n}"), name);
            let Some(value) = value else {
                conditions.push(format!("attribute_not_exists(#c{n})"));
                continue;
            };
            request = request.expression_attribute_values(format!(":c{n}"), value.clone());
            conditions.push(format!("#c{n} = :c{n}"));
        }
        let clause = |verb: &str, parts: &[String]| match parts {
            [] => String::new(),
            _ => format!("{verb} {} ", parts.join(", ")),
        };
        let request = request
            .update_expression(clause("SET", &set) + &clause("REMOVE", &remove))
            .condition_expression(conditions.join(" AND "));
        let mut patience = Patience::default();
        loop {
            match request.clone().send().await {
                Ok(_) => return Ok(true),
                Err(error)
                    if error
                        .as_service_error()
                        .is_some_and(UpdateItemError::is_conditional_check_failed_exception) =>
                {
                    return Ok(false);
                }
                Err(error) if throttled(&error) => patience.pause(false).await?,
                Err(error) => return Err(fault("UpdateItem", &error)),
            }
        }
    }
}

/// Pauses between attempts, longer each time, that end when ten in a row were fruitless: some
/// twenty seconds in which a table did nothing at all.
#[derive(Default)]
pub(super) struct Patience {
    fruitless: u32,
}

impl Patience {
    pub(super) async fn pause(&mut self, progress: bool) -> Result<(), Error> {
        const MOST: u32 = 10;
        self.fruitless = if progress { 1 } else { self.fruitless + 1 };
        if self.fruitless > MOST {
            tracing::error!("the store keeps throttling");
            return Err(Error::Unavailable);
        }
        tokio::time::sleep(Duration::from_millis(25 << self.fruitless.min(7))).await;
        Ok(())
    }
}
