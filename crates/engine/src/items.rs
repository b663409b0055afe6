//! Reads and writes many items of a table at a time, and creates the tables.

use dynoxide::{Database, DynoxideError};
use serde_json::json;
use serde_json::value::RawValue;
use shared::items::{Item, Table, decode, encode, key_of};
use shared::store::{Error, ErrorKind};

use super::database::Engine;
use super::operations;
use super::readers::Failure;
use super::writer::Written;

const READ: &str = "read items";
const WRITE: &str = "write items";

impl Engine {
    /// Creates the tables that do not exist.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub async fn create_missing_tables(&self) -> Result<(), Error> {
        for table in Table::ALL {
            let (hash, range) = table.key_names();
            let keys = [("HASH", Some(hash)), ("RANGE", range)];
            let keys = keys
                .into_iter()
                .filter_map(|(kind, name)| Some((kind, name?)));
            let attribute = |(_, name)| json!({"AttributeName": name, "AttributeType": "S"});
            let key = |(kind, name)| json!({"AttributeName": name, "KeyType": kind});
            let request = json!({
                "TableName": self.tables().name(table),
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": keys.clone().map(attribute).collect::<Vec<_>>(),
                "KeySchema": keys.map(key).collect::<Vec<_>>(),
            });
            let create = move |database: &Database| {
                operations::run(database, "CreateTable", &request.to_string())
            };
            match self.with_database(create).await {
                Some(Ok(_) | Err(DynoxideError::ResourceInUseException(_))) => {}
                Some(Err(error)) => return Err(failure("CreateTable", &error.to_string())),
                None => return Err(panicked("CreateTable")),
            }
        }
        Ok(())
    }

    /// Puts the items, which are as DynamoDB returns them, replacing those with the same key: in one transaction, unless
    /// dynoxide maintains the table.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written, or the table is missing or another one.
    pub async fn put(&self, table: Table, items: Vec<Item>) -> Result<(), Error> {
        let name = self.tables().name(table).to_owned();
        let written =
            self.with_writer(move |writer, database| match writer.put(table, &items)? {
                Written::Rows => Ok(()),
                Written::NotPlain => each(database, "PutItem", &name, "Item", &items),
            });
        outcome(WRITE, written.await)
    }

    /// Deletes the items with the keys of these, as far as they exist: in one transaction, unless dynoxide maintains the
    /// table.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written, or the table is missing or another one.
    pub async fn delete(&self, table: Table, keys: Vec<Item>) -> Result<(), Error> {
        let name = self.tables().name(table).to_owned();
        let written =
            self.with_writer(move |writer, database| match writer.delete(table, &keys)? {
                Written::Rows => Ok(()),
                Written::NotPlain => {
                    let keys: Vec<_> = keys.iter().map(|item| key_of(table, item)).collect();
                    each(database, "DeleteItem", &name, "Key", &keys)
                }
            });
        outcome(WRITE, written.await)
    }

    /// Reads the items with the keys of these records; keys without an item are skipped. Returns the position of each
    /// key, and the item unless it is the record: then nothing is decoded.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or the table is missing or another one.
    pub async fn compare(
        &self,
        table: Table,
        records: &[&Item],
    ) -> Result<Vec<(usize, Compared)>, Error> {
        let keys = records.iter().map(|record| key_of(table, record)).collect();
        let stored = self.stored(table, keys).await?.into_iter();
        let compared = stored.map(|(position, json)| {
            let record = records.get(position).and_then(|record| encode(record));
            if record.is_some_and(|record| record.as_bytes() == json) {
                return Ok((position, Compared::Same));
            }
            Ok((position, Compared::Other(item(READ, &json)?)))
        });
        compared.collect()
    }

    /// Reads the items with these keys, in no order; keys without an item are skipped.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or the table is missing or another one.
    pub async fn get(&self, table: Table, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        let stored = self.stored(table, keys).await?;
        stored.iter().map(|(_, json)| item(READ, json)).collect()
    }

    /// Reads all credentials, in no order.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or the table is missing or another one.
    pub async fn credentials(&self) -> Result<Vec<Item>, Error> {
        let name = self.tables().name(Table::Credentials).to_owned();
        let read = self.read(READ, move |reader| reader.credentials(&name, None));
        read.await?.iter().map(|json| item(READ, json)).collect()
    }

    async fn stored(&self, table: Table, keys: Vec<Item>) -> Result<Vec<(usize, Vec<u8>)>, Error> {
        let read = self.with_writer(move |writer, _| writer.read(table, &keys));
        outcome(READ, read.await)
    }
}

/// What is stored under the key of a record.
#[derive(Debug, PartialEq)]
pub enum Compared {
    /// The record.
    Same,
    /// This item.
    Other(Item),
}

/// Writes the items of a table that dynoxide maintains, one by one.
fn each(
    database: &Database,
    operation: &str,
    table: &str,
    member: &str,
    items: &[Item],
) -> Result<(), Failure> {
    for item in items {
        let item = encode(item).ok_or(Failure::NoItem)?;
        let item = RawValue::from_string(item).map_err(|_| Failure::NoItem)?;
        let request = json!({"TableName": table, member: item}).to_string();
        operations::run(database, operation, &request)
            .map_err(|error| Failure::Database(error.to_string()))?;
    }
    Ok(())
}

/// Returns what was read or written.
pub(super) fn outcome<T>(
    operation: &'static str,
    outcome: Option<Result<T, Failure>>,
) -> Result<T, Error> {
    match outcome {
        Some(Ok(outcome)) => Ok(outcome),
        Some(Err(Failure::NoTable)) => {
            let code = "the table does not exist, has other keys, or has vectors";
            Err(Error::new(ErrorKind::Refused, operation, code))
        }
        Some(Err(Failure::NoItem)) => Err(Error::new(
            ErrorKind::Internal,
            operation,
            "not an item of the table",
        )),
        Some(Err(Failure::Database(reason))) => Err(failure(operation, &reason)),
        None => Err(panicked(operation)),
    }
}

fn failure(operation: &'static str, reason: &str) -> Error {
    Error::new(ErrorKind::Unavailable, operation, reason)
}

fn panicked(operation: &'static str) -> Error {
    Error::new(ErrorKind::Internal, operation, "panicked")
}

/// Decodes a stored item.
pub(super) fn item(operation: &'static str, json: &[u8]) -> Result<Item, Error> {
    decode(json).ok_or_else(|| Error::new(ErrorKind::Damaged, operation, "not an item"))
}
