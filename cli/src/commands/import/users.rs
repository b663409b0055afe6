//! What the records say of users, written in the order of the users' ids. In the order of the records, in which ids are random,
//! each user would change a page of its own, in each transaction.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use serde::{Deserialize, Serialize};
use shared::items::UserItem;

use super::chunk::Limits;
use super::rejects::Rejectable;
use super::sorter::{Sorted, Sorter};

/// What records say of users, and is not written yet.
pub(super) struct PendingUsers {
    /// How many are written together.
    limits: Limits,
    sorter: Sorter,
    files: Files,
}

/// What is written together, with the positions of the sources.
type Together = (Vec<(usize, UserItem)>, Vec<Option<Source>>);

/// Files with the headers of their records.
type Files = Vec<(Arc<str>, Vec<u8>)>;

/// What a record says of a user.
#[derive(Serialize, Deserialize)]
struct Said {
    user: UserItem,
    /// `None` if the record is rejected already.
    source: Option<Source>,
}

/// Where a record comes from, in case it has to be rejected.
#[derive(Serialize, Deserialize)]
pub(super) struct Source {
    /// The position of its file.
    file: usize,
    line: u64,
    text: Vec<u8>,
}

impl PendingUsers {
    /// The bytes that are many. A million records have some 400 MB.
    const MANY: usize = 1 << 30;

    /// Begins without users. Those that do not fit into memory are in files without a name in this folder.
    pub(super) fn new(folder: PathBuf, limits: Limits) -> Self {
        Self {
            limits,
            sorter: Sorter::new(folder),
            files: Files::new(),
        }
    }

    /// Adds what a record says of a user. Its position is `None` if it is rejected already.
    pub(super) fn add(
        &mut self,
        user: UserItem,
        record: Option<Rejectable<'_>>,
    ) -> anyhow::Result<()> {
        let source = record.map(|record| self.source(record));
        let said = Said { user, source };
        let value = postcard::to_stdvec(&said)?;
        let key = said.user.user_id().as_bytes();
        let adding = self.sorter.add(key, &value);
        adding.context("cannot write a temporary file")
    }

    fn source(&mut self, record: Rejectable<'_>) -> Source {
        let [text, header] = record.text_and_header;
        let is_its = |(file, of): &(Arc<str>, Vec<u8>)| file == record.file && header == *of;
        if !self.files.last().is_some_and(is_its) {
            self.files.push((record.file.clone(), header.into_owned()));
        }
        Source {
            file: self.files.len() - 1,
            line: record.line,
            text: text.into_owned(),
        }
    }

    /// Returns whether they should be written.
    pub(super) fn are_many(&self) -> bool {
        self.sorter.bytes() > Self::MANY
    }

    /// Takes all of them.
    pub(super) fn take(&mut self) -> anyhow::Result<SortedUsers> {
        Ok(SortedUsers {
            limits: self.limits,
            sorted: self.sorter.take().context(UNREADABLE)?,
            files: std::mem::take(&mut self.files),
        })
    }
}

/// What records say of users, in the order of their ids, and then of the records.
pub(super) struct SortedUsers {
    limits: Limits,
    sorted: Sorted,
    files: Files,
}

impl SortedUsers {
    /// Returns what is written next; nothing at the end.
    pub(super) fn next(&mut self) -> anyhow::Result<Together> {
        let (mut users, mut sources, mut bytes) = (Vec::new(), Vec::new(), 0);
        while !self.limits.are_reached(users.len(), bytes)
            && let Some(said) = self.sorted.next().context(UNREADABLE)?
        {
            bytes += said.len();
            let Said { user, source } = postcard::from_bytes(&said)?;
            users.push((users.len(), user));
            sources.push(source);
        }
        Ok((users, sources))
    }

    /// Returns the record of a source.
    pub(super) fn rejectable<'a>(&'a self, source: &'a Source) -> Option<Rejectable<'a>> {
        let (file, header) = self.files.get(source.file)?;
        Some(Rejectable {
            file,
            line: source.line,
            text_and_header: [&source.text, header].map(|bytes| bytes.as_slice().into()),
        })
    }
}

const UNREADABLE: &str = "cannot read a temporary file";
