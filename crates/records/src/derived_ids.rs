//! Identifiers: derived for records that have none, and compared for those that repeat.

mod ids;
mod people;

use chrono::{DateTime, Utc};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use shared::items::RecordId;
use shared::model::{Timestamp, content_id};

use super::entry::Failure;
use super::source::Source;
use super::summary::Part;
use ids::{Ids, Key, Seen};

/// The identifiers of an import.
///
/// What has been seen is in a temporary `SQLite` database, which spills to the disk, because an
/// import may have more records than fit into memory.
pub(super) struct Identities {
    /// The columns or members of `--id-from`; empty for all.
    from: Vec<String>,
    /// The number of the file or page, in which equal records are counted from the first.
    list: i64,
    /// The digests of persons that have not been stored yet.
    recent_people: Vec<i64>,
    ids: Ids,
    seen: Option<Connection>,
}

/// An id that is derived from a record.
pub(super) struct Derived {
    pub(super) id: RecordId,
    /// Whether it is that of an equal record of an earlier file or page.
    pub(super) is_known: bool,
}

/// How a record differs from an earlier record of the import with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repetition {
    /// It was created at another time, so its key is another.
    OtherCreated,
    /// It has the same key and other content.
    OtherContent,
}

/// How a record relates to the earlier records of the import.
pub(super) struct Sighting {
    pub(super) repetition: Option<Repetition>,
    /// What the earlier record counted as.
    pub(super) earlier: Option<Part>,
    /// What both count as.
    pub(super) part: Part,
}

impl Sighting {
    fn first(repetition: Option<Repetition>, part: Part) -> Self {
        Self {
            repetition,
            earlier: None,
            part,
        }
    }

    fn again(earlier: &Seen, new: &Seen) -> Self {
        Self {
            repetition: (earlier.content != new.content).then_some(Repetition::OtherContent),
            earlier: Some(earlier.part),
            part: new.part.merged_into(earlier.part),
        }
    }
}

impl Identities {
    /// Derives ids from these columns or members; from all, if there are none.
    pub(super) fn new(from: Vec<String>) -> Self {
        Self {
            from,
            list: 0,
            recent_people: Vec::new(),
            ids: Ids::default(),
            seen: None,
        }
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

    /// Begins a file or a page, in which equal records are counted from the first.
    pub(super) fn begin_list(&mut self) {
        self.list += 1;
    }

    /// Derives the id of a record from its source, whatever columns are mapped to. Equal records of
    /// a file get different ids, which are the same whenever the file is read. With `--id-from`, the
    /// id depends on the values of these columns or members alone.
    pub(super) fn derive(&mut self, source: &Source<'_>) -> Result<Derived, Failure> {
        let mut content = source.content(&self.from)?;
        let mut is_known = false;
        if self.from.is_empty() {
            let (number, earlier) = self.occurrence(&content)?;
            is_known = number <= earlier;
            content.extend_from_slice(format!("\0{number}").as_bytes());
        }
        let id = content_id(&content).parse();
        let id = id.map_err(|error| Failure::Record(format!("id {error}")))?;
        Ok(Derived { id, is_known })
    }

    /// Records a response with an id of its own or of `--id-from`, and how it repeats an earlier one of the import.
    pub(super) fn see(
        &mut self,
        (id, created): (&RecordId, Timestamp),
        source: &Source<'_>,
        part: Part,
    ) -> Result<Sighting, Failure> {
        let seen = Seen {
            created: DateTime::<Utc>::from(created).timestamp_millis(),
            content: digest(&source.content(&[])?),
            part,
        };
        let Some(first) = self.see_key(digest(id.as_str().as_bytes()), seen)? else {
            return Ok(Sighting::first(None, part));
        };
        if first.created == seen.created {
            return Ok(Sighting::again(&first, &seen));
        }
        // The first record of the id has its digest; those of other instants have digests of their own.
        let key = digest(format!("{}\0{}", id.as_str(), seen.created).as_bytes());
        Ok(match self.see_key(key, seen)? {
            None => Sighting::first(Some(Repetition::OtherCreated), part),
            Some(earlier) => Sighting::again(&earlier, &seen),
        })
    }

    /// Returns the number of a record among the equal ones of its list, and how many an earlier list had.
    fn occurrence(&mut self, content: &[u8]) -> rusqlite::Result<(i64, i64)> {
        let list = self.list;
        self.seen()?
            .prepare_cached(
                "INSERT INTO occurrences VALUES (?1, ?2, 1, 0)
                 ON CONFLICT (digest) DO UPDATE SET
                     earlier = iif(list = ?2, earlier, max(earlier, number)),
                     number = iif(list = ?2, number + 1, 1),
                     list = ?2
                 RETURNING number, earlier",
            )?
            .query_row((digest(content), list), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
    }

    fn seen(&mut self) -> rusqlite::Result<&mut Connection> {
        Ok(match &mut self.seen {
            Some(seen) => seen,
            none => none.insert(open()?),
        })
    }
}

fn digest(content: &[u8]) -> Key {
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
         CREATE TABLE occurrences (digest BLOB PRIMARY KEY, list INTEGER NOT NULL, number INTEGER NOT NULL,
             earlier INTEGER NOT NULL) WITHOUT ROWID;
         CREATE TABLE ids (run INTEGER NOT NULL, digest BLOB NOT NULL, created INTEGER NOT NULL, content BLOB NOT NULL,
             part INTEGER NOT NULL, PRIMARY KEY (run, digest)) WITHOUT ROWID;
         CREATE TABLE people (digest INTEGER PRIMARY KEY);
         BEGIN",
    )?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::{Failure, Identities};
    use crate::source::Source;
    use crate::summary::Part;

    /// Makes identifiers whose file has no room for more than a few.
    fn on_a_full_disk() -> Identities {
        let mut identities = Identities::new(Vec::new());
        let full = "PRAGMA max_page_count = 4";
        identities.seen().unwrap().execute_batch(full).unwrap();
        identities
    }

    /// Calls this until it fails.
    fn failure<T>(mut call: impl FnMut(&Source<'_>) -> Result<T, Failure>) -> Option<Failure> {
        (0..200_000).find_map(|n| call(&Source::Object(&format!("[{n}]"))).err())
    }

    #[test]
    fn a_full_disk_ends_the_import_instead_of_rejecting_records() {
        let mut identities = on_a_full_disk();
        let failure_of_ids = failure(|source| identities.derive(source));
        let (mut identities, mut number) = (on_a_full_disk(), 0);
        let failure_of_comparison = failure(|source| {
            number += 1;
            let (id, created) = (number.to_string().parse().unwrap(), "2020-01-01");
            let record = (&id, created.parse().unwrap());
            identities.see(record, source, Part::from_code(0))
        });
        for failure in [failure_of_ids, failure_of_comparison] {
            let Some(Failure::Import(error)) = failure else {
                panic!("the disk is full");
            };
            let error = format!("{error:#}");
            assert!(error.contains("ids") && error.contains("full"), "{error}");
        }
    }

    #[test]
    fn an_id_is_found_in_memory_in_runs_and_after_they_are_merged() {
        let mut identities = Identities::new(Vec::new());
        let created = "2020-01-01".parse().unwrap();
        for pass in 0..3 {
            for number in 0..100_010 {
                let id = number.to_string().parse().unwrap();
                let source = Source::Object("{}");
                let sighting = identities.see((&id, created), &source, Part::from_code(0));
                let sighting = sighting.ok().unwrap();
                assert_eq!(sighting.earlier.is_some(), pass > 0, "{number}");
            }
        }
    }
}
