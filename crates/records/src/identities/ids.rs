//! The ids of an import, and what was seen of their records.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, Row};

use super::Identities;
use crate::summary::Part;

/// The digest of an id.
pub(super) type Key = [u8; 16];

/// What is seen of a record.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// In milliseconds since 1970.
    pub(super) created: i64,
    /// The digest of its content.
    pub(super) content: [u8; 16],
    pub(super) part: Part,
}

impl Seen {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            created: row.get(0)?,
            content: row.get(1)?,
            part: Part::from_code(row.get(2)?),
        })
    }
}

/// The ids of an import. Many are stored at once, sorted, as a run that follows the earlier ones, so that each is
/// written once; one by one, each would change a page of its own.
#[derive(Default)]
pub(super) struct Ids {
    recent: HashMap<Key, Seen>,
    filter: Filter,
    /// The numbers of the first and the last run; 0 is before the first.
    runs: [u32; 2],
    stored: usize,
    /// In how many runs ids have been looked for since the runs were merged.
    searched: usize,
}

impl Identities {
    /// Records what was seen under a key, merged with what was seen before, which it returns. What was created at
    /// another instant is left as it is.
    pub(super) fn see_key(&mut self, key: Key, new: Seen) -> rusqlite::Result<Option<Seen>> {
        const MAX_RECENT: usize = 50_000;
        let replaces =
            |earlier: &Seen| earlier.created == new.created && earlier.content != new.content;
        let merged = |earlier: &Seen| Seen {
            part: new.part.merged_into(earlier.part),
            ..new
        };
        if let Some(seen) = self.ids.recent.get_mut(&key) {
            let earlier = *seen;
            if replaces(&earlier) {
                *seen = merged(&earlier);
            }
            return Ok(Some(earlier));
        }
        if self.ids.filter.may_have(&key)
            && let Some((run, earlier)) = self.find(&key)?
        {
            if replaces(&earlier) {
                store(self.seen()?, run, &key, &merged(&earlier))?;
            }
            return Ok(Some(earlier));
        }
        self.ids.recent.insert(key, new);
        if self.ids.recent.len() >= MAX_RECENT {
            self.store_ids()?;
        }
        Ok(None)
    }

    /// Finds a stored id, and its run.
    fn find(&mut self, key: &Key) -> rusqlite::Result<Option<(u32, Seen)>> {
        if self.ids.searched > self.ids.stored {
            self.merge_runs()?;
        }
        let [first, last] = self.ids.runs;
        for run in (first + 1..=last).rev() {
            self.ids.searched += 1;
            let found = self
                .seen()?
                .prepare_cached(
                    "SELECT created, content, part FROM ids WHERE run = ?1 AND digest = ?2",
                )?
                .query_row((run, key), Seen::from_row)
                .optional()?;
            if let Some(seen) = found {
                return Ok(Some((run, seen)));
            }
        }
        Ok(None)
    }

    /// Stores the recent ids as another run.
    fn store_ids(&mut self) -> rusqlite::Result<()> {
        let mut recent: Vec<_> = self.ids.recent.drain().collect();
        recent.sort_unstable_by_key(|(key, _)| *key);
        self.ids.stored += recent.len();
        self.ids.runs[1] += 1;
        let run = self.ids.runs[1];
        for (key, seen) in recent {
            self.ids.filter.add(&key);
            store(self.seen()?, run, &key, &seen)?;
        }
        Ok(())
    }

    /// Makes one of all runs: an import with many ids that repeat would search each of them for each.
    fn merge_runs(&mut self) -> rusqlite::Result<()> {
        let run = self.ids.runs[1];
        self.ids.runs = [run, run + 1];
        self.ids.searched = 0;
        let seen = self.seen()?;
        let merge = "INSERT INTO ids SELECT ?1 + 1, digest, created, content, part FROM ids ORDER BY digest";
        seen.execute(merge, [run])?;
        seen.execute("DELETE FROM ids WHERE run <= ?1", [run])?;
        Ok(())
    }
}

fn store(seen: &Connection, run: u32, key: &Key, new: &Seen) -> rusqlite::Result<()> {
    seen.prepare_cached("INSERT OR REPLACE INTO ids VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute((run, key, new.created, new.content, new.part.code()))?;
    Ok(())
}

/// Which keys may have been stored: a Bloom filter of a fixed size, which has nothing of most new keys of less than a
/// hundred million.
#[derive(Default)]
struct Filter(Vec<u64>);

impl Filter {
    const WORDS: u32 = 3 << 19;

    fn add(&mut self, key: &Key) {
        self.0.resize(Self::WORDS as usize, 0);
        for (word, bit) in Self::bits(key) {
            if let Some(word) = self.0.get_mut(word) {
                *word |= bit;
            }
        }
    }

    fn may_have(&self, key: &Key) -> bool {
        Self::bits(key).all(|(word, bit)| self.0.get(word).is_some_and(|word| word & bit != 0))
    }

    /// Returns the words and bits of a key, which is random.
    fn bits(key: &Key) -> impl Iterator<Item = (usize, u64)> {
        let (parts, _) = key.as_chunks();
        parts.iter().map(|part| {
            let number = u32::from_le_bytes(*part);
            ((number / 64 % Self::WORDS) as usize, 1 << (number % 64))
        })
    }
}
