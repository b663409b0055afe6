//! What records say of users, kept until it is written in the order of the users' ids. In the order of the
//! records, in which ids are random, each user would change a page of its own, in each transaction.

use std::path::{Path, PathBuf};

use anyhow::Context;
use items::{EncodedItem, ItemKey};
use rusqlite::{Connection, Row, Rows, params};

use super::chunks::ChunkLimits;
use super::rejects::Rejectable;

/// The mentions of users that are not written yet.
pub(super) struct PendingUsers {
    /// How much is written together.
    batch: ChunkLimits,
    /// The bytes that are pending before all are written to the store.
    most: usize,
    folder: PathBuf,
    /// `None` as long as there are none.
    mentions: Option<Mentions>,
}

/// A table of mentions, which is in nameless files as far as it does not fit into memory.
struct Mentions {
    table: Connection,
    count: usize,
    bytes: usize,
}

/// What a record says of a user.
pub(super) struct Mention {
    pub(super) user: EncodedItem,
    /// The record, if it may have to be rejected.
    pub(super) record: Option<Rejectable<'static>>,
}

impl PendingUsers {
    /// Begins without users. Those that do not fit into memory will be in files in this folder: a million
    /// records say some 400 MB of users.
    pub(super) fn new(folder: PathBuf, batch: ChunkLimits) -> Self {
        Self {
            batch,
            most: 1 << 30,
            folder,
            mentions: None,
        }
    }

    /// Adds a mention of a user, with its record if that may have to be rejected.
    pub(super) fn add(
        &mut self,
        user: &EncodedItem,
        record: Option<&Rejectable<'_>>,
    ) -> anyhow::Result<()> {
        let added = self.try_add(user, record);
        added.with_context(|| self.unwritable())
    }

    fn unwritable(&self) -> String {
        format!("cannot write temporary files in {}", self.folder.display())
    }

    fn try_add(
        &mut self,
        user: &EncodedItem,
        record: Option<&Rejectable<'_>>,
    ) -> rusqlite::Result<()> {
        let mentions = match &mut self.mentions {
            Some(mentions) => mentions,
            none => none.insert(Mentions {
                table: create(&self.folder)?,
                count: 0,
                bytes: 0,
            }),
        };
        let ItemKey { hash, range } = user.key();
        let [text, header] = match record {
            Some(record) => record.text_and_header.each_ref().map(|part| Some(&**part)),
            None => [None, None],
        };
        mentions
            .table
            .prepare_cached("INSERT INTO mentions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)")?
            .execute(params![
                range,
                hash,
                user.json(),
                record.map(|record| &record.file),
                record.map(|record| record.line),
                text,
                header,
            ])?;
        mentions.count += 1;
        let texts = [text, header].into_iter().flatten();
        mentions.bytes += user.json().len() + texts.map(<[_]>::len).sum::<usize>();
        Ok(())
    }

    pub(super) fn count(&self) -> usize {
        self.mentions.as_ref().map_or(0, |it| it.count)
    }

    /// Returns whether they should be written.
    pub(super) fn are_many(&self) -> bool {
        self.mentions
            .as_ref()
            .is_some_and(|it| it.bytes > self.most)
    }

    /// Takes all mentions, and calls `write` with some at a time: in the order of the users' ids, and those
    /// of one user in the order in which they were added.
    pub(super) async fn write(
        &mut self,
        mut write: impl AsyncFnMut(Vec<Mention>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(Mentions { table, .. }) = self.mentions.take() else {
            return Ok(());
        };
        // What is sorted at a time, in KB. More than sixteen parts are written twice, but half as many parts of
        // twice the size are no faster, and take 20 MB more.
        table.pragma_update(None, "cache_size", -12_288)?;
        let mut sorted = table.prepare(
            "SELECT userId, project, item, file, line, text, header FROM mentions ORDER BY userId, position",
        )?;
        let mut rows = sorted.query([])?;
        loop {
            let batch = next_batch(&mut rows, self.batch);
            let batch = batch.with_context(|| self.unwritable())?;
            if batch.is_empty() {
                return Ok(());
            }
            write(batch).await?;
        }
    }
}

/// Creates the table, whose files are in this folder. It has no index: rows are added at its end, and sorted
/// once.
fn create(folder: &Path) -> rusqlite::Result<Connection> {
    let table = Connection::open("")?;
    // It applies to the whole process, so the temporary tables of ids are there, too.
    let folder = folder
        .to_str()
        .ok_or_else(|| rusqlite::Error::InvalidPath(folder.to_owned()))?;
    table.pragma_update(None, "temp_store_directory", folder)?;
    // What a crash would leave does not matter.
    table.execute_batch(
        "PRAGMA cache_size = -4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE;
         CREATE TABLE mentions (
             position INTEGER PRIMARY KEY, userId TEXT, project TEXT, item TEXT,
             file TEXT, line INTEGER, text BLOB, header BLOB
         );
         BEGIN",
    )?;
    Ok(table)
}

/// Reads as many mentions as are written together.
fn next_batch(rows: &mut Rows<'_>, limits: ChunkLimits) -> rusqlite::Result<Vec<Mention>> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while !limits.are_reached(batch.len(), bytes)
        && let Some(row) = rows.next()?
    {
        let mention = mention(row)?;
        bytes += mention.user.json().len();
        let texts = mention.record.iter().flat_map(|it| &it.text_and_header);
        bytes += texts.map(|text| text.len()).sum::<usize>();
        batch.push(mention);
    }
    Ok(batch)
}

fn mention(row: &Row<'_>) -> rusqlite::Result<Mention> {
    let key = ItemKey {
        range: row.get(0)?,
        hash: row.get(1)?,
    };
    let record = match row.get::<_, Option<String>>(3)? {
        Some(file) => Some(Rejectable {
            file: file.into(),
            line: row.get(4)?,
            text_and_header: [
                row.get::<_, Vec<u8>>(5)?.into(),
                row.get::<_, Vec<u8>>(6)?.into(),
            ],
        }),
        None => None,
    };
    Ok(Mention {
        user: EncodedItem::from_parts(key, row.get(2)?),
        record,
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn add(pending: &mut PendingUsers, id: &str, line: u64) {
        let key = ItemKey {
            hash: "acme".to_owned(),
            range: Some(id.to_owned()),
        };
        let user = EncodedItem::from_parts(key, "x".repeat(100));
        let record = Rejectable {
            file: "file".into(),
            line,
            text_and_header: [line.to_string().into_bytes().into(), b"id"[..].into()],
        };
        let record = (line > 0).then_some(&record);
        pending.add(&user, record).unwrap();
    }

    #[tokio::test]
    async fn users_come_in_order_and_in_batches_with_their_records_in_each_round() {
        // A user has 100 bytes, and a record three.
        for (limits, batches) in [
            (ChunkLimits::of(2, 1 << 20), 3),
            (ChunkLimits::of(9, 1), 5),
            (ChunkLimits::of(9, 101), 4),
        ] {
            let mut pending = PendingUsers::new(std::env::temp_dir(), limits);
            pending.most = 400;
            for _ in 0..2 {
                for (id, line) in [("c", 2), ("a", 3), ("b", 4), ("a", 1)] {
                    assert!(!pending.are_many());
                    add(&mut pending, id, line);
                }
                add(&mut pending, "", 0);
                assert!(pending.are_many());
                assert_eq!(pending.count(), 5);
                let mut written = Vec::new();
                let mut count = 0;
                let write = async |batch: Vec<Mention>| {
                    count += 1;
                    written.extend(batch.into_iter().map(|Mention { user, record }| {
                        let line = record.map_or(0, |it| {
                            let texts = it.text_and_header.map(Cow::into_owned);
                            let expected = [it.line.to_string().into_bytes(), b"id".to_vec()];
                            assert_eq!((&*it.file, texts), ("file", expected));
                            it.line
                        });
                        (user.key().range.clone().unwrap(), line)
                    }));
                    Ok(())
                };
                pending.write(write).await.unwrap();
                assert_eq!(count, batches);
                let expected = [("", 0), ("a", 3), ("a", 1), ("b", 4), ("c", 2)];
                assert_eq!(written, expected.map(|(id, line)| (id.to_owned(), line)));
            }
        }
    }
}
