//! DynamoDB's tables with the SDK: their creation, batches, and writes of single items under a condition.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, DeleteRequest, KeySchemaElement, KeyType,
    KeysAndAttributes, ScalarAttributeType, WriteRequest,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use model::items::{Table, Tables};
use store::{Error, ErrorKind};
use tokio::sync::Semaphore;

use super::backoff::{Attempt, repeat, unless_throttled};
use super::item::{Item, encode_all};

/// How many requests of a command are in flight at a time.
pub(super) const IN_FLIGHT: usize = 8;

/// How many writes of one item are in flight at a time, of responses and users together. Each takes a
/// connection, of which a `feedback serve` with the usual limit of open files has 128.
const SINGLE_WRITES_IN_FLIGHT: usize = 50;

/// The tables of an AWS account, or at an endpoint.
#[derive(Debug)]
pub(super) struct DynamoDbTables {
    pub(super) client: Client,
    pub(super) tables: Tables,
    single_writes: Semaphore,
}

impl DynamoDbTables {
    pub(super) fn new(client: Client, tables: Tables) -> Self {
        Self {
            client,
            tables,
            single_writes: Semaphore::new(SINGLE_WRITES_IN_FLIGHT),
        }
    }

    /// Creates a table, unless it exists, and waits until it is ready.
    pub(super) async fn create_missing(&self, table: Table) -> Result<(), Error> {
        let (hash, range) = table.key_names();
        let keys = [
            Some((hash, KeyType::Hash)),
            range.map(|range| (range, KeyType::Range)),
        ];
        let mut request = self
            .client
            .create_table()
            .table_name(self.tables.name(table))
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
            .table_name(self.tables.name(table));
        waiter.wait(LIMIT).await.map(drop).map_err(|_| {
            let code = "a new table is not ready after a minute";
            Error::new(ErrorKind::Unavailable, "DescribeTable", code)
        })
    }

    pub(super) async fn delete(&self, table: Table, keys: Vec<Item>) -> Result<(), Error> {
        const MAX_IN_A_BATCH: usize = 25;
        let request = |key| {
            let delete = DeleteRequest::builder()
                .set_key(Some(key))
                .build()
                .map_err(|_| incomplete(WRITE))?;
            Ok(WriteRequest::builder().delete_request(delete).build())
        };
        let requests: Vec<_> = keys
            .into_iter()
            .map(request)
            .collect::<Result<_, Error>>()?;
        let batches: Vec<_> = requests.chunks(MAX_IN_A_BATCH).map(<[_]>::to_vec).collect();
        stream::iter(batches)
            .map(|batch| self.write_batch(table, batch))
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await
    }

    /// Writes a batch, and repeats what the store left undone.
    async fn write_batch(&self, table: Table, batch: Vec<WriteRequest>) -> Result<(), Error> {
        let writes = batch.len();
        let mut pending = HashMap::from([(self.tables.name(table).to_owned(), batch)]);
        repeat(WRITE, writes, async || {
            let request = self.client.batch_write_item();
            let sent = request
                .set_request_items(Some(pending.clone()))
                .send()
                .await;
            let output = sent.map_err(|error| Error::from_sdk(WRITE, &error))?;
            pending = output.unprocessed_items.unwrap_or_default();
            Ok(match pending.values().map(Vec::len).sum() {
                0 => Attempt::Done(()),
                left => Attempt::Left(left),
            })
        })
        .await
    }

    /// Reads all items of a table, and calls `items` with those of each page, in DynamoDB's JSON.
    pub(super) async fn scan(
        &self,
        table: Table,
        mut items: impl FnMut(Vec<String>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        const OPERATION: &str = "Scan";
        let mut next = None;
        loop {
            let scan = self
                .client
                .scan()
                .table_name(self.tables.name(table))
                .set_exclusive_start_key(next);
            let page = unless_throttled(OPERATION, async || {
                let sent = scan.clone().send().await;
                sent.map_err(|error| Error::from_sdk(OPERATION, &error))
            })
            .await?;
            items(encode_all(page.items())?)?;
            next = page.last_evaluated_key;
            if next.is_none() {
                return Ok(());
            }
        }
    }

    pub(super) async fn get(&self, table: Table, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        const MAX_IN_A_BATCH: usize = 100;
        stream::iter(keys.chunks(MAX_IN_A_BATCH))
            .map(|batch| self.get_batch(table, batch.to_vec()))
            .buffer_unordered(IN_FLIGHT)
            .try_concat()
            .await
    }

    async fn get_batch(&self, table: Table, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        const OPERATION: &str = "BatchGetItem";
        let reads = keys.len();
        let keys = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(true)
            .build()
            .map_err(|_| incomplete(OPERATION))?;
        let mut pending = HashMap::from([(self.tables.name(table).to_owned(), keys)]);
        let mut found = Vec::new();
        repeat(OPERATION, reads, async || {
            let request = self.client.batch_get_item();
            let sent = request
                .set_request_items(Some(pending.clone()))
                .send()
                .await;
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

    /// Runs updates, in no order. Returns for each whether its condition held; otherwise, it has changed
    /// nothing.
    pub(super) async fn update_all<T>(
        &self,
        updates: Vec<(UpdateItemFluentBuilder, T)>,
    ) -> Result<Vec<(bool, T)>, Error> {
        stream::iter(updates)
            .map(async |(update, of)| Ok((self.update(&update).await?, of)))
            .buffer_unordered(SINGLE_WRITES_IN_FLIGHT)
            .try_collect()
            .await
    }

    pub(super) fn request(&self, update: &Update<'_>) -> UpdateItemFluentBuilder {
        let mut placeholders = Placeholders::default();
        let mut set = Vec::new();
        let mut remove = Vec::new();
        let mut conditions = Vec::new();
        for (name, value) in &update.set {
            let name = placeholders.name(name);
            match value {
                Some(value) => set.push(format!("{name} = {}", placeholders.value(value))),
                None => remove.push(name),
            }
        }
        for (name, value) in &update.unless_changed {
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
        let request = self.client.update_item();
        request
            .table_name(self.tables.name(update.table))
            .set_key(Some(update.key.clone()))
            .set_update_expression((!expression.is_empty()).then_some(expression))
            .condition_expression(conditions.join(" AND "))
            .set_expression_attribute_names(Some(names))
            .set_expression_attribute_values((!values.is_empty()).then_some(values))
    }

    /// Runs an update; returns `false` if its condition does not hold, and nothing has changed.
    pub(super) async fn update(&self, request: &UpdateItemFluentBuilder) -> Result<bool, Error> {
        const OPERATION: &str = "UpdateItem";
        unless_throttled(OPERATION, async || {
            // The semaphore is never closed.
            let _permit = self.single_writes.acquire().await;
            let sent = request.clone().send().await;
            match sent.map_err(|error| Error::from_sdk(OPERATION, &error)) {
                Ok(_) => Ok(true),
                Err(error) if error.code() == "ConditionalCheckFailedException" => Ok(false),
                Err(error) => Err(error),
            }
        })
        .await
    }
}

/// An attribute with the value that it gets or must have; `None` is none.
type Attribute<'a> = (&'a str, Option<&'a AttributeValue>);

/// A conditional update of an item.
#[derive(Debug)]
pub(super) struct Update<'a> {
    pub(super) table: Table,
    pub(super) key: Item,
    pub(super) set: Vec<Attribute<'a>>,
    /// The attributes that must still have these values.
    pub(super) unless_changed: Vec<Attribute<'a>>,
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

const WRITE: &str = "BatchWriteItem";

/// The builders of the SDK require fields that we always set.
pub(super) fn incomplete(operation: &'static str) -> Error {
    Error::new(ErrorKind::Internal, operation, "incomplete request")
}
