//! Parses and checks records, and hands them to a receiver.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use shared::items::{ResponseItem, UserFacts};
use shared::model::ProjectId;

use super::Reason;
use super::dates::Dates;
use super::entry::{Entry, Failure};
use super::identities::{Identities, Repetition};
use super::kind::Kind;
use super::members::Members;
use super::origin::{Form, Origin};
use super::reason::quoted;
use super::record::{is_user, parse_response, parse_user};
use super::source::Source;

/// A record of so many bytes cannot make an item that is too large for DynamoDB, which counts at most two bytes for
/// each byte of JSON.
const MAX_SMALL: usize = 190 << 10;

/// Receives what is read. An error ends the reading.
pub trait Receiver {
    /// Receives a record.
    fn record(&mut self, origin: Origin, record: Record) -> anyhow::Result<()>;

    /// Receives a record that is rejected.
    fn rejected(&mut self, origin: &Origin, reason: &Reason) -> anyhow::Result<()>;

    /// Receives a line for the user.
    fn note(&mut self, line: &str);

    /// Learns that a file has ended.
    fn end_of_file(&mut self) -> anyhow::Result<()>;

    /// Returns the content of a file, after watching how it is read.
    fn watch(&self, file: File) -> Box<dyn Read> {
        Box::new(file)
    }
}

/// What a record says: the response, if it is one, and its user.
#[derive(Debug, Default)]
pub struct Record {
    /// The response.
    pub response: Option<ResponseItem>,
    /// The user, if it is known and wanted.
    pub user: Option<UserFacts>,
}

/// How records are parsed.
#[derive(Debug)]
pub struct Rules {
    /// What the records are.
    pub kind: Kind,
    /// The project that they belong to.
    pub project: ProjectId,
    /// What is read of users.
    pub users: Users,
    /// How dates are written, unless they are exact.
    pub dates: Option<Dates>,
    /// The columns or members that ids are derived from; empty for all.
    pub id_from: Vec<String>,
}

/// What is read of the users of response records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Users {
    /// What the records say.
    Read,
    /// Nothing.
    Ignored,
}

/// The records of all files.
pub struct Records {
    rules: Rules,
    identities: Identities,
    receiver: Box<dyn Receiver>,
    file: CurrentFile,
}

/// The file whose records are read.
struct CurrentFile {
    name: Arc<str>,
    form: Arc<Form>,
    /// How often members occurred that are not imported.
    ignored: BTreeMap<String, u64>,
    /// How often others did, once there were too many names.
    uncounted: u64,
}

impl CurrentFile {
    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            form: Arc::new(Form::Json),
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
    /// Hands the records to this receiver.
    pub fn new(rules: Rules, receiver: Box<dyn Receiver>) -> Self {
        Self {
            identities: Identities::new(rules.id_from.clone()),
            rules,
            receiver,
            file: CurrentFile::new(""),
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.rules.kind
    }

    pub(super) fn watch(&self, file: File) -> Box<dyn Read> {
        self.receiver.watch(file)
    }

    /// Returns the columns that ids are derived from and that this header lacks.
    pub(super) fn missing_id_columns(&self, header: &[String]) -> Vec<&str> {
        self.identities.missing_in(header)
    }

    /// Begins a file.
    pub(super) fn begin_file(&mut self, name: &str) -> anyhow::Result<()> {
        self.file = CurrentFile::new(name);
        self.identities.begin_file()
    }

    /// Begins a table of this form, and reports the columns that are not imported.
    pub(super) fn begin_table(&mut self, table: Form, ignored_columns: &[String]) {
        self.file.form = Arc::new(table);
        if !ignored_columns.is_empty() {
            self.receiver.note(&format!(
                "{}: columns that are not imported: {}",
                self.file.name,
                ignored_columns.join(", ")
            ));
        }
    }

    /// Ends a file, and reports the members that are not imported.
    pub(super) fn end_file(&mut self) -> anyhow::Result<()> {
        if let Some(ignored) = self.file.ignored() {
            self.receiver.note(&format!(
                "{}: members that are not imported: {ignored}",
                self.file.name
            ));
        }
        self.receiver.end_of_file()
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
            Ok(record) => self.receiver.record(origin, record),
            Err(Failure::Record(reason)) => self.receiver.rejected(&origin, &reason),
            Err(Failure::Import(error)) => Err(error),
        }
    }

    /// Parses and checks a record.
    fn parse(&mut self, source: &Source<'_>, origin: &mut Origin) -> Result<Record, Failure> {
        let json = source.json();
        let json = json.as_deref().map_err(Clone::clone);
        let members = json.clone().and_then(Members::parse);
        let mut record = match self.rules.kind {
            Kind::Responses => self.parse_response(members, source, origin)?,
            Kind::Users => {
                let (user, ignored) = parse_user(members?, self.rules.dates.as_ref())?;
                self.file.count_ignored(ignored);
                Record {
                    user: Some(user),
                    ..Record::default()
                }
            }
        };
        if self.rules.users == Users::Ignored {
            record.user = None;
        }
        // The traits of a response record have been checked with it, and only a long record can make a user
        // too large.
        let needs_check = self.kind() == Kind::Users || json?.len() > MAX_SMALL;
        if let Some(user) = record.user.as_ref().filter(|_| needs_check) {
            let checked = user.check(&self.rules.project);
            checked.map_err(|invalid| format!("the user {invalid}"))?;
        }
        Ok(record)
    }

    /// Parses a response record, which gets a derived id if it has none. If it is rejected, it keeps that id,
    /// unless `--id-from` is to derive it again.
    fn parse_response(
        &mut self,
        members: Result<Members<'_>, Reason>,
        source: &Source<'_>,
        origin: &mut Origin,
    ) -> Result<Record, Failure> {
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
        let parsed = parse_response(
            members?,
            &self.rules.project,
            derived_id,
            self.rules.dates.as_ref(),
        )?;
        let item = ResponseItem::new(&parsed.record);
        let item = item.map_err(|invalid| format!("the record {invalid}"))?;
        if !lacks_id || self.identities.are_chosen() {
            let (id, created) = (&parsed.record.id, parsed.record.created);
            if let Some(repetition) = self.identities.repetition(id, created, source)? {
                self.report(origin, id.as_str(), repetition);
            }
        }
        self.file.count_ignored(parsed.ignored);
        Ok(Record {
            response: Some(item),
            user: parsed.user,
        })
    }

    fn report(&mut self, origin: &Origin, id: &str, repetition: Repetition) {
        let outcome = match repetition {
            Repetition::OtherCreated => {
                "with another created: both are imported as separate records"
            }
            Repetition::OtherContent => "with other content: it is merged into the earlier record",
        };
        self.receiver.note(&format!(
            "{}:{}: the id {} occurs again {outcome}",
            origin.file,
            origin.line,
            quoted(id)
        ));
    }
}
