//! Derives identifiers for records that have none.

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use shared::model::content_id;

use crate::store::RecordId;

/// How often each content has occurred in a file. The counts are in a temporary `SQLite` database,
/// which spills to the disk, because a file may have more contents than fit into memory.
pub(crate) struct Occurrences(Option<Connection>);

impl Occurrences {
    /// Makes counts that are all zero.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Derives the identifier of a record with this content. Equal records of a file get different
    /// identifiers, which are the same whenever the file is read.
    pub(crate) fn id(&mut self, content: &[u8]) -> Result<RecordId, String> {
        let number = self
            .count(content)
            .map_err(|error| format!("cannot count its occurrences: {error}"))?;
        let mut named = content.to_vec();
        named.extend_from_slice(format!("\0{number}").as_bytes());
        content_id(&named)
            .parse()
            .map_err(|error| format!("id {error}"))
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
