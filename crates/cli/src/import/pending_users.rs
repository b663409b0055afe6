//! The users whom records mention, written in the order of their ids. In the order of the records, in which ids are
//! random, each user would change a page of its own, in each transaction.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use items::EncodedItem;
use serde::{Deserialize, Serialize};
use tempfile::tempfile_in;

use super::chunks::ChunkLimits;
use super::external_sort::{ExternalSorter, Sorted};
use super::rejects::Rejectable;

/// The mentions of users that are not written yet.
pub(super) struct PendingUsers {
    /// How much is written together.
    batch: ChunkLimits,
    /// The bytes that are in memory before they are sorted and written to the file.
    run: usize,
    /// The bytes that are pending before all are written to the store.
    most: usize,
    folder: PathBuf,
    /// `None` as long as there are none.
    pending: Option<(ExternalSorter, RecordTexts)>,
}

/// What a record says of a user.
#[derive(Serialize, Deserialize)]
struct Mention {
    user: EncodedItem,
    /// `None` if the record is rejected already.
    record: Option<RecordPlace>,
}

/// Where a record comes from, in case it has to be rejected.
#[derive(Serialize, Deserialize)]
pub(super) struct RecordPlace {
    /// The position of its file.
    file: usize,
    line: u64,
    /// Where its text is among the texts.
    text: Range<usize>,
}

impl PendingUsers {
    /// Begins without users. Those that do not fit into memory will be in files in this folder: a million records
    /// say some 400 MB of users.
    pub(super) fn new(folder: PathBuf, batch: ChunkLimits) -> Self {
        Self {
            batch,
            run: 12 << 20,
            most: 1 << 30,
            folder,
            pending: None,
        }
    }

    /// Adds a mention of a user. The record is `None` if it is rejected already.
    pub(super) fn add(
        &mut self,
        user: EncodedItem,
        record: Option<Rejectable<'_>>,
    ) -> anyhow::Result<()> {
        let adding = self.try_add(user, record);
        adding.with_context(|| self.unwritable())
    }

    fn unwritable(&self) -> String {
        format!("cannot write temporary files in {}", self.folder.display())
    }

    fn try_add(&mut self, user: EncodedItem, record: Option<Rejectable<'_>>) -> anyhow::Result<()> {
        let (sorter, texts) = match &mut self.pending {
            Some(pending) => pending,
            none => {
                let sorter = ExternalSorter::new(&self.folder, self.run);
                none.insert((sorter, RecordTexts::new(&self.folder)?))
            }
        };
        let mention = Mention {
            user,
            record: record.map(|record| texts.add(&record)).transpose()?,
        };
        let value = postcard::to_stdvec(&mention)?;
        let user_id = mention.user.key().range.clone().unwrap_or_default();
        Ok(sorter.add(user_id.as_bytes(), &value)?)
    }

    /// Returns whether they should be written.
    pub(super) fn are_many(&self) -> bool {
        let pending = self.pending.as_ref();
        let bytes = pending.map_or(0, |(sorter, texts)| sorter.bytes + texts.end);
        bytes > self.most
    }

    /// Takes all of them, if there are any.
    pub(super) fn take(&mut self) -> anyhow::Result<Option<SortedUsers>> {
        let Some((sorter, texts)) = self.pending.take() else {
            return Ok(None);
        };
        Ok(Some(SortedUsers {
            batch: self.batch,
            count: sorter.count,
            sorted: sorter.take().with_context(|| self.unwritable())?,
            texts,
        }))
    }
}

/// The mentions of users, in the order of their ids, and then of the records.
pub(super) struct SortedUsers {
    batch: ChunkLimits,
    /// The number of mentions at first.
    pub(super) count: usize,
    sorted: Sorted,
    texts: RecordTexts,
}

/// Users to write together, with their positions, and the places of the records at these positions.
pub(super) type Batch = (Vec<(usize, EncodedItem)>, Vec<Option<RecordPlace>>);

impl SortedUsers {
    /// Returns the users to write next.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<Batch>> {
        let mut users = Vec::new();
        let mut places = Vec::new();
        let mut bytes = 0;
        while !self.batch.are_reached(users.len(), bytes)
            && let Some(value) = self.sorted.next().context(UNREADABLE)?
        {
            bytes += value.len();
            let Mention { user, record } = postcard::from_bytes(&value).context(UNREADABLE)?;
            users.push((users.len(), user));
            places.push(record);
        }
        Ok((!users.is_empty()).then_some((users, places)))
    }

    /// Returns the record from this place.
    pub(super) fn rejectable(&self, place: &RecordPlace) -> anyhow::Result<Rejectable<'_>> {
        self.texts.get(place).context(UNREADABLE)
    }
}

/// Where records come from.
struct RecordTexts {
    /// The names of files, with the headers of their records.
    files: Vec<(Arc<str>, Vec<u8>)>,
    /// The texts of the records. Sorted with the users, texts of megabytes would all be in memory at once.
    texts: File,
    /// The size of the texts.
    end: usize,
}

impl RecordTexts {
    fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            files: Vec::new(),
            texts: tempfile_in(folder)?,
            end: 0,
        })
    }

    fn add(&mut self, record: &Rejectable<'_>) -> io::Result<RecordPlace> {
        let [text, header] = &record.text_and_header;
        let last = self.files.last();
        if last.is_none_or(|(name, known)| name != record.file || known != &**header) {
            self.files.push((record.file.clone(), header.to_vec()));
        }
        self.texts.write_all(text)?;
        let start = self.end;
        self.end += text.len();
        Ok(RecordPlace {
            file: self.files.len() - 1,
            line: record.line,
            text: start..self.end,
        })
    }

    fn get(&self, place: &RecordPlace) -> io::Result<Rejectable<'_>> {
        let (file, header) = self.files.get(place.file).ok_or(io::ErrorKind::NotFound)?;
        let mut text = vec![0; place.text.len()];
        let mut texts = &self.texts;
        texts.seek(SeekFrom::Start(place.text.start as u64))?;
        texts.read_exact(&mut text)?;
        Ok(Rejectable {
            file,
            line: place.line,
            text_and_header: [text.into(), header.into()],
        })
    }
}

const UNREADABLE: &str = "cannot read a temporary file";

#[cfg(test)]
mod tests {
    use items::{AsOf, UserFacts};

    use super::*;

    fn user(user_id: &str) -> EncodedItem {
        let facts = UserFacts {
            id: None,
            user_id: user_id.parse().unwrap(),
            last_seen: None,
            created: None,
            email: None,
            name: None,
            unsubscribed: None,
            traits: None,
            as_of: AsOf::stored("0"),
        };
        facts.item(&"acme".parse().unwrap()).unwrap()
    }

    #[test]
    fn users_come_in_order_and_in_batches_with_the_records_that_mention_them_in_each_round() {
        check(ChunkLimits::of(2, 1 << 20), 2);
        check(ChunkLimits::of(9, 1), 1);
    }

    /// Checks the users of two rounds, in batches of these limits, which have so many users at most.
    fn check(batch: ChunkLimits, most: usize) {
        let mut pending = PendingUsers {
            run: 200,
            most: 300,
            ..PendingUsers::new(std::env::temp_dir(), batch)
        };
        for round in ["first.csv", "second.csv"] {
            let file = Arc::from(round);
            for (line, id) in (2..).zip(["c", "a", "b", "a", "rejected"]) {
                let text = format!("{round}:{line}").into_bytes();
                let record = Rejectable {
                    file: &file,
                    line,
                    text_and_header: [text.into(), format!("id,{}", line / 4).into_bytes().into()],
                };
                let kept = (id != "rejected").then_some(record);
                pending.add(user(id), kept).unwrap();
            }
            assert!(pending.are_many());
            let mut sorted = pending.take().unwrap().unwrap();
            assert_eq!(sorted.count, 5);
            let mut written = Vec::new();
            while let Some((users, places)) = sorted.next().unwrap() {
                assert!(users.len() <= most);
                for ((_, user), place) in users.iter().zip(&places) {
                    let line = place.as_ref().map(|place| {
                        let Rejectable {
                            file,
                            line,
                            text_and_header: [text, header],
                        } = sorted.rejectable(place).unwrap();
                        assert_eq!(text.to_vec(), format!("{file}:{line}").into_bytes());
                        assert_eq!(header.to_vec(), format!("id,{}", line / 4).into_bytes());
                        (file.to_string(), line)
                    });
                    written.push((user.key().range.clone().unwrap(), line));
                }
            }
            let lines = [("a", 3), ("a", 5), ("b", 4), ("c", 2), ("rejected", 0)];
            let expected = lines.map(|(id, line)| {
                let place = (line > 0).then(|| (round.to_owned(), line));
                (id.to_owned(), place)
            });
            assert_eq!(written, expected);
            assert!(pending.take().unwrap().is_none());
        }
    }
}
