//! Writes many rows of dynoxide's tables at a time, without dynoxide.

use model::items::{Table, Tables};
use rusqlite::{Connection, TransactionBehavior};

use super::row_error::RowError;
use super::rows::TableRows;

/// A connection for large transactions of random keys.
pub(super) struct Writer {
    connection: Connection,
    tables: Tables,
}

impl Writer {
    /// Gives the connection a cache for the pages of the indexes, and a log that holds several transactions.
    pub(super) fn new(connection: Connection, tables: Tables) -> rusqlite::Result<Self> {
        connection.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 16384",
        )?;
        Ok(Self { connection, tables })
    }

    /// Runs a function that reads and writes rows, in one transaction.
    pub(super) fn rows<T>(
        &mut self,
        table: Table,
        function: impl FnOnce(&mut TableRows<'_>) -> Result<T, RowError>,
    ) -> Result<T, RowError> {
        let name = self.tables.name(table);
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let outcome = function(&mut TableRows::new(&transaction, name)?)?;
        transaction.commit()?;
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests;
