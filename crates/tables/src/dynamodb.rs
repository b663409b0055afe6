//! The adapter of the port for DynamoDB, with the SDK: batches, and updates of single items under a condition.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, DeleteRequest, KeySchemaElement, KeyType,
    KeysAndAttributes, ScalarAttributeType, WriteRequest,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use items::{ItemKey, ItemMembers, Table, TableNames};
use store::{Error, ErrorKind};
use tokio::sync::Semaphore;

use super::backoff::{Attempt, repeat, unless_throttled};
use super::sdk_item::{Item, decode, encode};
use super::{ItemChange, TableWriter, WriterFuture, damaged};

/// How many requests of a command are in flight at a time.
const IN_FLIGHT: usize = 8;

/// How many writes of one item are in flight at a time, of responses and users together. Each takes a
/// connection, of which a `feedback serve` with the usual limit of open files has 128.
const SINGLE_WRITES_IN_FLIGHT: usize = 50;

/// The tables of an AWS account, or at an endpoint.
pub(super) struct DynamoDbTables {
    client: Client,
    names: TableNames,
    single_writes: Semaphore,
}

impl DynamoDbTables {
    pub(super) fn new(client: Client, names: TableNames) -> Self {
        Self {
            client,
            names,
            single_writes: Semaphore::new(SINGLE_WRITES_IN_FLIGHT),
        }
    }
}

impl TableWriter for DynamoDbTables {
    fn get(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, HashMap<ItemKey, String>> {
        const MAX_IN_A_BATCH: usize = 100;
        Box::pin(async move {
            let batches: Vec<_> = keys.chunks(MAX_IN_A_BATCH).map(<[_]>::to_vec).collect();
            let items: Vec<Item> = stream::iter(batches)
                .map(|batch| self.get_batch(table, batch))
                .buffer_unordered(IN_FLIGHT)
                .try_concat()
                .await?;
            let with_key = |item: &Item| {
                let json = encode(item)?;
                let key = ItemMembers::of_item(&json).and_then(|item| item.key(table));
                Ok((key.ok_or_else(damaged)?, json))
            };
            items.iter().map(with_key).collect()
        })
    }

    fn all<'a>(
        &'a self,
        table: Table,
        page: &'a mut dyn FnMut(Vec<String>) -> Result<(), Error>,
    ) -> WriterFuture<'a, ()> {
        const OPERATION: &str = "Scan";
        Box::pin(async move {
            let mut next = None;
            loop {
                let scan = self
                    .client
                    .scan()
                    .table_name(self.names.name(table))
                    .set_exclusive_start_key(next);
                let scanned = unless_throttled(OPERATION, async || {
                    let sent = scan.clone().send().await;
                    sent.map_err(|error| Error::from_sdk(OPERATION, &error))
                })
                .await?;
                let items = scanned.items().iter().map(encode);
                page(items.collect::<Result<_, _>>()?)?;
                next = scanned.last_evaluated_key;
                if next.is_none() {
                    return Ok(());
                }
            }
        })
    }

    fn replace(&self, table: Table, changes: Vec<ItemChange>) -> WriterFuture<'_, Vec<bool>> {
        Box::pin(async move {
            stream::iter(changes)
                .map(|change| self.replace_one(table, change))
                .buffered(SINGLE_WRITES_IN_FLIGHT)
                .try_collect()
                .await
        })
    }

    fn delete(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, ()> {
        const MAX_IN_A_BATCH: usize = 25;
        let request = move |key: &ItemKey| {
            let delete = DeleteRequest::builder().set_key(Some(sdk_key(table, key)));
            let delete = delete.build().map_err(|_| incomplete(WRITE))?;
            Ok(WriteRequest::builder().delete_request(delete).build())
        };
        Box::pin(async move {
            let requests: Vec<_> = keys.iter().map(request).collect::<Result<_, Error>>()?;
            let batches: Vec<_> = requests.chunks(MAX_IN_A_BATCH).map(<[_]>::to_vec).collect();
            stream::iter(batches)
                .map(|batch| self.write_batch(table, batch))
                .buffer_unordered(IN_FLIGHT)
                .try_collect()
                .await
        })
    }

    fn create_missing(&self) -> WriterFuture<'_, ()> {
        Box::pin(async move {
            for table in Table::ALL {
                self.create(table).await?;
            }
            Ok(())
        })
    }
}

impl DynamoDbTables {
    /// Creates a table, unless it exists, and waits until it is ready.
    async fn create(&self, table: Table) -> Result<(), Error> {
        let (hash, range) = table.key_names();
        let keys = [
            Some((hash, KeyType::Hash)),
            range.map(|range| (range, KeyType::Range)),
        ];
        let mut request = self
            .client
            .create_table()
            .table_name(self.names.name(table))
            .billing_mode(BillingMode::PayPerRequest);
        for (name, key_type) in keys.into_iter().flatten() {
            let definition = AttributeDefinition::builder()
                .attribute_name(name)
                .attribute_type(ScalarAttributeType::S)
                .build()
                .map_err(|_| incomplete("CreateTable"))?;
            let key = KeySchemaElement::builder()
                .attribute_name(name)
                .key_type(key_type)
                .build()
                .map_err(|_| incomplete("CreateTable"))?;
            request = request.attribute_definitions(definition).key_schema(key);
        }
        let sent = request.send().await;
        match sent.map_err(|error| Error::from_sdk("CreateTable", &error)) {
            Ok(_) => self.wait_for(table).await,
            Err(error) if error.code() == "ResourceInUseException" => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Waits until a new table is ready, which takes DynamoDB some seconds.
    async fn wait_for(&self, table: Table) -> Result<(), Error> {
        const LIMIT: Duration = Duration::from_mins(1);
        let waiter = self
            .client
            .wait_until_table_exists()
            .table_name(self.names.name(table));
        waiter.wait(LIMIT).await.map(drop).map_err(|_| {
            let code = "a new table is not ready after a minute";
            Error::new(ErrorKind::Unavailable, "DescribeTable", code)
        })
    }

    /// Writes a batch, and repeats what the store left undone.
    async fn write_batch(&self, table: Table, batch: Vec<WriteRequest>) -> Result<(), Error> {
        let writes = batch.len();
        let mut pending = HashMap::from([(self.names.name(table).to_owned(), batch)]);
        repeat(WRITE, writes, async || {
            let request = self.client.batch_write_item();
            let request = request.set_request_items(Some(pending.clone()));
            let sent = request.send().await;
            let output = sent.map_err(|error| Error::from_sdk(WRITE, &error))?;
            pending = output.unprocessed_items.unwrap_or_default();
            Ok(match pending.values().map(Vec::len).sum() {
                0 => Attempt::Done(()),
                left => Attempt::Left(left),
            })
        })
        .await
    }

    async fn get_batch(&self, table: Table, keys: Vec<ItemKey>) -> Result<Vec<Item>, Error> {
        const OPERATION: &str = "BatchGetItem";
        let reads = keys.len();
        let keys = KeysAndAttributes::builder()
            .set_keys(Some(keys.iter().map(|key| sdk_key(table, key)).collect()))
            .consistent_read(true)
            .build()
            .map_err(|_| incomplete(OPERATION))?;
        let mut pending = HashMap::from([(self.names.name(table).to_owned(), keys)]);
        let mut found = Vec::new();
        repeat(OPERATION, reads, async || {
            let request = self.client.batch_get_item();
            let request = request.set_request_items(Some(pending.clone()));
            let sent = request.send().await;
            let output = sent.map_err(|error| Error::from_sdk(OPERATION, &error))?;
            let of_tables = output.responses.into_iter().flatten();
            found.extend(of_tables.flat_map(|(_, items)| items));
            pending = output.unprocessed_keys.unwrap_or_default();
            Ok(match pending.values().map(|keys| keys.keys.len()).sum() {
                0 => Attempt::Done(std::mem::take(&mut found)),
                left => Attempt::Left(left),
            })
        })
        .await
    }

    /// Makes a change with as many updates as it takes. The guarded attributes are changed by the last one, so
    /// that a change which is interrupted is found and made again.
    async fn replace_one(&self, table: Table, change: ItemChange) -> Result<bool, Error> {
        // An expression has at most 4 KB.
        const AT_ONCE: usize = 100;
        let before = match &change.before {
            Some(json) => decode(json)?,
            None => Item::new(),
        };
        let after = decode(&change.after)?;
        let (hash, range) = table.key_names();
        let is_changed = |name: &&str| {
            *name != hash && Some(*name) != range && before.get(*name) != after.get(*name)
        };
        let names: BTreeSet<&str> = before
            .keys()
            .chain(after.keys())
            .map(String::as_str)
            .collect();
        let mut changed: Vec<_> = names.into_iter().filter(is_changed).collect();
        changed.sort_by_key(|name| change.guard.contains(name));
        let mut updates: Vec<_> = changed.rchunks(AT_ONCE).rev().collect();
        if updates.is_empty() {
            updates.push(&[]);
        }
        for names in updates {
            let update = self.update(table, &change, names, &before, &after);
            if !self.send_update(&update).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes the update that gives attributes of these names their values after a change, on condition that the guarded
    /// ones still have theirs before it.
    fn update(
        &self,
        table: Table,
        change: &ItemChange,
        names: &[&str],
        before: &Item,
        after: &Item,
    ) -> UpdateItemFluentBuilder {
        let mut attribute_names = HashMap::new();
        let mut values = HashMap::new();
        let mut placeholders =
            |kind: char, n: usize, name: &str, value: Option<&AttributeValue>| {
                let [of_name, of_value] = ['#', ':'].map(|sign| format!("{sign}{kind}{n}"));
                attribute_names.insert(of_name.clone(), name.to_owned());
                let value = value.map(|value| {
                    values.insert(of_value.clone(), value.clone());
                    of_value
                });
                (of_name, value)
            };
        let mut sets = Vec::new();
        let mut removes = Vec::new();
        for (n, name) in names.iter().enumerate() {
            match placeholders('s', n, name, after.get(*name)) {
                (name, Some(value)) => sets.push(format!("{name} = {value}")),
                (name, None) => removes.push(name),
            }
        }
        let mut conditions = Vec::new();
        for (n, name) in change.guard.iter().enumerate() {
            conditions.push(match placeholders('g', n, name, before.get(*name)) {
                (name, Some(value)) => format!("{name} = {value}"),
                (name, None) => format!("attribute_not_exists({name})"),
            });
        }
        let clause = |verb: &str, parts: &[String]| match parts {
            [] => String::new(),
            _ => format!("{verb} {} ", parts.join(", ")),
        };
        let expression = clause("SET", &sets) + &clause("REMOVE", &removes);
        self.client
            .update_item()
            .table_name(self.names.name(table))
            .set_key(Some(sdk_key(table, &change.key)))
            .set_expression_attribute_names(Some(attribute_names))
            .set_expression_attribute_values((!values.is_empty()).then_some(values))
            .set_update_expression((!expression.is_empty()).then_some(expression))
            .condition_expression(conditions.join(" AND "))
    }

    /// Sends an update; returns `false` if its condition does not hold, and nothing has changed.
    async fn send_update(&self, update: &UpdateItemFluentBuilder) -> Result<bool, Error> {
        const OPERATION: &str = "UpdateItem";
        unless_throttled(OPERATION, async || {
            // The semaphore is never closed.
            let _permit = self.single_writes.acquire().await;
            let sent = update.clone().send().await;
            match sent.map_err(|error| Error::from_sdk(OPERATION, &error)) {
                Ok(_) => Ok(true),
                Err(error) if error.code() == "ConditionalCheckFailedException" => Ok(false),
                Err(error) => Err(error),
            }
        })
        .await
    }
}

fn sdk_key(table: Table, key: &ItemKey) -> Item {
    let (hash, range) = table.key_names();
    let text = |text: &String| AttributeValue::S(text.clone());
    let of_range = range.zip(key.range.as_ref());
    let attributes = of_range.map(|(name, range)| (name.to_owned(), text(range)));
    attributes
        .into_iter()
        .chain([(hash.to_owned(), text(&key.hash))])
        .collect()
}

const WRITE: &str = "BatchWriteItem";

/// The builders of the SDK require fields that we always set.
fn incomplete(operation: &'static str) -> Error {
    Error::new(ErrorKind::Internal, operation, "incomplete request")
}
