//! Reads and writes many items of a table at a time, in the types of the SDK.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::{AttributeValue as Stored, ImportOptions};
use shared::store::{Error, ErrorKind};

use super::engine::Engine;

/// An item as the SDK represents it.
type Item = HashMap<String, AttributeValue>;

impl Engine {
    /// Puts the items in one transaction, replacing those with the same key.
    pub(crate) async fn put_items(&self, table: &str, items: Vec<Item>) -> Result<(), Error> {
        const OPERATION: &str = "write items";
        let unknown = || Error::new(ErrorKind::Internal, OPERATION, "an unknown type");
        let table = table.to_owned();
        let written = self.with_database(move |database| {
            let items = items.into_iter().map(|item| stored_members(item));
            let items = items.collect::<Option<Vec<_>>>().ok_or_else(unknown)?;
            let written = database.import_items(&table, items, ImportOptions::default());
            written
                .map_err(|error| Error::new(ErrorKind::Unavailable, OPERATION, &error.to_string()))
        });
        written.await.ok_or_else(|| panicked(OPERATION))?.map(drop)
    }

    /// Reads the items with these hash and range keys, in no order; keys without an item are skipped.
    pub(crate) async fn get_items(
        &self,
        table: &str,
        keys: Vec<[String; 2]>,
    ) -> Result<Vec<Item>, Error> {
        const OPERATION: &str = "read items";
        let items = self.rows().items(table.to_owned(), keys, |json| {
            let item: HashMap<String, Stored> = serde_json::from_slice(json).ok()?;
            Some(attributes(item))
        });
        let items = items.await.ok_or_else(|| panicked(OPERATION))?;
        let items = items
            .map_err(|error| Error::new(ErrorKind::Unavailable, OPERATION, &error.to_string()))?;
        let damaged = || Error::new(ErrorKind::Damaged, OPERATION, "not an item");
        items.into_iter().collect::<Option<_>>().ok_or_else(damaged)
    }
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
