//! Checks records and gathers them in chunks for writing.

use anyhow::anyhow;
use shared::model::ProjectId;
use tokio::sync::mpsc;

use super::entry::Entry;
use super::kind::Kind;
use super::occurrences::Occurrences;
use super::progress::Progress;
use super::record::{parse_response, parse_user};
use super::rejects::Rejects;
use crate::store::{NewItem, ResponseItem, UserFacts};

/// Records that are written together.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) records: u64,
    pub(super) responses: Vec<ResponseItem>,
    pub(super) users: Vec<UserFacts>,
    bytes: usize,
}

impl Chunk {
    /// Returns whether the chunk is large enough to keep the store busy. However large the records
    /// are, it takes little memory.
    fn is_full(&self) -> bool {
        self.records >= 1000 || self.bytes >= 1 << 20
    }
}

/// Receives the records of all files.
pub(super) struct Records {
    kind: Kind,
    project: ProjectId,
    with_users: bool,
    progress: Progress,
    rejects: Option<Rejects>,
    chunks: mpsc::Sender<Chunk>,
    chunk: Chunk,
    /// The name of the current file.
    file: String,
    /// Those of the current file.
    occurrences: Occurrences,
}

impl Records {
    pub(super) fn new(
        kind: Kind,
        project: ProjectId,
        with_users: bool,
        progress: Progress,
        rejects: Option<Rejects>,
        chunks: mpsc::Sender<Chunk>,
    ) -> Self {
        Self {
            kind,
            project,
            with_users,
            progress,
            rejects,
            chunks,
            chunk: Chunk::default(),
            file: String::new(),
            occurrences: Occurrences::none(),
        }
    }

    /// Begins a file.
    pub(super) fn begin_file(&mut self, name: &str) {
        name.clone_into(&mut self.file);
        self.occurrences = Occurrences::none();
    }

    /// Begins a table with this header, and reports the columns that are not imported.
    pub(super) fn begin_table(&mut self, header: &[u8], unused_columns: &[String]) {
        if !unused_columns.is_empty() {
            self.progress.print(&format!(
                "{}: columns that are not imported: {}",
                self.file,
                unused_columns.join(", ")
            ));
        }
        if let Some(rejects) = &mut self.rejects {
            rejects.begin_table(header);
        }
    }

    /// Adds a record, or rejects it. Fails if the import cannot continue.
    pub(super) fn add(&mut self, entry: Entry<'_>) -> anyhow::Result<()> {
        if let Err(reason) = entry.json.and_then(|json| self.check(json)) {
            let place = format!("{}:{}", self.file, entry.line);
            self.progress.reject(&format!("{place}: {reason}"));
            if let Some(rejects) = &mut self.rejects {
                rejects.write(entry.raw)?;
            }
        }
        if self.chunk.is_full() {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds a record to the chunk. `Err` is the reason why it cannot be imported.
    fn check(&mut self, json: &str) -> Result<(), String> {
        let (response, user) = match self.kind {
            Kind::Responses => {
                let (record, user) = parse_response(json, &self.project, &mut self.occurrences)?;
                let item = ResponseItem::new(&record);
                let item = item.map_err(|invalid| format!("the record {invalid}"))?;
                (Some(item), user)
            }
            Kind::Users => (None, Some(parse_user(json)?)),
        };
        let user = user.filter(|_| self.with_users);
        if let Some(user) = &user {
            NewItem::user(&self.project, user).map_err(|invalid| format!("the user {invalid}"))?;
        }
        self.chunk.records += 1;
        self.chunk.bytes += json.len();
        self.chunk.responses.extend(response);
        self.chunk.users.extend(user);
        Ok(())
    }

    /// Sends the chunk for writing.
    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        // The writer reports why it ended.
        self.chunks
            .blocking_send(chunk)
            .map_err(|_| anyhow!("the import ended"))
    }

    /// Ends the import.
    pub(super) fn close(self) {
        if let Some(rejects) = self.rejects {
            rejects.close();
        }
    }
}
