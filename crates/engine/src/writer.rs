//! Reads and writes many rows of dynoxide's tables at a time, without dynoxide.

use std::collections::HashMap;

use dynoxide::storage::compute_hash_prefix;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use shared::config::Tables;
use shared::items::{Item, Table, encode, item_size, string};

use super::folder::DataFolder;
use super::layout::{Layouts, Writing};
use super::readers::{Failure, bytes, key_text};

/// A connection for large transactions of random keys.
pub(super) struct Writer {
    connection: Connection,
    layouts: Layouts,
    tables: Tables,
}

/// What became of items to write.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    Rows,
    /// Nothing was written, because dynoxide has to do it.
    NotPlain,
}

impl Writer {
    /// Opens it with a cache for the pages of the indexes, and a log that holds several transactions.
    pub(super) fn open(folder: &DataFolder, tables: Tables) -> rusqlite::Result<Self> {
        let connection = folder.connect()?;
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 16384",
        )?;
        Ok(Self {
            connection,
            layouts: Layouts::default(),
            tables,
        })
    }

    /// Reads the JSON of the items with these keys, with the position of each key; keys without an item are skipped.
    pub(super) fn read(
        &mut self,
        table: Table,
        keys: &[Item],
    ) -> Result<Vec<(usize, Vec<u8>)>, Failure> {
        let name = self.tables.name(table);
        let transaction = self.connection.transaction()?;
        let writing = self.layouts.writing(&transaction, table, name)?;
        writing.ok_or(Failure::NoTable)?;
        let sql = format!("SELECT item_json FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
        let mut statement = transaction.prepare_cached(&sql)?;
        let mut items = Vec::new();
        for (n, key) in keys.iter().enumerate() {
            let mut rows = statement.query(key_texts(table, key)?)?;
            if let Some(row) = rows.next()? {
                items.push((n, bytes(row, 0)?.to_vec()));
            }
        }
        Ok(items)
    }

    /// Puts the items, which are as DynamoDB returns them, in one transaction, replacing those with the same key.
    pub(super) fn put(&mut self, table: Table, items: &[Item]) -> Result<Written, Failure> {
        self.write(table, |transaction, name| {
            let sql = format!(
                "INSERT OR REPLACE INTO \"{name}\" (pk, sk, item_json, item_size, hash_prefix) VALUES (?1, ?2, ?3, ?4, ?5)"
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            // The items of a transaction have few hash keys.
            let mut prefixes: HashMap<String, String> = HashMap::new();
            for item in items {
                let [pk, sk] = key_texts(table, item)?;
                let prefix = prefixes.entry(pk.clone());
                let prefix = prefix.or_insert_with(|| hash_prefix(table, item));
                let json = encode(item).ok_or(Failure::NoItem)?;
                // A size fits.
                let size = i64::try_from(item_size(item)).unwrap_or(i64::MAX);
                statement.execute((&pk, &sk, &json, size, &*prefix))?;
            }
            Ok(())
        })
    }

    /// Deletes the items with these keys in one transaction.
    pub(super) fn delete(&mut self, table: Table, keys: &[Item]) -> Result<Written, Failure> {
        self.write(table, |transaction, name| {
            let sql = format!("DELETE FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
            let mut statement = transaction.prepare_cached(&sql)?;
            for key in keys {
                statement.execute(key_texts(table, key)?)?;
            }
            Ok(())
        })
    }

    fn write(
        &mut self,
        table: Table,
        write: impl FnOnce(&Transaction<'_>, &str) -> Result<(), Failure>,
    ) -> Result<Written, Failure> {
        let name = self.tables.name(table);
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        match self.layouts.writing(&transaction, table, name)? {
            None => Err(Failure::NoTable),
            Some(Writing::Dynoxide) => Ok(Written::NotPlain),
            Some(Writing::Rows) => {
                write(&transaction, name)?;
                transaction.commit()?;
                Ok(Written::Rows)
            }
        }
    }
}

/// Returns what dynoxide orders partitions by in a Scan.
fn hash_prefix(table: Table, item: &Item) -> String {
    let (hash, _) = table.key_names();
    let hash = string(item, hash).unwrap_or_default();
    compute_hash_prefix(&dynoxide::AttributeValue::S(hash.to_owned()))
}

/// Returns the stored texts of the keys of an item.
fn key_texts(table: Table, item: &Item) -> Result<[String; 2], Failure> {
    let text = |name| string(item, name).map(key_text).ok_or(Failure::NoItem);
    let (hash, range) = table.key_names();
    let range = range.map_or_else(|| Ok(String::new()), text)?;
    Ok([text(hash)?, range])
}

#[cfg(test)]
mod tests;
