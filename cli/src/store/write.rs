//! Batch writes, batch reads, and conditional updates.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, PutRequest, WriteRequest};
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::store::{Error, ErrorKind, is_throttled};

use super::attributes::Item;
use super::backoff::{Backoff, unless_throttled};
use super::{AdminStore, IN_FLIGHT, NewItem, SINGLE_WRITES_IN_FLIGHT};
use crate::embedded::Engine;

impl AdminStore {
    /// Puts the items, replacing those with the same key, and returns when all are acknowledged. No
    /// two of them may have the same key.
    pub(crate) async fn put_all(&self, items: Vec<NewItem>) -> Result<(), Error> {
        let items = match &self.engine {
            Some(engine) => self.put_rows(engine, items).await?,
            None => items,
        };
        let mut items = items.into_iter();
        let batches = std::iter::from_fn(|| {
            let batch: Vec<_> = items.by_ref().take(MAX_IN_A_BATCH).collect();
            (!batch.is_empty()).then_some(batch)
        });
        stream::iter(batches.collect::<Vec<_>>())
            .map(|batch| self.put_batch(batch))
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await
    }

    /// Puts the items that can be written as rows of the engine, and returns the others.
    async fn put_rows(&self, engine: &Engine, items: Vec<NewItem>) -> Result<Vec<NewItem>, Error> {
        let mut by_table: HashMap<&str, (_, Vec<Item>)> = HashMap::new();
        for NewItem { table, item } in items {
            let of_table = by_table.entry(table(&self.tables));
            of_table.or_insert((table, Vec::new())).1.push(item);
        }
        let mut others = Vec::new();
        for (name, (table, items)) in by_table {
            let items = Arc::new(items);
            if !engine.put_items(name, items.clone()).await? {
                let items = Arc::unwrap_or_clone(items).into_iter();
                others.extend(items.map(|item| NewItem { table, item }));
            }
        }
        Ok(others)
    }

    async fn put_batch(&self, items: Vec<NewItem>) -> Result<(), Error> {
        let mut pending: HashMap<String, Vec<WriteRequest>> = HashMap::new();
        for NewItem { table, item } in items {
            let put = PutRequest::builder().set_item(Some(item)).build();
            let put = put.map_err(|_| incomplete("BatchWriteItem"))?;
            pending
                .entry(table(&self.tables).clone())
                .or_default()
                .push(WriteRequest::builder().put_request(put).build());
        }
        self.write_batch(pending).await
    }

    /// Writes a batch, of at most 25 requests, and repeats what the store left undone.
    pub(super) async fn write_batch(
        &self,
        mut pending: HashMap<String, Vec<WriteRequest>>,
    ) -> Result<(), Error> {
        const OPERATION: &str = "BatchWriteItem";
        let mut backoff = Backoff::default();
        loop {
            let sent: usize = pending.values().map(Vec::len).sum();
            let request = self.client.batch_write_item();
            match request
                .set_request_items(Some(pending.clone()))
                .send()
                .await
            {
                Ok(output) => pending = output.unprocessed_items.unwrap_or_default(),
                Err(error) if is_throttled(&error) => {}
                Err(error) => return Err(Error::from_sdk(OPERATION, &error)),
            }
            let left: usize = pending.values().map(Vec::len).sum();
            if left == 0 {
                return Ok(());
            }
            backoff.pause(OPERATION, left < sent).await?;
        }
    }

    /// Reads the items with these keys, in no order; keys without an item are skipped. Strongly
    /// consistent.
    pub(super) async fn get_all(&self, table: &str, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        const MAX_IN_A_BATCH: usize = 100;
        let keys = Arc::new(keys);
        if let Some(engine) = &self.engine
            && let Some(items) = engine.get_items(table, keys.clone()).await?
        {
            return Ok(items);
        }
        stream::iter(keys.chunks(MAX_IN_A_BATCH))
            .map(|batch| self.get_batch(table, batch.to_vec()))
            .buffer_unordered(IN_FLIGHT)
            .try_concat()
            .await
    }

    async fn get_batch(&self, table: &str, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        const OPERATION: &str = "BatchGetItem";
        let keys = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(true)
            .build()
            .map_err(|_| incomplete(OPERATION))?;
        let mut pending = HashMap::from([(table.to_owned(), keys)]);
        let mut found = Vec::new();
        let mut backoff = Backoff::default();
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
                Err(error) if is_throttled(&error) => false,
                Err(error) => return Err(Error::from_sdk(OPERATION, &error)),
            };
            if !pending.is_empty() {
                backoff.pause(OPERATION, progress).await?;
            }
        }
        Ok(found)
    }

    /// Sets the attributes that have a value and removes the others, provided that the attributes in
    /// `unless_changed` still have these values.
    pub(super) fn update<'a>(
        &self,
        table: &str,
        key: Item,
        attributes: impl IntoIterator<Item = (&'a str, Option<&'a AttributeValue>)>,
        unless_changed: impl IntoIterator<Item = (&'a str, Option<&'a AttributeValue>)>,
    ) -> Update {
        let mut placeholders = Placeholders::default();
        let (mut set, mut remove, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (name, value) in attributes {
            let name = placeholders.name(name);
            match value {
                Some(value) => set.push(format!("{name} = {}", placeholders.value(value))),
                None => remove.push(name),
            }
        }
        for (name, value) in unless_changed {
            let name = placeholders.name(name);
            conditions.push(match value {
                Some(value) => format!("{name} = {}", placeholders.value(value)),
                None => format!("attribute_not_exists({name})"),
            });
        }
        let clause = |verb: &str, parts: &[String]| match parts {
            [] => String::new(),
            _ => format!("{verb} {} ", parts.join(", ")),
        };
        let expression = clause("SET", &set) + &clause("REMOVE", &remove);
        let Placeholders { names, values } = placeholders;
        let request = self.client.update_item().table_name(table);
        let request = request
            .set_key(Some(key))
            .set_update_expression((!expression.is_empty()).then_some(expression))
            .condition_expression(conditions.join(" AND "))
            .set_expression_attribute_names(Some(names))
            .set_expression_attribute_values((!values.is_empty()).then_some(values));
        Update(request)
    }

    /// Sends updates until the store has throttled none of them. Returns for each whether the condition held.
    pub(super) async fn update_all<T>(
        &self,
        mut updates: Vec<(Update, T)>,
    ) -> Result<Vec<(bool, T)>, Error> {
        let mut sent = Vec::with_capacity(updates.len());
        let mut backoff = Backoff::default();
        loop {
            let before = updates.len();
            let mut throttled = Vec::new();
            let mut outcomes = stream::iter(updates)
                .map(async |(update, of): (Update, T)| {
                    let _permit = self.single_writes.acquire().await;
                    (update.send().await, update, of)
                })
                .buffer_unordered(SINGLE_WRITES_IN_FLIGHT);
            while let Some((outcome, update, of)) = outcomes.next().await {
                match outcome {
                    Ok(is_updated) => sent.push((is_updated, of)),
                    Err(error) if is_throttled(&error) => throttled.push((update, of)),
                    Err(error) => return Err(Error::from_sdk(Update::OPERATION, &error)),
                }
            }
            if throttled.is_empty() {
                return Ok(sent);
            }
            let progress = throttled.len() < before;
            backoff.pause(Update::OPERATION, progress).await?;
            updates = throttled;
        }
    }
}

/// A conditional update of an item.
pub(super) struct Update(UpdateItemFluentBuilder);

impl Update {
    const OPERATION: &str = "UpdateItem";

    /// Updates the item; returns `false` if the condition does not hold, and nothing has changed.
    pub(super) async fn run(&self) -> Result<bool, Error> {
        unless_throttled(Self::OPERATION, async || self.send().await).await
    }

    async fn send(&self) -> Result<bool, SdkError<UpdateItemError, HttpResponse>> {
        match self.0.clone().send().await {
            Ok(_) => Ok(true),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(UpdateItemError::is_conditional_check_failed_exception) =>
            {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// The names and values of an expression, by the placeholders that stand for them.
#[derive(Default)]
struct Placeholders {
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Placeholders {
    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    fn value(&mut self, value: &AttributeValue) -> String {
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value.clone());
        placeholder
    }
}

/// The most requests that one `BatchWriteItem` takes.
pub(super) const MAX_IN_A_BATCH: usize = 25;

/// The builders of the SDK require fields that we always set.
pub(super) fn incomplete(operation: &'static str) -> Error {
    Error::new(ErrorKind::Internal, operation, "incomplete request")
}
