//! The records of all files: begun and ended with each file, each parsed, checked and handed to a receiver.

use std::borrow::Cow;
use std::sync::Arc;

use anyhow::ensure;
use items::{EncodedItem, ResponseRecord, UserFacts};

use crate::field_search::FieldSearch;
use crate::fields::Fields;
use crate::ids::{DerivedIds, Repetition, SeenIds};
use crate::json_object::{JsonObject, scalar};
use crate::parsed_record::{parse_response, parse_user};
use crate::paths::Paths;
use crate::questions::Questions;
use crate::raw_record::{Form, Origin, RawContent, RawRecord};
use crate::reason::{Reason, RecordError, argument};
use crate::receiver::{Delivery, Parsed, Receiver, Record};
use crate::report::{IgnoredMembers, ListPages, Report};
use crate::rules::{ImportRules, RecordKind};

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
    /// The search for what its records need; `None` once the file is accepted.
    search: Option<FieldSearch>,
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
            search: Some(FieldSearch::new(&self.rules)),
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
        self.file.search = None;
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
        let content = record.content.map_err(RecordError::Rejected);
        let parsed = match content.and_then(|content| self.parse(&content, &mut origin)) {
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
        let Some(search) = &mut self.file.search else {
            return self.delivery.deliver((origin, parsed), &self.paths);
        };
        let is_over = search.ends_with(&origin.raw);
        self.file.held.push((origin, parsed));
        if is_over {
            self.end_beginning()
        } else {
            Ok(())
        }
    }

    /// Parses and checks a record; returns `None` if it is of another campaign.
    fn parse(
        &mut self,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Option<Record>, RecordError> {
        let json = raw.json();
        let members = match &json {
            Ok(json) => JsonObject::parse(json),
            Err(reason) => Err(reason.clone()),
        };
        if let Ok(members) = &members {
            self.check_kind(members)?;
            if let Some(search) = &mut self.file.search {
                search.see(members, &self.rules);
            }
        }
        let campaign = self.campaign(members.as_ref().ok())?;
        if let Some(selected) = &self.rules.campaign
            && members.is_ok()
            && campaign.as_deref() != Some(selected)
        {
            return Ok(None);
        }
        let record = match self.rules.kind {
            RecordKind::Responses => {
                self.parse_response(members, campaign.as_deref(), raw, origin)?
            }
            RecordKind::Users => {
                let fields = self.fields(members?, raw)?;
                let (user, ignored) = parse_user(fields, self.rules.dates.as_ref())?;
                let user = Some(self.user_item(&user)?);
                self.file.ignored.count(ignored, &self.paths);
                Record {
                    user,
                    ..Record::default()
                }
            }
        };
        Ok(Some(record))
    }

    /// Refuses a file whose first usable record is of the other kind, and rejects a user among responses.
    fn check_kind(&self, record: &JsonObject<'_>) -> Result<(), RecordError> {
        let other = self.rules.kind.other();
        if self.rules.map_decisive_field() || !record.look_like(other, &self.rules.map) {
            Ok(())
        } else if !self.file.has_records {
            Err(RecordError::Fatal(other.refusal()))
        } else if other == RecordKind::Users {
            Err("it is a user: use feedback import users".to_owned().into())
        } else {
            Ok(())
        }
    }

    fn user_item(&self, user: &UserFacts) -> Result<EncodedItem, Reason> {
        let item = user.item(&self.rules.project);
        item.map_err(|invalid| format!("the user {invalid}"))
    }

    /// Returns the campaign of a record. One that is a list or an object rejects the record only if
    /// `--campaign` selects by it.
    fn campaign<'a>(
        &self,
        record: Option<&JsonObject<'a>>,
    ) -> Result<Option<Cow<'a, str>>, Reason> {
        let Some(campaign) = record.and_then(|record| record.get("campaign")) else {
            return Ok(None);
        };
        match scalar("campaign", campaign) {
            Ok(campaign) => Ok(Some(campaign).filter(|campaign| !campaign.is_empty())),
            Err(_) if self.rules.campaign.is_none() => Ok(None),
            Err(reason) => Err(reason),
        }
    }

    /// Returns the fields of a record, wherever the options say that they are.
    fn fields<'a>(
        &mut self,
        members: JsonObject<'a>,
        raw: &RawContent<'_>,
    ) -> Result<Fields<'a>, Reason> {
        let kind = self.rules.kind;
        // The columns of a row are mapped by its table.
        let found = match raw {
            RawContent::Object(_) => self.paths.find(&members)?,
            RawContent::Row { .. } => Vec::new(),
        };
        let mut fields = Fields::new(members, kind)?;
        fields.take(kind, &self.paths, &found)?;
        Ok(fields)
    }

    /// Parses a response record, which gets a derived id if it has none. If it is rejected, it keeps that id,
    /// unless it is to be derived again, or an option says that the id is elsewhere.
    fn parse_response(
        &mut self,
        members: Result<JsonObject<'_>, Reason>,
        campaign: Option<&str>,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Record, RecordError> {
        let fields = members.and_then(|members| self.fields(members, raw));
        let lacks_id = match &fields {
            Ok(fields) => !fields.record.has("id"),
            Err(_) => raw.lacks_id(),
        };
        let derived_id = if lacks_id {
            Some(self.derived_ids.derive(raw, &self.rules.id_from)?)
        } else {
            None
        };
        if self.rules.id_from.is_empty() && (origin.is_row() || !self.rules.maps("id")) {
            origin.derived_id.clone_from(&derived_id);
        }
        let parsed = parse_response(fields?, &self.rules, derived_id, &mut self.questions)?;
        let item = parsed
            .record
            .item()
            .map_err(|invalid| format!("the record {invalid}"))?;
        let user = match parsed.user {
            Some(user) if !self.rules.no_users => Some(self.user_item(&user)?),
            _ => None,
        };
        self.count(&parsed.record, campaign)?;
        self.file.has_users |= parsed.record.user_id.is_some();
        self.file.ignored.count(parsed.ignored, &self.paths);
        Ok(Record {
            response: Some(item),
            user,
        })
    }

    /// Counts a response record, unless it is the same as an earlier one and each counts once.
    fn count(
        &mut self,
        record: &ResponseRecord,
        campaign: Option<&str>,
    ) -> Result<(), RecordError> {
        let repetition = match &mut self.seen_ids {
            Some(seen) => seen.see(&record.id, record.created)?,
            None => Repetition::None,
        };
        let summary = &mut self.report.summary;
        match repetition {
            Repetition::Same => {
                summary.repeated += 1;
                return Ok(());
            }
            Repetition::OtherCreated => summary.recreated += 1,
            Repetition::None => {}
        }
        summary.add(record.outcome, record.created, campaign);
        Ok(())
    }

    /// Ends the beginning of a file, whose records waited. One whose records lack what they need is refused,
    /// unless it is a document: services write those of displays alone.
    fn end_beginning(&mut self) -> anyhow::Result<()> {
        let search = self.file.search.take();
        let held = std::mem::take(&mut self.file.held);
        if let Some(lacking) = search.and_then(|search| search.refusal_of_records(&self.rules)) {
            ensure!(self.file.is_document, lacking);
            self.note_of_file(&lacking);
        }
        held.into_iter()
            .try_for_each(|record| self.delivery.deliver(record, &self.paths))
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

    /// Returns where the e-mail addresses of users are, if none of the file has a `userId`.
    fn lost_address(&self) -> Option<&str> {
        let is_wanted = !self.file.has_users && !self.rules.no_users;
        let mut paths = ["email", "user.email"].into_iter();
        let member = paths.find(|path| is_wanted && self.file.ignored.has(path))?;
        let is_table = matches!(*self.file.form, Form::Table { .. });
        let own_place = if is_table { "email" } else { member };
        Some(self.rules.place_of("email").unwrap_or(own_place))
    }

    fn note_of_file(&mut self, line: &str) {
        let line = format!("{}: {line}", self.file.name);
        self.delivery.receiver.note(&line);
    }

    /// Ends the import, also after an error of reading.
    pub(crate) fn finish(mut self, is_read: bool) -> (Report, anyhow::Result<()>) {
        let released = self.delivery.release(&self.paths);
        let ended = released.and_then(|()| self.delivery.receiver.end_of_file());
        let unseen = self
            .paths
            .unseen()
            .map(|paths| format!("no record has {paths}"));
        let missing: Vec<_> = self.pages.missing().into_iter().chain(unseen).collect();
        self.report.is_complete = missing.is_empty();
        // Otherwise the error explains them.
        if ended.is_ok() {
            let mut notes = self.questions.lines();
            let found = &self.report.summary;
            // The questions explain why nothing is rated.
            let is_unrated = notes.is_empty() && !found.has_ratings && found.records > 0;
            let campaign = self.rules.campaign.as_deref();
            let warning = self.report.warning_of_campaigns(campaign);
            notes.extend(missing.into_iter().chain(warning));
            notes.extend((is_read && is_unrated).then(|| "no record is rated".to_owned()));
            self.report.notes = notes;
        }
        (self.report, ended)
    }
}
