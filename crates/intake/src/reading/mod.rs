//! Parses and checks records, and hands them to a receiver.

pub(crate) mod beginning;
mod delivery;
mod parsing;

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::bail;

use crate::ids::derived::DerivedIds;
use crate::ids::repetitions::SeenIds;
use crate::record::paths::Paths;
use crate::record::questions::Questions;
use crate::report::ignored::IgnoredMembers;
use crate::report::pages::ListPages;
use crate::report::receiver::Receiver;
use crate::report::summary::RecordSummary;
use crate::rules::ImportRules;
use crate::rules::reason::{RecordError, argument, quoted};
use crate::source::RawRecord;
use crate::source::origin::{Form, Origin};
use beginning::Beginning;
use delivery::Delivery;

/// The records of all files.
pub struct Records {
    rules: Arc<ImportRules>,
    derived_ids: DerivedIds,
    /// `None` if records count as often as they occur.
    seen_ids: Option<SeenIds>,
    delivery: Delivery,
    file: CurrentFile,
    pages: ListPages,
    paths: Paths,
    questions: Questions,
    summary: RecordSummary,
    /// The records of other campaigns than the one to read.
    skipped: u64,
    /// The names of columns and members that are not imported, quoted.
    ignored: BTreeSet<String>,
}

/// The file whose records are read.
#[derive(Default)]
struct CurrentFile {
    name: Arc<str>,
    form: Arc<Form>,
    ignored: IgnoredMembers,
    /// What its records lack; `None` once it is accepted.
    beginning: Option<Beginning>,
    /// Whether it is a document, as services write, rather than a list.
    is_document: bool,
    records: u64,
    /// Whether a record of it could be used.
    has_records: bool,
    /// Whether a record of it has a user.
    has_users: bool,
}

/// What an import has read.
#[derive(Debug)]
pub struct Report {
    /// What was seen of its response records.
    pub summary: RecordSummary,
    /// The records of other campaigns than the one to import.
    pub skipped: u64,
    /// Whether no page is known to be missing, and whatever the options name came.
    pub is_complete: bool,
    /// What was missing or mixed: lines for the user.
    pub notes: Vec<String>,
    /// The names of columns and members that are not imported, quoted.
    ignored: BTreeSet<String>,
}

impl Report {
    /// Returns the mapping by which the column or member of this name becomes a trait, if it is not imported.
    pub fn mapping_of_trait(&self, name: &str) -> Option<String> {
        let quoted_name = quoted(name);
        let is_it = |found: &&String| found.eq_ignore_ascii_case(&quoted_name);
        let found = self.ignored.iter().find(is_it)?.trim_matches('"');
        Some(if found == name {
            format!("traits.{name}")
        } else {
            format!("traits.{name}={found}")
        })
    }
}

impl Records {
    /// Hands the records to this receiver. Those of one `id` and `created` count once or as often as they
    /// occur; to know them takes time, and space on the disk.
    pub fn new(rules: Arc<ImportRules>, receiver: Box<dyn Receiver>, count_once: bool) -> Self {
        let paths = Paths::new(&rules);
        Self {
            derived_ids: DerivedIds::new(),
            seen_ids: count_once.then(SeenIds::new),
            delivery: Delivery::new(receiver, &paths),
            file: CurrentFile::default(),
            pages: ListPages::default(),
            paths,
            questions: Questions::new(&rules),
            summary: RecordSummary::default(),
            skipped: 0,
            ignored: BTreeSet::new(),
            rules,
        }
    }

    pub(crate) fn rules(&self) -> Arc<ImportRules> {
        self.rules.clone()
    }

    /// Begins a file.
    pub(crate) fn begin_file(&mut self, name: &str) {
        self.file = CurrentFile {
            name: name.into(),
            beginning: Some(Beginning::new(&self.rules)),
            ..CurrentFile::default()
        };
        self.delivery.begin_file();
        self.derived_ids.begin_list();
    }

    /// Begins a table of this form, and reports the columns that are not imported.
    pub(crate) fn begin_table(
        &mut self,
        table: Form,
        ignored_columns: &[String],
    ) -> anyhow::Result<()> {
        // Rows are received after the records that precede them.
        self.delivery.release(&self.paths)?;
        self.file.form = Arc::new(table);
        self.file.beginning = None;
        if !ignored_columns.is_empty() {
            let columns = ignored_columns.join(", ");
            self.note_of_file(&format!("columns that are not imported: {columns}"));
            self.ignored.extend(ignored_columns.iter().cloned());
        }
        Ok(())
    }

    /// Begins a document.
    pub(crate) fn begin_document(&mut self) {
        self.file.is_document = true;
    }

    /// Begins the records of a page, which may be on other pages, too.
    pub(crate) fn begin_page(&mut self) {
        self.derived_ids.begin_list();
    }

    /// Ends a page.
    pub(crate) fn end_page(&mut self, is_last: bool) {
        self.pages.add(is_last);
    }

    /// Ends the beginning of a file. One whose records lack what they need is refused, unless it is a document: services
    /// write those of displays alone.
    fn end_beginning(&mut self) -> anyhow::Result<()> {
        let beginning = self.file.beginning.take();
        match beginning.and_then(|beginning| beginning.of_records(&self.rules)) {
            None => Ok(()),
            Some(lacking) if self.file.is_document => {
                self.note_of_file(&lacking);
                Ok(())
            }
            Some(lacking) => {
                self.delivery.refuse_file();
                bail!(lacking)
            }
        }
    }

    fn note_of_file(&mut self, line: &str) {
        let line = format!("{}: {line}", self.file.name);
        self.delivery.receiver.note(&line);
    }

    /// Returns where the e-mail addresses of users are, if none of the file has a `userId`.
    fn lost_address(&self) -> Option<&str> {
        let is_wanted = !self.file.has_users && !self.rules.no_users;
        let mut paths = ["email", "user.email"].into_iter();
        let path = paths.find(|path| is_wanted && self.file.ignored.has(path))?;
        let is_table = matches!(*self.file.form, Form::Table { .. });
        let path = if is_table { "email" } else { path };
        Some(self.rules.source_of("email").unwrap_or(path))
    }

    /// Ends a file, and reports what of it is not imported. One that is refused is not said to have no records.
    pub(crate) fn end_file(&mut self, is_read: bool) -> anyhow::Result<()> {
        self.ignored.extend(self.file.ignored.names().cloned());
        self.end_beginning()?;
        if is_read && self.file.records == 0 {
            self.note_of_file("it has no records");
        }
        if let Some(ignored) = self.file.ignored.list() {
            self.note_of_file(&format!("members that are not imported: {ignored}"));
        }
        if let Some(path) = self.lost_address() {
            let option = argument(&format!("userId={path}"));
            self.note_of_file(&format!(
                "no users are made, because no record has a userId; to identify them by their e-mail \
                 addresses: --map {option}"
            ));
        }
        self.delivery.end_file(&self.paths)
    }

    /// Ends the import, also after an error of reading.
    pub(crate) fn finish(mut self, is_read: bool) -> (Report, anyhow::Result<()>) {
        let released = self.delivery.release(&self.paths);
        let ended = released.and_then(|()| self.delivery.receiver.end_of_file());
        let unseen = self.paths.unseen();
        let unseen = unseen.map(|paths| format!("no record has {paths}"));
        let missing: Vec<_> = self.pages.missing().into_iter().chain(unseen).collect();
        let is_complete = missing.is_empty();
        let mut notes = Vec::new();
        // Otherwise the error explains them.
        if ended.is_ok() {
            notes = self.questions.lines();
            let found = &self.summary;
            // The questions explain why nothing is rated.
            let is_unrated = notes.is_empty() && !found.has_ratings && found.records > 0;
            notes.extend(missing.into_iter().chain(self.warning_of_campaigns()));
            notes.extend((is_read && is_unrated).then(|| "no record is rated".to_owned()));
        }
        let report = Report {
            summary: self.summary,
            skipped: self.skipped,
            is_complete,
            notes,
            ignored: self.ignored,
        };
        (report, ended)
    }

    /// Warns of campaigns that are mixed or absent.
    fn warning_of_campaigns(&self) -> Option<String> {
        match &self.rules.campaign {
            None if self.summary.has_mixed_campaigns() => Some(format!(
                "several campaigns are mixed, and a score of them means nothing: {}; --campaign imports one",
                self.summary.campaigns().unwrap_or_default()
            )),
            Some(campaign) if self.summary.records == 0 && self.skipped > 0 => {
                Some(format!("no record is of the campaign {}", quoted(campaign)))
            }
            _ => None,
        }
    }

    /// Adds a record, or rejects or skips it. Fails if the import cannot continue.
    pub(crate) fn add(&mut self, entry: RawRecord<'_>) -> anyhow::Result<()> {
        let mut origin = Origin {
            file: self.file.name.clone(),
            form: self.file.form.clone(),
            line: entry.line,
            raw: entry.raw.to_vec(),
            derived_id: None,
        };
        self.file.records += 1;
        let parsed = entry.source.map_err(RecordError::Rejected);
        let outcome = match parsed.and_then(|source| self.parse(&source, &mut origin)) {
            Ok(Some(record)) => {
                self.file.has_records = true;
                Ok(record)
            }
            Ok(None) => {
                self.skipped += 1;
                return Ok(());
            }
            Err(RecordError::Rejected(reason)) => Err(reason),
            Err(RecordError::Fatal(error)) => return Err(error),
        };
        let beginning = self.file.beginning.as_mut();
        if beginning.is_some_and(|beginning| beginning.ends_with(&origin.raw)) {
            self.end_beginning()?;
        }
        let is_accepted = self.file.beginning.is_none();
        self.delivery
            .deliver(origin, outcome, &self.paths, is_accepted)
    }
}
