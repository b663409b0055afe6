//! Temporary tables of ids, which spill to the disk: an import may have more records than fit into memory.

use rusqlite::Connection;

use crate::rules::reason::RecordError;

/// A table in a database of its own, which is gone with the process.
pub(crate) struct TemporaryTable {
    definition: &'static str,
    connection: Option<Connection>,
}

impl TemporaryTable {
    /// Makes a table, as in `CREATE TABLE`. It is created when it is used.
    pub(crate) fn new(definition: &'static str) -> Self {
        Self {
            definition,
            connection: None,
        }
    }

    pub(crate) fn connection(&mut self) -> rusqlite::Result<&Connection> {
        Ok(match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(create(self.definition)?),
        })
    }
}

fn create(definition: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open("")?;
    // What a crash would leave does not matter.
    connection.execute_batch(&format!(
        "PRAGMA cache_size = -8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE;
         CREATE TABLE {definition};
         BEGIN"
    ))?;
    Ok(connection)
}

/// Later records could not be compared either.
impl From<rusqlite::Error> for RecordError {
    fn from(error: rusqlite::Error) -> Self {
        let error = anyhow::Error::new(error);
        Self::Fatal(error.context("cannot compare ids in a temporary file"))
    }
}
