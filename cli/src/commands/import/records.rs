//! Checks records and gathers them in chunks for writing.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::anyhow;
use shared::model::ProjectId;
use tokio::sync::mpsc;

use super::chunk::{Chunk, Origin};
use super::entry::Entry;
use super::identities::{Identities, Repetition};
use super::kind::Kind;
use super::progress::Progress;
use super::record::{parse_response, parse_user};
use super::rejects::{Place, Rejects};
use super::source::Source;
use crate::store::{ResponseItem, UserFacts};
use crate::text::quoted;

/// A record of so many bytes cannot make an item that is too large for DynamoDB, which counts at most two bytes for
/// each byte of JSON.
const MAX_SMALL: usize = 190 << 10;

/// Receives the records of all files.
pub(super) struct Records {
    pub(super) kind: Kind,
    pub(super) project: ProjectId,
    pub(super) with_users: bool,
    pub(super) identities: Identities,
    pub(super) progress: Progress,
    pub(super) rejects: Arc<Rejects>,
    pub(super) chunks: mpsc::Sender<Chunk>,
    pub(super) file: CurrentFile,
}

/// The file whose records are read.
pub(super) struct CurrentFile {
    name: Arc<str>,
    header: Arc<[u8]>,
    chunk: Chunk,
    /// How often members occurred that are not imported.
    ignored: BTreeMap<String, u64>,
    /// How often others did, once there were too many names.
    uncounted: u64,
}

impl CurrentFile {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            header: Arc::default(),
            chunk: Chunk::default(),
            ignored: BTreeMap::new(),
            uncounted: 0,
        }
    }

    /// Counts members that are not imported. The names of a hostile file must not fill the memory, so
    /// they are shortened and limited in number.
    fn count_ignored(&mut self, names: Vec<String>) {
        const MAX_NAMES: usize = 10_000;
        for name in names {
            let name = quoted(&name);
            if self.ignored.len() < MAX_NAMES || self.ignored.contains_key(&name) {
                *self.ignored.entry(name).or_default() += 1;
            } else {
                self.uncounted += 1;
            }
        }
    }

    /// Lists the members that are not imported, the most frequent ones by name.
    fn ignored(&self) -> Option<String> {
        const SHOWN: usize = 20;
        let mut counts: Vec<_> = self.ignored.iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let (shown, others) = counts.split_at(counts.len().min(SHOWN));
        let mut list: Vec<_> = shown
            .iter()
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        list.sort();
        let others = others.iter().map(|(_, count)| **count).sum::<u64>() + self.uncounted;
        if others > 0 {
            list.push(format!("and others ({others})"));
        }
        (!list.is_empty()).then(|| list.join(", "))
    }
}

impl Records {
    /// Begins a file.
    pub(super) fn begin_file(&mut self, name: &str) -> anyhow::Result<()> {
        self.file = CurrentFile::new(name);
        self.identities.begin_file().map_err(anyhow::Error::msg)
    }

    /// Begins a table with this header, and reports the columns that are not imported.
    pub(super) fn begin_table(&mut self, header: &[u8], ignored_columns: &[String]) {
        self.file.header = header.into();
        if !ignored_columns.is_empty() {
            self.progress.print(&format!(
                "{}: columns that are not imported: {}",
                self.file.name,
                ignored_columns.join(", ")
            ));
        }
    }

    /// Ends a file, and reports the members that are not imported.
    pub(super) fn end_file(&mut self) -> anyhow::Result<()> {
        if let Some(ignored) = self.file.ignored() {
            self.progress.print(&format!(
                "{}: members that are not imported: {ignored}",
                self.file.name
            ));
        }
        self.flush()
    }

    /// Adds a record, or rejects it. Fails if the import cannot continue.
    pub(super) fn add(&mut self, entry: Entry<'_>) -> anyhow::Result<()> {
        let place = Place {
            file: self.file.name.clone(),
            header: self.file.header.clone(),
            line: entry.line,
        };
        let parsed = entry
            .record
            .and_then(|(json, source)| self.parse(&place, json, &source));
        match parsed {
            Ok((response, user)) => {
                let raw = entry.raw.to_vec();
                self.file.chunk.add(Origin { place, raw }, response, user);
            }
            Err(reason) => self.rejects.add(&place, entry.raw, &reason)?,
        }
        if self.file.chunk.is_full() {
            self.flush()?;
        }
        Ok(())
    }

    /// Parses and checks a record. `Err` is the reason why it cannot be imported.
    fn parse(
        &mut self,
        place: &Place,
        json: &str,
        source: &Source<'_>,
    ) -> Result<(Option<ResponseItem>, Option<UserFacts>), String> {
        let (response, user) = match self.kind {
            Kind::Responses => {
                let derive_id = || self.identities.derive(source);
                let parsed = parse_response(json, &self.project, derive_id)?;
                let item = ResponseItem::new(&parsed.record);
                let item = item.map_err(|invalid| format!("the record {invalid}"))?;
                if parsed.has_id || self.identities.are_chosen() {
                    let (id, created) = (&parsed.record.id, parsed.record.created);
                    if let Some(repetition) = self.identities.repetition(id, created, source)? {
                        self.report(place, id.as_str(), repetition);
                    }
                }
                self.file.count_ignored(parsed.ignored);
                (Some(item), parsed.user)
            }
            Kind::Users => {
                let (user, ignored) = parse_user(json)?;
                self.file.count_ignored(ignored);
                (None, Some(user))
            }
        };
        let user = user.filter(|_| self.with_users);
        // The traits of a response record have been checked with it, and only a long record can make a user
        // too large.
        let needs_check = self.kind == Kind::Users || json.len() > MAX_SMALL;
        if let Some(user) = user.as_ref().filter(|_| needs_check) {
            let checked = user.check(&self.project);
            checked.map_err(|invalid| format!("the user {invalid}"))?;
        }
        Ok((response, user))
    }

    fn report(&self, place: &Place, id: &str, repetition: Repetition) {
        let outcome = match repetition {
            Repetition::OtherCreated => {
                "with another created: both are imported as separate records"
            }
            Repetition::OtherContent => "with other content: it is merged into the earlier record",
        };
        self.progress.print(&format!(
            "{}:{}: the id {} occurs again {outcome}",
            place.file,
            place.line,
            quoted(id)
        ));
    }

    /// Sends the chunk for writing.
    fn flush(&mut self) -> anyhow::Result<()> {
        let chunk = std::mem::take(&mut self.file.chunk);
        // The writer reports why it ended.
        self.chunks
            .blocking_send(chunk)
            .map_err(|_| anyhow!("the import ended"))
    }
}
