//! Reads and writes many items of a table at a time, in the types of the SDK.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::actions::import_items;
use dynoxide::{AttributeValue as Stored, DynoxideError, ImportOptions};
use futures_util::FutureExt as _;
use shared::store::{Error, ErrorKind};

use super::engine::Engine;
use super::rows::{Reader, Unanswered};

/// An item as the SDK represents it.
type Item = HashMap<String, AttributeValue>;

impl Engine {
    /// Puts the items in one transaction, replacing those with the same key.
    pub(crate) async fn put_items(&self, table: &str, items: Vec<Item>) -> Result<(), Error> {
        const OPERATION: &str = "write items";
        let items = items.into_iter().map(stored_members);
        let items = items
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Error::new(ErrorKind::Internal, OPERATION, "an unknown type"))?;
        let table = table.to_owned();
        let written = self.with_bulk(move |storage| {
            let options = ImportOptions::default();
            let writing = import_items::execute(storage, &table, items, &options);
            // It never waits: dynoxide's futures over a file are ready when they are first polled.
            let unfinished = || DynoxideError::InternalServerError("unfinished".to_owned());
            writing.now_or_never().unwrap_or_else(|| Err(unfinished()))
        });
        match written.await.ok_or_else(|| panicked(OPERATION))? {
            Ok(_) => Ok(()),
            Err(error) => {
                let code = error.to_string();
                Err(Error::new(ErrorKind::Unavailable, OPERATION, &code))
            }
        }
    }

    /// Reads the items with these keys, in no order; keys without an item are skipped. Returns `None` if
    /// the table cannot be read as rows.
    pub(crate) async fn get_items(
        &self,
        table: &str,
        keys: &[Item],
    ) -> Result<Option<Vec<Item>>, Error> {
        const OPERATION: &str = "read items";
        let text = |(name, value): (&String, &AttributeValue)| {
            let text = value.as_s().ok()?;
            Some((name.clone(), text.clone()))
        };
        let keys = keys.iter().map(|key| key.iter().filter_map(text).collect());
        let (table, keys) = (table.to_owned(), keys.collect::<Vec<_>>());
        self.read_items(OPERATION, move |reader| {
            let items = reader.items(&table, &keys, item)?;
            Ok(items.into_iter().collect())
        })
        .await
    }

    /// Passes over the items with this hash key. Returns those that contain a string, anywhere, and the
    /// number of all. Returns `None` if the table cannot be read as rows.
    pub(crate) async fn items_containing(
        &self,
        table: &str,
        hash: &str,
        string: &str,
    ) -> Result<Option<(Vec<Item>, u64)>, Error> {
        // The JSON of items is serde_json's, so equal strings are equal texts.
        let text = serde_json::Value::from(string).to_string();
        let (table, hash) = (table.to_owned(), hash.to_owned());
        self.read_items("search items", move |reader| {
            let (items, count) = reader.containing(&table, &hash, &text, item)?;
            let items: Option<_> = items.into_iter().collect();
            Ok(items.map(|items| (items, count)))
        })
        .await
    }

    /// The function returns `None` if an item is damaged.
    async fn read_items<T: Send + 'static>(
        &self,
        operation: &'static str,
        function: impl FnOnce(&mut Reader) -> Result<Option<T>, Unanswered> + Send + 'static,
    ) -> Result<Option<T>, Error> {
        let read = self.rows().with_reader(function).await;
        match read.ok_or_else(|| panicked(operation))? {
            Ok(None) => Err(Error::new(ErrorKind::Damaged, operation, "not an item")),
            Ok(items) => Ok(items),
            Err(Unanswered::Unfit) => Ok(None),
            Err(Unanswered::Failed(error)) => {
                let code = error.to_string();
                Err(Error::new(ErrorKind::Unavailable, operation, &code))
            }
        }
    }
}

/// Decodes a stored item; returns `None` if it is damaged.
fn item(json: &[u8]) -> Option<Item> {
    let item: HashMap<String, Stored> = serde_json::from_slice(json).ok()?;
    Some(attributes(item))
}

fn panicked(operation: &'static str) -> Error {
    Error::new(ErrorKind::Internal, operation, "panicked")
}

/// Converts an item or a map for dynoxide; returns `None` if the type of a value is unknown.
fn stored_members(members: Item) -> Option<HashMap<String, Stored>> {
    let members = members.into_iter();
    let members = members.map(|(name, value)| Some((name, stored(value)?)));
    members.collect()
}

/// Converts a value for dynoxide; returns `None` if its type is unknown.
fn stored(value: AttributeValue) -> Option<Stored> {
    Some(match value {
        AttributeValue::S(text) => Stored::S(text),
        AttributeValue::N(digits) => Stored::N(digits),
        AttributeValue::Bool(flag) => Stored::BOOL(flag),
        AttributeValue::Null(flag) => Stored::NULL(flag),
        AttributeValue::M(map) => Stored::M(stored_members(map)?),
        AttributeValue::L(list) => Stored::L(list.into_iter().map(stored).collect::<Option<_>>()?),
        AttributeValue::Ss(texts) => Stored::SS(texts),
        AttributeValue::Ns(numbers) => Stored::NS(numbers),
        AttributeValue::B(blob) => Stored::B(blob.into_inner()),
        AttributeValue::Bs(blobs) => Stored::BS(blobs.into_iter().map(Blob::into_inner).collect()),
        _ => return None,
    })
}

fn attributes(members: HashMap<String, Stored>) -> Item {
    let members = members.into_iter();
    let members = members.map(|(name, value)| (name, attribute(value)));
    members.collect()
}

fn attribute(value: Stored) -> AttributeValue {
    match value {
        Stored::S(text) => AttributeValue::S(text),
        Stored::N(digits) => AttributeValue::N(digits),
        Stored::BOOL(flag) => AttributeValue::Bool(flag),
        Stored::NULL(flag) => AttributeValue::Null(flag),
        Stored::M(map) => AttributeValue::M(attributes(map)),
        Stored::L(list) => AttributeValue::L(list.into_iter().map(attribute).collect()),
        Stored::SS(texts) => AttributeValue::Ss(texts),
        Stored::NS(numbers) => AttributeValue::Ns(numbers),
        Stored::B(bytes) => AttributeValue::B(Blob::new(bytes)),
        Stored::BS(blobs) => AttributeValue::Bs(blobs.into_iter().map(Blob::new).collect()),
    }
}
