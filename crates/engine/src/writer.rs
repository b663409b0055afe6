//! Reads and writes many rows of dynoxide's tables at a time, without dynoxide.

use rusqlite::{Connection, Transaction, TransactionBehavior};
use shared::config::Tables;
use shared::items::{Item, Table, string};

use super::folder::DataFolder;
use super::layout::Layouts;
use super::readers::{Failure, bytes, key_text};
use super::rows::Rows;

/// A connection for large transactions of random keys.
pub(super) struct Writer {
    connection: Connection,
    layouts: Layouts,
    tables: Tables,
}

impl Writer {
    /// Opens it with a cache for the pages of the indexes, and a log that holds several transactions.
    pub(super) fn open(folder: &DataFolder, tables: Tables) -> rusqlite::Result<Self> {
        let connection = folder.connect()?;
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 16384",
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
        self.layouts.check_readable(&transaction, table, name)?;
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

    /// Runs a function that reads and puts rows, in one transaction.
    pub(super) fn rows<T>(
        &mut self,
        table: Table,
        function: impl FnOnce(&mut Rows<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.write(table, |transaction, name| {
            function(&mut Rows::new(transaction, name)?)
        })
    }

    /// Deletes the items with these keys in one transaction.
    pub(super) fn delete(&mut self, table: Table, keys: &[Item]) -> Result<(), Failure> {
        self.write(table, |transaction, name| {
            let sql = format!("DELETE FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
            let mut statement = transaction.prepare_cached(&sql)?;
            for key in keys {
                statement.execute(key_texts(table, key)?)?;
            }
            Ok(())
        })
    }

    fn write<T>(
        &mut self,
        table: Table,
        function: impl FnOnce(&Transaction<'_>, &str) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let name = self.tables.name(table);
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        self.layouts.check_writable(&transaction, table, name)?;
        let outcome = function(&transaction, name)?;
        transaction.commit()?;
        Ok(outcome)
    }
}

/// Returns the stored texts of the keys of an item.
pub(super) fn key_texts(table: Table, item: &Item) -> Result<[String; 2], Failure> {
    let text = |name| string(item, name).map(key_text).ok_or(Failure::NoItem);
    let (hash, range) = table.key_names();
    let range = range.map_or_else(|| Ok(String::new()), text)?;
    Ok([text(hash)?, range])
}

#[cfg(test)]
mod tests;
