//! Checks records and gathers them in chunks for writing.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::anyhow;
use shared::model::ProjectId;
use tokio::sync::mpsc;

use super::chunk::Chunk;
use super::dates::Dates;
use super::entry::{Entry, Failure};
use super::identities::{Identities, Repetition};
use super::kind::Kind;
use super::members::Members;
use super::origin::{Form, Origin};
use super::progress::Progress;
use super::record::{is_user, parse_response, parse_user};
use super::rejects::Rejects;
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
    pub(super) dates: Option<Dates>,
    pub(super) identities: Identities,
    pub(super) progress: Progress,
    pub(super) rejects: Arc<Rejects>,
    pub(super) chunks: mpsc::Sender<Chunk>,
    pub(super) file: CurrentFile,
}

/// What a record says: the response, if it is one, and its user.
type Parsed = (Option<ResponseItem>, Option<UserFacts>);

/// The file whose records are read.
pub(super) struct CurrentFile {
    name: Arc<str>,
    form: Arc<Form>,
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
            form: Arc::new(Form::Json),
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
        self.identities.begin_file()
    }

    /// Begins a table of this form, and reports the columns that are not imported.
    pub(super) fn begin_table(&mut self, table: Form, ignored_columns: &[String]) {
        self.file.form = Arc::new(table);
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
        let mut origin = Origin {
            file: self.file.name.clone(),
            form: self.file.form.clone(),
            line: entry.line,
            raw: entry.raw.to_vec(),
            derived_id: None,
        };
        let parsed = entry.source.map_err(Failure::Record);
        match parsed.and_then(|source| self.parse(&source, &mut origin)) {
            Ok((response, user)) => self.file.chunk.add(origin, response, user),
            Err(Failure::Record(reason)) => self.rejects.add(&origin, &reason)?,
            Err(Failure::Import(error)) => return Err(error),
        }
        if self.file.chunk.is_full() {
            self.flush()?;
        }
        Ok(())
    }

    /// Parses and checks a record.
    fn parse(&mut self, source: &Source<'_>, origin: &mut Origin) -> Result<Parsed, Failure> {
        let json = source.json();
        let json = json.as_deref().map_err(Clone::clone);
        let members = json.clone().and_then(Members::parse);
        let (response, user) = match self.kind {
            Kind::Responses => self.parse_response(members, source, origin)?,
            Kind::Users => {
                let (user, ignored) = parse_user(members?, self.dates.as_ref())?;
                self.file.count_ignored(ignored);
                (None, Some(user))
            }
        };
        let user = user.filter(|_| self.with_users);
        // The traits of a response record have been checked with it, and only a long record can make a user
        // too large.
        let needs_check = self.kind == Kind::Users || json?.len() > MAX_SMALL;
        if let Some(user) = user.as_ref().filter(|_| needs_check) {
            let checked = user.check(&self.project);
            checked.map_err(|invalid| format!("the user {invalid}"))?;
        }
        Ok((response, user))
    }

    /// Parses a response record, which gets a derived id if it has none. If it is rejected, it keeps that id,
    /// unless `--id-from` is to derive it again.
    fn parse_response(
        &mut self,
        members: Result<Members<'_>, String>,
        source: &Source<'_>,
        origin: &mut Origin,
    ) -> Result<Parsed, Failure> {
        let lacks_id = match &members {
            Ok(members) if is_user(members) => {
                return Err("it is a user: use feedback import users".to_owned().into());
            }
            Ok(members) => !members.has("id"),
            Err(_) => source.lacks_id(),
        };
        let derived_id = lacks_id.then(|| self.identities.derive(source));
        let derived_id = derived_id.transpose()?;
        if !self.identities.are_chosen() {
            origin.derived_id.clone_from(&derived_id);
        }
        let parsed = parse_response(members?, &self.project, derived_id, self.dates.as_ref())?;
        let item = ResponseItem::new(&parsed.record);
        let item = item.map_err(|invalid| format!("the record {invalid}"))?;
        if !lacks_id || self.identities.are_chosen() {
            let (id, created) = (&parsed.record.id, parsed.record.created);
            if let Some(repetition) = self.identities.repetition(id, created, source)? {
                self.report(origin, id.as_str(), repetition);
            }
        }
        self.file.count_ignored(parsed.ignored);
        Ok((Some(item), parsed.user))
    }

    fn report(&self, origin: &Origin, id: &str, repetition: Repetition) {
        let outcome = match repetition {
            Repetition::OtherCreated => {
                "with another created: both are imported as separate records"
            }
            Repetition::OtherContent => "with other content: it is merged into the earlier record",
        };
        self.progress.print(&format!(
            "{}:{}: the id {} occurs again {outcome}",
            origin.file,
            origin.line,
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
