//! Identifiers of records that have none.

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use shared::model::{RecordId, id_of};

/// How often each content stood in the file so far. `SQLite` keeps it, because a file can hold more
/// contents than fit into memory: in a temporary database that spills to the disk.
pub(crate) struct Occurrences(Option<Connection>);

impl Occurrences {
    /// Nothing stood anywhere yet.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// The identifier of the record with this content: equal records of a file get different ones,
    /// and the same ones when the file is read again.
    pub(crate) fn id(&mut self, content: &[u8]) -> Result<RecordId, String> {
        let number = self
            .count(content)
            .map_err(|error| format!("its occurrences cannot be counted: {error}"))?;
        let mut named = content.to_vec();
        named.extend_from_slice(format!("\0{number}").as_bytes());
        id_of(&named).parse().map_err(|error| format!("id {error}"))
    }

    fn count(&mut self, content: &[u8]) -> rusqlite::Result<i64> {
        let connection = match &mut self.0 {
            Some(connection) => connection,
            none => none.insert(open()?),
        };
        let digest: [u8; 32] = Sha256::digest(content).into();
        connection
            .prepare_cached(
                "INSERT INTO occurrences VALUES (?1, 1)
                 ON CONFLICT (digest) DO UPDATE SET number = number + 1 RETURNING number",
            )?
            .query_row([&digest[..16]], |row| row.get(0))
    }
}

fn open() -> rusqlite::Result<Connection> {
    let connection = Connection::open("")?;
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         CREATE TABLE occurrences (digest BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID; BEGIN",
    )?;
    Ok(connection)
}
