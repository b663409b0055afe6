//! Reads and writes many items of a table at a time, in the types of the SDK.

use std::sync::Arc;

use shared::store::{Error, ErrorKind};

use super::attributes::{decode, encode};
use super::engine::Engine;
use super::rows::Unanswered;
use crate::store::Item;

const READ: &str = "read items";

impl Engine {
    /// Puts the items, which are as DynamoDB returns them, in one transaction, replacing those with the same key.
    /// Returns `false` if the rows of the table cannot be written, and writes nothing.
    pub(crate) async fn put_items(
        &self,
        table: &str,
        items: Arc<Vec<Item>>,
    ) -> Result<bool, Error> {
        let table = table.to_owned();
        let written = self.with_bulk(move |bulk| bulk.put(&table, &items)).await;
        Ok(outcome("write items", written)?.is_some())
    }

    /// Reads the items with these keys, in no order; keys without an item are skipped. Returns `None` if
    /// the table cannot be read as rows.
    pub(crate) async fn get_items(
        &self,
        table: &str,
        keys: Arc<Vec<Item>>,
    ) -> Result<Option<Vec<Item>>, Error> {
        let Some(items) = self.read_items(table, keys).await? else {
            return Ok(None);
        };
        let items = items.iter().map(|(_, json)| item(READ, json));
        items.collect::<Result<_, _>>().map(Some)
    }

    /// Reads the items with these keys. Returns the position of each key that has one, and the item unless it is the
    /// expected one: then nothing is decoded. Returns `None` if the table cannot be read as rows.
    pub(crate) async fn compare_items(
        &self,
        table: &str,
        keys: Arc<Vec<Item>>,
        expected: &[Option<&Item>],
    ) -> Result<Option<Vec<(usize, Option<Item>)>>, Error> {
        let Some(stored) = self.read_items(table, keys).await? else {
            return Ok(None);
        };
        let compared = stored.into_iter().map(|(position, json)| {
            let expected = expected.get(position).copied().flatten();
            let is_same = expected
                .and_then(encode)
                .is_some_and(|expected| expected.as_bytes() == json);
            let other = (!is_same).then(|| item(READ, &json)).transpose()?;
            Ok((position, other))
        });
        compared.collect::<Result<_, _>>().map(Some)
    }

    async fn read_items(
        &self,
        table: &str,
        keys: Arc<Vec<Item>>,
    ) -> Result<Option<Vec<(usize, Vec<u8>)>>, Error> {
        let table = table.to_owned();
        let read = self.with_bulk(move |bulk| bulk.read(&table, &keys)).await;
        outcome(READ, read)
    }

    /// Passes over the items with this hash key. Returns those that contain a string, anywhere, and the
    /// number of all. Returns `None` if the table cannot be read as rows.
    pub(crate) async fn items_containing(
        &self,
        table: &str,
        hash: &str,
        string: &str,
    ) -> Result<Option<(Vec<Item>, u64)>, Error> {
        const OPERATION: &str = "search items";
        // The JSON of items is serde_json's, so equal strings are equal texts.
        let text = serde_json::Value::from(string).to_string();
        let (table, hash) = (table.to_owned(), hash.to_owned());
        let read = self.rows().with_reader(move |reader| {
            reader.containing(&table, &hash, &text, |json| item(OPERATION, json))
        });
        let Some((items, count)) = outcome(OPERATION, read.await)? else {
            return Ok(None);
        };
        let items: Result<_, _> = items.into_iter().collect();
        Ok(Some((items?, count)))
    }
}

/// Returns what was read or written; `None` if the table cannot be used as rows.
pub(super) fn outcome<T>(
    operation: &'static str,
    outcome: Option<Result<T, Unanswered>>,
) -> Result<Option<T>, Error> {
    match outcome {
        Some(Ok(outcome)) => Ok(Some(outcome)),
        Some(Err(Unanswered::Unfit)) => Ok(None),
        Some(Err(Unanswered::Failed(error))) => {
            let code = error.to_string();
            Err(Error::new(ErrorKind::Unavailable, operation, &code))
        }
        None => Err(Error::new(ErrorKind::Internal, operation, "panicked")),
    }
}

/// Decodes a stored item.
pub(super) fn item(operation: &'static str, json: &[u8]) -> Result<Item, Error> {
    decode(json).ok_or_else(|| Error::new(ErrorKind::Damaged, operation, "not an item"))
}
