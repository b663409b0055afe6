//! The records of all files: each parsed, checked and handed to a receiver.

use std::collections::BTreeMap;
use std::sync::Arc;

use items::{EncodedItem, RecordId, ResponseRecord, UserFacts};

use crate::fields::values_of;
use crate::ids::{Ids, Repetition};
use crate::input::Input;
use crate::json::JsonRecords;
use crate::json_object::OF_USERS;
use crate::parsed_record::{RecordValues, parse_response, parse_user};
use crate::paths::Paths;
use crate::plan::{Plan, Reading};
use crate::questions::Questions;
use crate::raw_record::{RawContent, RawRecord};
use crate::reason::{Reason, RecordError, argument, quoted};
use crate::receiver::{Origin, Receiver, Record};
use crate::report::{IgnoredMembers, ListPages, Report};
use crate::rules::{ImportRules, RecordKind, Selection};

/// The records of all files.
pub struct Records {
    options: ImportRules,
    ids: Ids,
    /// Whether records of one `id` and `created` count once.
    count_once: bool,
    receiver: Box<dyn Receiver>,
    pages: ListPages,
    paths: Paths,
    questions: Questions,
    report: Report,
}

impl Records {
    /// Hands the records to this receiver. Those of one `id` and `created` count once or as often as they
    /// occur; to know them takes time, and space on the disk.
    pub fn new(options: ImportRules, receiver: Box<dyn Receiver>, count_once: bool) -> Self {
        Self {
            ids: Ids::default(),
            count_once,
            receiver,
            pages: ListPages::default(),
            paths: Paths::new(&options),
            questions: Questions::default(),
            report: Report::default(),
            options,
        }
    }

    pub(crate) fn options(&self) -> &ImportRules {
        &self.options
    }

    /// Begins a file: looks at its head, and decides how it is read.
    pub(crate) fn begin_file(
        &mut self,
        input: &mut Input,
        name: &str,
        is_only: bool,
    ) -> anyhow::Result<FileRecords<'_>> {
        self.ids.begin_list();
        let plan = Plan::of(input, &self.options, &mut self.paths, is_only)?;
        let meaning = &plan.meaning;
        if meaning.survey.is_some() {
            self.report.survey.clone_from(&meaning.survey);
        }
        self.paths.begin_file(&self.options, &meaning.rules);
        self.report.is_undated |= meaning.rules.created.is_some() && self.options.created.is_none();
        if let Reading::Table(table) = &plan.reading {
            let unused = table.columns.unused().map(|name| quoted(name));
            self.report.ignored.extend(unused);
        }
        let mut file = FileRecords {
            all: self,
            name: name.into(),
            plan: Arc::new(plan),
            ignored: IgnoredMembers::default(),
            untyped: BTreeMap::new(),
            records: 0,
            has_users: false,
        };
        file.note_plan(is_only);
        Ok(file)
    }

    /// Counts a response record, unless it is the same as an earlier one and each counts once.
    fn count(&mut self, record: &ResponseRecord, survey: Option<&str>) -> Result<(), RecordError> {
        let repetition = if self.count_once {
            self.ids.see(&record.id, record.created)?
        } else {
            Repetition::None
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
        summary.add(record.outcome, record.created, survey);
        Ok(())
    }

    /// Ends the import, also after an error of reading.
    pub(crate) fn finish(mut self, is_read: bool) -> (Report, anyhow::Result<()>) {
        let ended = self.receiver.end_of_file();
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
            let warning = self.report.warning_of_surveys(&self.options.selection);
            notes.extend(missing.into_iter().chain(warning));
            notes.extend((is_read && is_unrated).then(|| "no record is rated".to_owned()));
            self.report.notes = notes;
        }
        (self.report, ended)
    }
}

/// The records of one file.
pub(crate) struct FileRecords<'a> {
    all: &'a mut Records,
    name: Arc<str>,
    pub(crate) plan: Arc<Plan>,
    ignored: IgnoredMembers,
    /// How many cells of each trait are texts where the others are numbers or booleans.
    untyped: BTreeMap<String, u64>,
    records: u64,
    /// Whether a record of it has a user.
    has_users: bool,
}

impl FileRecords<'_> {
    /// Says how the file is read.
    fn note_plan(&mut self, is_only: bool) {
        let plan = self.plan.clone();
        let read = format!("read: {}", plan.meaning.said.join(", "));
        match &*plan.meaning.said {
            [] => {}
            _ if is_only => self.all.receiver.note(&read),
            _ => self.note(&read),
        }
        for note in &plan.meaning.notes {
            self.note(note);
        }
    }

    /// Hands a record on, or rejects or skips it. Fails if the import cannot continue.
    pub(crate) fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()> {
        let mut origin = Origin {
            file: self.name.clone(),
            plan: self.plan.clone(),
            line: record.line,
            raw: record.text.to_vec(),
            is_ended: record.is_ended,
            derived_id: None,
        };
        self.records += 1;
        let content = record.content.map_err(RecordError::Rejected);
        match content.and_then(|content| self.parse(&content, &mut origin)) {
            Ok(Some(record)) => self.all.receiver.record(origin, record),
            Ok(None) => {
                self.all.report.skipped += 1;
                Ok(())
            }
            Err(RecordError::Rejected(reason)) => self.all.receiver.rejected(&origin, &reason),
            Err(RecordError::Fatal(error)) => Err(error),
        }
    }

    /// Parses and checks a record; returns `None` if `--where` does not select it.
    fn parse(
        &mut self,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Option<Record>, RecordError> {
        let plan = self.plan.clone();
        let rules = &plan.meaning.rules;
        // The plan refuses a file that begins with records of the other kind.
        let options = &self.all.options;
        if rules.kind == RecordKind::Responses
            && !options.map_decisive_field()
            && let RawContent::Object { members, .. } = raw
            && members.as_ref().is_ok_and(|it| it.is_user(&OF_USERS))
        {
            return Err("it is a user: use feedback import users".to_owned().into());
        }
        // What cannot be parsed is of no survey, and rejected.
        let is_invalid = matches!(raw, RawContent::Object { members, .. } if members.is_err());
        for Selection { place, text } in rules.selection.iter().filter(|_| !is_invalid) {
            if raw.text_at(place)?.as_deref().unwrap_or_default() != text {
                return Ok(None);
            }
        }
        let survey = match &plan.meaning.survey {
            Some(place) if rules.selection.is_empty() => raw.text_at(place)?,
            _ => None,
        };
        let read = match raw {
            RawContent::Object { members, .. } => match members {
                Ok(members) => values_of(members, rules, &mut self.all.paths),
                Err(reason) => Err(reason.clone()),
            },
            RawContent::Row { table, row } => table.values(row, rules),
        };
        for name in read.iter().flat_map(|values| &values.untyped) {
            *self.untyped.entry((*name).to_owned()).or_default() += 1;
        }
        let mut record = Record::default();
        let ignored = match rules.kind {
            RecordKind::Responses => {
                let derived_id = self.derived_id(&read, raw, origin)?;
                let mut values = read?;
                let (response, user) = self.parse_response(&mut values, derived_id)?;
                let item = response.item();
                record.response = Some(item.map_err(|invalid| format!("the record {invalid}"))?);
                record.user = match user {
                    Some(user) if !rules.no_users => Some(self.user_item(&user)?),
                    _ => None,
                };
                self.all.count(&response, survey.as_deref())?;
                self.has_users |= response.user_id.is_some();
                values.ignored
            }
            RecordKind::Users => {
                let mut values = read?;
                let user = parse_user(&mut values, rules)?;
                record.user = Some(self.user_item(&user)?);
                values.ignored
            }
        };
        self.ignored.count(ignored, &self.all.paths);
        Ok(Some(record))
    }

    fn user_item(&self, user: &UserFacts) -> Result<EncodedItem, Reason> {
        let item = user.item(&self.all.options.project);
        item.map_err(|invalid| format!("the user {invalid}"))
    }

    /// Returns the id that is derived for a response record without one. If it is rejected, it keeps that id, unless it
    /// is to be derived again, or an option says that the id is elsewhere.
    fn derived_id(
        &mut self,
        values: &Result<RecordValues<'_>, Reason>,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Option<RecordId>, RecordError> {
        let rules = &self.plan.meaning.rules;
        let lacks_id = match values {
            Ok(values) => !values.has("id"),
            Err(_) => raw.lacks_id(),
        };
        if !lacks_id {
            return Ok(None);
        }
        let id = self.all.ids.derive(raw, &rules.id_from)?;
        if rules.id_from.is_empty() && (self.is_table() || !rules.maps("id")) {
            origin.derived_id = Some(id.clone());
        }
        Ok(Some(id))
    }

    fn parse_response(
        &mut self,
        values: &mut RecordValues<'_>,
        derived_id: Option<RecordId>,
    ) -> Result<(ResponseRecord, Option<UserFacts>), Reason> {
        let meaning = &self.plan.meaning;
        let (answers, is_named) = (values.answers, meaning.rules.maps("rating"));
        let questions = &mut self.all.questions;
        let outcome = |rating, dismissed| questions.outcome(rating, dismissed, answers, is_named);
        parse_response(
            values,
            &meaning.rules,
            meaning.has_labels,
            derived_id,
            outcome,
        )
    }

    fn is_table(&self) -> bool {
        matches!(self.plan.reading, Reading::Table(_))
    }

    /// Ends a file, and reports what of it is not imported. One that is refused is not said to have no records.
    pub(crate) fn end(mut self, is_read: bool) -> anyhow::Result<()> {
        let ignored = self.ignored.names().cloned();
        self.all.report.ignored.extend(ignored);
        let untyped = std::mem::take(&mut self.untyped);
        for (name, count) in untyped {
            let (cells, are) = match count {
                1 => ("cell", "is a text"),
                _ => ("cells", "are texts"),
            };
            self.note(&format!(
                "{count} {cells} of {} {are} where the first megabyte has numbers or booleans",
                quoted(&name)
            ));
        }
        if is_read && self.records == 0 {
            self.note("it has no records");
        }
        if let Some(ignored) = self.ignored.list() {
            let what = if self.is_table() { "values" } else { "members" };
            self.note(&format!("{what} that are not imported: {ignored}"));
        }
        if let Some(path) = self.lost_address() {
            let option = argument(&format!("userId={path}"));
            self.note(&format!(
                "no users are made, because no record has a userId; to identify them by their e-mail \
                 addresses: --map {option}"
            ));
        }
        self.all.receiver.end_of_file()
    }

    /// Returns where the e-mail addresses of users are, if none of the file has a `userId`.
    fn lost_address(&self) -> Option<&str> {
        let is_wanted = !self.has_users && !self.all.options.no_users;
        let mut paths = ["email", "user.email"].into_iter();
        let member = paths.find(|path| is_wanted && self.ignored.has(path))?;
        let own_place = if self.is_table() { "email" } else { member };
        Some(self.all.options.place_of("email").unwrap_or(own_place))
    }

    fn note(&mut self, line: &str) {
        let line = format!("{}: {line}", self.name);
        self.all.receiver.note(&line);
    }
}

impl JsonRecords for FileRecords<'_> {
    fn begin_page(&mut self) {
        self.all.ids.begin_list();
    }

    fn end_page(&mut self, is_last: bool) {
        self.all.pages.add(is_last);
    }

    fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()> {
        Self::add(self, record)
    }
}
