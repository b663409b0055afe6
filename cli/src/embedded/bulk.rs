//! Reads and writes many rows of dynoxide's tables at a time, without dynoxide.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::storage::compute_hash_prefix;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::attributes;
use super::folder::DataFolder;
use super::rows::{Unanswered, bytes, key_text};
use super::schema::{Keys, Schemas};
use crate::store::{Item, item_size};

/// A connection for large transactions of random keys.
pub(super) struct Bulk {
    connection: Connection,
    schemas: Schemas,
}

impl Bulk {
    /// Opens it with a cache for the pages of the indexes, and a log that holds several transactions.
    pub(super) fn open(folder: &DataFolder) -> rusqlite::Result<Self> {
        let connection = folder.connect()?;
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 16384",
        )?;
        Ok(Self {
            connection,
            schemas: Schemas::default(),
        })
    }

    /// Reads the JSON of the items with these keys, with the position of each key; keys without an item are skipped.
    pub(super) fn read(
        &mut self,
        table: &str,
        keys: &[Item],
    ) -> Result<Vec<(usize, Vec<u8>)>, Unanswered> {
        let transaction = self.connection.transaction()?;
        let names = self.schemas.keys(&transaction, table)?;
        let names = names.ok_or(Unanswered::Unfit)?;
        let sql = format!("SELECT item_json FROM \"{table}\" WHERE pk = ?1 AND sk = ?2");
        let mut statement = transaction.prepare_cached(&sql)?;
        let mut items = Vec::new();
        for (n, key) in keys.iter().enumerate() {
            let mut rows = statement.query(key_texts(names, key).ok_or(Unanswered::Unfit)?)?;
            if let Some(row) = rows.next()? {
                items.push((n, bytes(row, 0)?.to_vec()));
            }
        }
        Ok(items)
    }

    /// Writes the items in one transaction, replacing those with the same key. They must be as DynamoDB
    /// returns them. Writes nothing to a table with indexes or a stream, which dynoxide maintains.
    pub(super) fn put(&mut self, table: &str, items: &[Item]) -> Result<(), Unanswered> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let names = self.schemas.keys(&transaction, table)?;
        let names = names
            .filter(|names| names.is_plain)
            .ok_or(Unanswered::Unfit)?;
        put(&transaction, table, names, items)?;
        transaction.commit()?;
        Ok(())
    }
}

fn put(
    transaction: &Transaction<'_>,
    table: &str,
    names: &Keys,
    items: &[Item],
) -> Result<(), Unanswered> {
    let sql = format!(
        "INSERT OR REPLACE INTO \"{table}\" (pk, sk, item_json, item_size, hash_prefix) VALUES (?1, ?2, ?3, ?4, ?5)"
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    // The items of a transaction have few hash keys.
    let mut prefixes: HashMap<String, String> = HashMap::new();
    for item in items {
        let [pk, sk] = key_texts(names, item).ok_or(Unanswered::Unfit)?;
        let prefix = prefixes.entry(pk.clone());
        let prefix = prefix.or_insert_with(|| hash_prefix(names, item));
        let json = attributes::encode(item).ok_or(Unanswered::Unfit)?;
        // A size fits.
        let size = i64::try_from(item_size(item)).unwrap_or(i64::MAX);
        statement.execute((&pk, &sk, &json, size, &*prefix))?;
    }
    Ok(())
}

/// Returns what dynoxide orders partitions by in a Scan.
fn hash_prefix(names: &Keys, item: &Item) -> String {
    let hash = text(item, &names.hash).unwrap_or_default();
    compute_hash_prefix(&dynoxide::AttributeValue::S(hash.to_owned()))
}

/// Returns the stored texts of the keys of an item; `None` if it has none.
fn key_texts(names: &Keys, item: &Item) -> Option<[String; 2]> {
    let range = match &names.range {
        Some(range) => key_text(text(item, range)?),
        None => String::new(),
    };
    Some([key_text(text(item, &names.hash)?), range])
}

fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    let value = item.get(name).map(AttributeValue::as_s);
    value?.ok().map(String::as_str)
}

#[cfg(test)]
mod tests;
