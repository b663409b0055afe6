//! The ids of records: those that are derived from a record without one, and those that repeat. Both are known
//! from temporary tables, which spill to the disk: an import may have more records than fit into memory.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use items::{RecordId, ResponseRecord};
use model::{Rating, content_id};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use crate::reason::RecordError;

/// The ids of all records, and how often equal records without one occurred.
#[derive(Default)]
pub(crate) struct Ids {
    /// Created when the first id has to be known.
    database: Option<Connection>,
}

/// The tables of ids, of a database of its own, which is gone with the process. What a crash would leave does not
/// matter. Files have their records mostly in the order of `created`, so neighbours are in the same page.
const TABLES: &str = "
    PRAGMA cache_size = -16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE;
    CREATE TABLE occurrences (digest BLOB PRIMARY KEY, list INTEGER NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE ids (
        created INTEGER, digest INTEGER, file INTEGER, rating INTEGER, text INTEGER, PRIMARY KEY (created, digest)
    ) WITHOUT ROWID;
    BEGIN";

impl Ids {
    fn database(&mut self) -> rusqlite::Result<&Connection> {
        if self.database.is_none() {
            let database = Connection::open("")?;
            database.execute_batch(TABLES)?;
            self.database = Some(database);
        }
        self.database.as_ref().ok_or(rusqlite::Error::InvalidQuery)
    }

    /// Derives the id of a record from its content, whatever columns are mapped to. Unless it depends on what
    /// `--id-from` names alone, equal records of a list get different ids, which are the same whenever it is read.
    pub(crate) fn derive(
        &mut self,
        mut content: Vec<u8>,
        list: i64,
        are_counted: bool,
    ) -> Result<RecordId, RecordError> {
        if are_counted {
            let number = self.occurrence(&content, list)?;
            content.extend_from_slice(format!("\0{number}").as_bytes());
        }
        let id = content_id(&content).parse();
        id.map_err(|error| RecordError::Rejected(format!("id {error}")))
    }

    /// Returns the number of a record among the equal ones of its list.
    fn occurrence(&mut self, content: &[u8], list: i64) -> rusqlite::Result<i64> {
        let digest: [u8; 32] = Sha256::digest(content).into();
        let database = self.database()?;
        let values = (&digest[..16], list);
        // Nearly all are new, and `RETURNING` would take as long as the rest.
        let added = database
            .prepare_cached("INSERT OR IGNORE INTO occurrences VALUES (?, ?, 1)")?
            .execute(values)?;
        if added > 0 {
            return Ok(1);
        }
        database
            .prepare_cached(
                "UPDATE occurrences SET number = iif(list = ?2, number + 1, 1), list = ?2
                 WHERE digest = ?1 RETURNING number",
            )?
            .query_row(values, |row| row.get(0))
    }

    /// Notes a record of a file, and returns how it relates to those before it. `text` is its row, unless its id is
    /// derived: then records of one id say the same.
    pub(crate) fn see(
        &mut self,
        record: &ResponseRecord,
        file: i64,
        text: Option<&[u8]>,
    ) -> rusqlite::Result<Repetition> {
        let digest: [u8; 32] = Sha256::digest(record.id.as_str()).into();
        // Of ten million ids, two have the same 64 bits once in 300,000 dry runs.
        let number = digest.first_chunk().copied().map_or(0, i64::from_le_bytes);
        let created = DateTime::<Utc>::from(record.created).timestamp_millis();
        let rating = text.and(record.outcome.rating()).map(Rating::value);
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let text = hasher.finish().cast_signed();
        let database = self.database()?;
        let values = (created, number, file, rating, text);
        let added = database
            .prepare_cached("INSERT OR IGNORE INTO ids VALUES (?, ?, ?, ?, ?)")?
            .execute(values)?;
        if added > 0 {
            return Ok(Repetition::None);
        }
        let is_replaced: bool = database
            .prepare_cached(
                "SELECT ifnull(file = ?3 AND rating + ?4 >= 0 AND text <> ?5, FALSE)
                 FROM ids WHERE created = ?1 AND digest = ?2",
            )?
            .query_row(values, |row| row.get(0))?;
        database
            .prepare_cached("REPLACE INTO ids VALUES (?, ?, ?, ?, ?)")?
            .execute(values)?;
        Ok(if is_replaced {
            Repetition::Replacing
        } else {
            Repetition::Same
        })
    }

    /// Returns how many of the displays that were seen have the id of an earlier one, and another `created`.
    pub(crate) fn recreated(&mut self) -> anyhow::Result<u64> {
        let sql = "SELECT count(*) - count(DISTINCT digest) FROM ids";
        let counted = |database: &Connection| database.query_row(sql, [], |row| row.get(0));
        self.database().and_then(counted).context(INCOMPARABLE)
    }
}

/// How a record relates to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// No earlier record has this id and this `created`.
    None,
    /// An earlier record has this id and this `created`: an import merges both.
    Same,
    /// So has one of the same file that is rated, too, and says something else. That one no longer counts.
    Replacing,
}

const INCOMPARABLE: &str = "cannot compare ids in a temporary file";

/// Later records could not be compared either.
impl From<rusqlite::Error> for RecordError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Fatal(anyhow::Error::new(error).context(INCOMPARABLE))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ids, RecordError};

    #[test]
    fn a_full_disk_ends_the_import_instead_of_rejecting_records() {
        let mut ids = Ids::default();
        let full = "PRAGMA max_page_count = 4";
        ids.database().unwrap().execute_batch(full).unwrap();
        let mut derived = (0..200_000).map(|n| ids.derive(n.to_string().into(), 0, true));
        let Some(RecordError::Fatal(error)) = derived.find_map(Result::err) else {
            panic!("the disk is full");
        };
        let error = format!("{error:#}");
        assert!(error.contains("ids") && error.contains("full"), "{error}");
    }
}
