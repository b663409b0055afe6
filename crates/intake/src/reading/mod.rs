//! Parses and checks records, and hands them to a receiver.

pub(crate) mod beginning;
mod delivery;
mod parsing;

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::ensure;

use crate::ids::derived::DerivedIds;
use crate::ids::repetitions::SeenIds;
use crate::raw::RawRecord;
use crate::raw::origin::{Form, Origin};
use crate::record::paths::Paths;
use crate::record::questions::Questions;
use crate::report::ignored::IgnoredMembers;
use crate::report::pages::ListPages;
use crate::report::receiver::Receiver;
use crate::report::summary::RecordSummary;
use crate::rules::ImportRules;
use crate::rules::reason::{RecordError, argument, quoted};
use beginning::Beginning;
use delivery::{Delivery, Parsed};

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
    report: Report,
}

/// The file whose records are read.
#[derive(Default)]
struct CurrentFile {
    name: Arc<str>,
    form: Arc<Form>,
    ignored: IgnoredMembers,
    /// What its records lack; `None` once it is accepted.
    beginning: Option<Beginning>,
    /// The records that it has until then.
    held: Vec<Parsed>,
    /// Whether it is a document, as services write, rather than a list.
    is_document: bool,
    records: u64,
    /// Whether a record of it could be used.
    has_records: bool,
    /// Whether a record of it has a user.
    has_users: bool,
}

/// What an import has read.
#[derive(Debug, Default)]
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
        if self.ignored.contains(&quoted_name) {
            return Some(format!("traits.{name}"));
        }
        let is_alike = |found: &&String| found.eq_ignore_ascii_case(&quoted_name);
        let found = self.ignored.iter().find(is_alike)?.trim_matches('"');
        Some(format!("traits.{name}={found}"))
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
            report: Report::default(),
            rules,
        }
    }

    pub(crate) fn rules(&self) -> Arc<ImportRules> {
        self.rules.clone()
    }

    pub(crate) fn begin_file(&mut self, name: &str) {
        self.file = CurrentFile {
            name: name.into(),
            beginning: Some(Beginning::new(&self.rules)),
            ..CurrentFile::default()
        };
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
            let ignored = ignored_columns.iter().cloned();
            self.report.ignored.extend(ignored);
        }
        Ok(())
    }

    pub(crate) fn begin_document(&mut self) {
        self.file.is_document = true;
    }

    /// Begins the records of a page, which may be on other pages, too.
    pub(crate) fn begin_page(&mut self) {
        self.derived_ids.begin_list();
    }

    pub(crate) fn end_page(&mut self, is_last: bool) {
        self.pages.add(is_last);
    }

    /// Ends the beginning of a file. One whose records lack what they need is refused, unless it is a document: services
    /// write those of displays alone.
    fn end_beginning(&mut self) -> anyhow::Result<()> {
        let beginning = self.file.beginning.take();
        let mut held = std::mem::take(&mut self.file.held).into_iter();
        if let Some(lacking) = beginning.and_then(|it| it.of_records(&self.rules)) {
            ensure!(self.file.is_document, lacking);
            self.note_of_file(&lacking);
        }
        held.try_for_each(|record| self.delivery.deliver(record, &self.paths))
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
        Some(self.rules.place_of("email").unwrap_or(path))
    }

    /// Ends a file, and reports what of it is not imported. One that is refused is not said to have no records.
    pub(crate) fn end_file(&mut self, is_read: bool) -> anyhow::Result<()> {
        let ignored = self.file.ignored.names().cloned();
        self.report.ignored.extend(ignored);
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
        self.delivery.receiver.end_of_file()
    }

    /// Ends the import, also after an error of reading.
    pub(crate) fn finish(mut self, is_read: bool) -> (Report, anyhow::Result<()>) {
        let released = self.delivery.release(&self.paths);
        let ended = released.and_then(|()| self.delivery.receiver.end_of_file());
        let unseen = self.paths.unseen();
        let unseen = unseen.map(|paths| format!("no record has {paths}"));
        let missing: Vec<_> = self.pages.missing().into_iter().chain(unseen).collect();
        self.report.is_complete = missing.is_empty();
        // Otherwise the error explains them.
        if ended.is_ok() {
            let mut notes = self.questions.lines();
            let found = &self.report.summary;
            // The questions explain why nothing is rated.
            let is_unrated = notes.is_empty() && !found.has_ratings && found.records > 0;
            notes.extend(missing.into_iter().chain(self.warning_of_campaigns()));
            notes.extend((is_read && is_unrated).then(|| "no record is rated".to_owned()));
            self.report.notes = notes;
        }
        (self.report, ended)
    }

    /// Warns of campaigns that are mixed or absent.
    fn warning_of_campaigns(&self) -> Option<String> {
        let Report {
            summary, skipped, ..
        } = &self.report;
        match &self.rules.campaign {
            None if summary.has_mixed_campaigns() => Some(format!(
                "several campaigns are mixed, and a score of them means nothing: {}; --campaign imports one",
                summary.campaigns().unwrap_or_default()
            )),
            Some(campaign) if summary.records == 0 && *skipped > 0 => {
                Some(format!("no record is of the campaign {}", quoted(campaign)))
            }
            _ => None,
        }
    }

    /// Adds a record, or rejects or skips it. Fails if the import cannot continue.
    pub(crate) fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()> {
        let mut origin = Origin {
            file: self.file.name.clone(),
            form: self.file.form.clone(),
            line: record.line,
            raw: record.text.to_vec(),
            derived_id: None,
        };
        self.file.records += 1;
        let raw = record.content.map_err(RecordError::Rejected);
        let parsed = match raw.and_then(|raw| self.parse(&raw, &mut origin)) {
            Ok(Some(record)) => {
                self.file.has_records = true;
                Ok(record)
            }
            Ok(None) => {
                self.report.skipped += 1;
                return Ok(());
            }
            Err(RecordError::Rejected(reason)) => Err(reason),
            Err(RecordError::Fatal(error)) => return Err(error),
        };
        let Some(beginning) = &mut self.file.beginning else {
            return self.delivery.deliver((origin, parsed), &self.paths);
        };
        let is_over = beginning.ends_with(&origin.raw);
        self.file.held.push((origin, parsed));
        if is_over {
            self.end_beginning()
        } else {
            Ok(())
        }
    }
}
