//! Identifiers: derived for records that have none, and compared for those that repeat.

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use shared::items::RecordId;
use shared::model::{Timestamp, content_id};

use super::entry::Failure;
use super::source::Source;

/// The identifiers of an import.
///
/// What has been seen is in a temporary `SQLite` database, which spills to the disk, because an
/// import may have more records than fit into memory.
pub(super) struct Identities {
    /// The columns or members of `--id-from`; empty for all.
    from: Vec<String>,
    seen: Option<Connection>,
}

/// How a record differs from an earlier record of the import with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// It was created at another time, so its key is another.
    OtherCreated,
    /// It has the same key and other content.
    OtherContent,
}

impl Identities {
    /// Derives ids from these columns or members; from all, if there are none.
    pub(super) fn new(from: Vec<String>) -> Self {
        Self { from, seen: None }
    }

    /// Returns whether `--id-from` chooses what ids are derived from. Different records may then have
    /// the same id.
    pub(super) fn are_chosen(&self) -> bool {
        !self.from.is_empty()
    }

    /// Returns the columns of `--id-from` that this header lacks.
    pub(super) fn missing_in(&self, header: &[String]) -> Vec<&str> {
        let missing = self.from.iter().filter(|name| !header.contains(name));
        missing.map(String::as_str).collect()
    }

    /// Begins a file, in which equal records are counted from the first.
    pub(super) fn begin_file(&mut self) -> anyhow::Result<()> {
        match &self.seen {
            Some(seen) => seen
                .execute_batch("DELETE FROM occurrences")
                .map_err(unusable),
            None => Ok(()),
        }
    }

    /// Derives the id of a record from its source, whatever columns are mapped to. Equal records of
    /// a file get different ids, which are the same whenever the file is read. With `--id-from`, the
    /// id depends on the values of these columns or members alone.
    pub(super) fn derive(&mut self, source: &Source<'_>) -> Result<RecordId, Failure> {
        let mut content = source.content(&self.from)?;
        if self.from.is_empty() {
            let number = self.occurrence(&content)?;
            content.extend_from_slice(format!("\0{number}").as_bytes());
        }
        let id = content_id(&content).parse();
        id.map_err(|error| Failure::Record(format!("id {error}")))
    }

    /// Returns whether an earlier record of the import had the same id but differed.
    pub(super) fn repetition(
        &mut self,
        id: &RecordId,
        created: Timestamp,
        source: &Source<'_>,
    ) -> Result<Option<Repetition>, Failure> {
        let content = digest(&source.content(&[])?);
        let earlier = self.replace_seen(id, &created.to_string(), &content)?;
        Ok(earlier.and_then(|(earlier_created, earlier_content)| {
            if earlier_created != created.to_string() {
                Some(Repetition::OtherCreated)
            } else if earlier_content != content {
                Some(Repetition::OtherContent)
            } else {
                None
            }
        }))
    }

    fn occurrence(&mut self, content: &[u8]) -> rusqlite::Result<i64> {
        self.seen()?
            .prepare_cached(
                "INSERT INTO occurrences VALUES (?1, 1)
                 ON CONFLICT (digest) DO UPDATE SET number = number + 1 RETURNING number",
            )?
            .query_row([digest(content)], |row| row.get(0))
    }

    /// Records what was seen of an id, and returns what was seen before.
    fn replace_seen(
        &mut self,
        id: &RecordId,
        created: &str,
        content: &[u8; 16],
    ) -> rusqlite::Result<Option<(String, [u8; 16])>> {
        let id = digest(id.as_str().as_bytes());
        let seen = self.seen()?;
        // Few ids repeat.
        let added = seen
            .prepare_cached("INSERT OR IGNORE INTO ids VALUES (?1, ?2, ?3)")?
            .execute((&id, created, content))?;
        if added > 0 {
            return Ok(None);
        }
        let earlier = seen
            .prepare_cached("SELECT created, content FROM ids WHERE digest = ?1")?
            .query_row([&id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        seen.prepare_cached("REPLACE INTO ids VALUES (?1, ?2, ?3)")?
            .execute((&id, created, content))?;
        Ok(Some(earlier))
    }

    fn seen(&mut self) -> rusqlite::Result<&mut Connection> {
        Ok(match &mut self.seen {
            Some(seen) => seen,
            none => none.insert(open()?),
        })
    }
}

fn digest(content: &[u8]) -> [u8; 16] {
    let whole: [u8; 32] = Sha256::digest(content).into();
    let mut digest = [0; 16];
    digest.copy_from_slice(&whole[..16]);
    digest
}

/// Later records could not be compared either.
impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Import(unusable(error))
    }
}

fn unusable(error: rusqlite::Error) -> anyhow::Error {
    anyhow::Error::new(error).context("cannot compare ids in a temporary file")
}

fn open() -> rusqlite::Result<Connection> {
    let connection = Connection::open("")?;
    connection.execute_batch(
        "PRAGMA cache_size = -8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         CREATE TABLE occurrences (digest BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
         CREATE TABLE ids (digest BLOB PRIMARY KEY, created TEXT NOT NULL, content BLOB NOT NULL) WITHOUT ROWID;
         BEGIN",
    )?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::{Failure, Identities};
    use crate::source::Source;

    /// Makes identifiers whose file has no room for more than a few.
    fn on_a_full_disk() -> Identities {
        let mut identities = Identities::new(Vec::new());
        let full = "PRAGMA max_page_count = 4";
        identities.seen().unwrap().execute_batch(full).unwrap();
        identities
    }

    /// Calls this until it fails.
    fn failure<T>(mut call: impl FnMut(&Source<'_>) -> Result<T, Failure>) -> Option<Failure> {
        (0..1000).find_map(|n| call(&Source::Object(&format!("[{n}]"))).err())
    }

    #[test]
    fn a_full_disk_ends_the_import_instead_of_rejecting_records() {
        let mut identities = on_a_full_disk();
        let failure_of_ids = failure(|source| identities.derive(source));
        let (mut identities, mut number) = (on_a_full_disk(), 0);
        let failure_of_comparison = failure(|source| {
            number += 1;
            let (id, created) = (number.to_string().parse().unwrap(), "2020-01-01");
            identities.repetition(&id, created.parse().unwrap(), source)
        });
        for failure in [failure_of_ids, failure_of_comparison] {
            let Some(Failure::Import(error)) = failure else {
                panic!("the disk is full");
            };
            let error = format!("{error:#}");
            assert!(error.contains("ids") && error.contains("full"), "{error}");
        }
    }
}
