//! The records of all files: begun and ended with each file, each parsed, checked and handed to a receiver.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use items::{EncodedItem, ResponseRecord, Traits, UserFacts};
use serde_json::value::RawValue;

use crate::columns::Columns;
use crate::csv::CsvRow;

use crate::fields::Fields;
use crate::ids::{DerivedIds, Repetition, SeenIds};
use crate::input::Input;
use crate::json::JsonRecords;
use crate::json_object::JsonObject;
use crate::origin::{Form, Origin, RawContent, RawRecord};
use crate::parsed_record::{RecordValues, parse_response, parse_user};
use crate::paths::Paths;
use crate::plan::Plan;
use crate::questions::Questions;
use crate::reason::{Reason, RecordError, argument, quoted};
use crate::receiver::{Receiver, Record};
use crate::report::{IgnoredMembers, ListPages, Report};
use crate::rules::{ImportRules, RecordKind, Selection, TRAITS, is_of_survey};

/// The records of all files.
pub struct Records {
    options: ImportRules,
    derived_ids: DerivedIds,
    /// `None` if records count as often as they occur.
    seen_ids: Option<SeenIds>,
    receiver: Box<dyn Receiver>,
    file: CurrentFile,
    pages: ListPages,
    paths: Paths,
    questions: Questions,
    report: Report,
}

/// The file whose records are read.
struct CurrentFile {
    name: Arc<str>,
    form: Arc<Form>,
    /// The options, completed by the plan.
    rules: Arc<ImportRules>,
    has_labels: bool,
    /// The column or path that says which survey a record belongs to.
    survey: Option<String>,
    ignored: IgnoredMembers,
    /// How many cells of each trait are texts where the others are numbers or booleans.
    untyped: BTreeMap<String, u64>,
    records: u64,
    /// Whether a record of it could be used.
    has_records: bool,
    /// Whether a record of it has a user.
    has_users: bool,
}

impl Records {
    /// Hands the records to this receiver. Those of one `id` and `created` count once or as often as they
    /// occur; to know them takes time, and space on the disk.
    pub fn new(options: ImportRules, receiver: Box<dyn Receiver>, count_once: bool) -> Self {
        Self {
            derived_ids: DerivedIds::new(),
            seen_ids: count_once.then(SeenIds::new),
            receiver,
            file: CurrentFile::new("", &options),
            pages: ListPages::default(),
            paths: Paths::new(&options),
            questions: Questions::new(&options),
            report: Report::default(),
            options,
        }
    }

    pub(crate) fn options(&self) -> &ImportRules {
        &self.options
    }

    /// Begins a file: looks at its head, and decides how it is read.
    pub(crate) fn plan(
        &mut self,
        input: &mut Input,
        name: &str,
        is_only: bool,
    ) -> anyhow::Result<Plan> {
        self.file = CurrentFile::new(name, &self.options);
        self.derived_ids.begin_list();
        self.paths.begin_file(&self.options);
        let plan = Plan::of(input, &self.options, &mut self.paths, is_only)?;
        self.file.form = plan.form.clone();
        self.file.rules = plan.rules.clone();
        self.file.has_labels = plan.has_labels;
        self.file.survey.clone_from(&plan.survey);
        if plan.survey.is_some() {
            self.report.survey.clone_from(&plan.survey);
        }
        self.paths.begin_file(&plan.rules);
        self.questions.begin_file(&plan.rules);
        self.report.is_undated |= plan.rules.created.is_some() && self.options.created.is_none();
        self.report.ignored.extend(plan.unused.iter().cloned());
        if !plan.said.is_empty() {
            let read = format!("read: {}", plan.said);
            if is_only {
                self.receiver.note(&read);
            } else {
                self.note_of_file(&read);
            }
        }
        for note in &plan.notes {
            self.note_of_file(note);
        }
        Ok(plan)
    }

    /// Returns whether a row repeats the header of its table.
    pub(crate) fn is_header(&self, row: &[u8]) -> bool {
        self.file.form.is_header(row)
    }

    /// Hands a record on, or rejects or skips it. Fails if the import cannot continue.
    pub(crate) fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()> {
        let mut origin = Origin {
            file: self.file.name.clone(),
            form: self.file.form.clone(),
            line: record.line,
            raw: record.text.to_vec(),
            is_ended: record.is_ended,
            derived_id: None,
        };
        self.file.records += 1;
        let content = record.content.map_err(RecordError::Rejected);
        match content.and_then(|content| self.parse(&content, &mut origin)) {
            Ok(Some(record)) => {
                self.file.has_records = true;
                self.receiver.record(origin, record)
            }
            Ok(None) => {
                self.report.skipped += 1;
                Ok(())
            }
            Err(RecordError::Rejected(reason)) => self.receiver.rejected(&origin, &reason),
            Err(RecordError::Fatal(error)) => Err(error),
        }
    }

    /// Parses and checks a record; returns `None` if `--where` does not select it.
    fn parse(
        &mut self,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Option<Record>, RecordError> {
        let members = match raw {
            RawContent::Object(json) => Some(JsonObject::parse(json)),
            RawContent::Row { .. } => None,
        };
        let known = members.as_ref().and_then(|members| members.as_ref().ok());
        if let Some(members) = known {
            self.check_kind(members)?;
        }
        let place = |place: &str| match (raw, known) {
            (RawContent::Row { columns, row }, _) => columns.text_at(row, place),
            (RawContent::Object(_), Some(members)) => members.text_at(place),
            (RawContent::Object(_), None) => Ok(None),
        };
        // What cannot be parsed is of no survey, and rejected.
        if known.is_some() || matches!(raw, RawContent::Row { .. }) {
            for Selection { place: name, text } in &self.options.selection {
                if place(name)?.as_deref().unwrap_or_default() != text {
                    return Ok(None);
                }
            }
        }
        let survey = match &self.file.survey {
            Some(name) if self.options.selection.is_empty() => place(name)?.map(Cow::into_owned),
            _ => None,
        };
        let content = match (raw, members) {
            (RawContent::Row { columns, row }, _) => self.content_of_row(columns, row),
            (RawContent::Object(_), Some(members)) => {
                members.and_then(|it| self.content_of_object(it))
            }
            (RawContent::Object(_), None) => Err("it is not a JSON object".to_owned()),
        };
        let rules = self.file.rules.clone();
        if rules.kind == RecordKind::Responses {
            return self
                .parse_response(content, survey.as_deref(), raw, origin)
                .map(Some);
        }
        let Content {
            values,
            mut ignored,
            ..
        } = content?;
        let traits = values.traits.iter().flat_map(Traits::names);
        let of_survey = traits.filter(|name| is_of_survey(name));
        ignored.extend(of_survey.map(|name| format!("{TRAITS}{name}")));
        let user = parse_user(values, &rules)?;
        let user = Some(self.user_item(&user)?);
        self.file.ignored.count(ignored, &self.paths);
        Ok(Some(Record {
            user,
            ..Record::default()
        }))
    }

    /// Returns what a row holds.
    fn content_of_row<'a>(
        &mut self,
        columns: &'a Columns,
        row: &'a CsvRow,
    ) -> Result<Content<'a>, Reason> {
        let (values, untyped) = columns.values(row, &self.file.rules)?;
        for name in untyped {
            *self.file.untyped.entry(name.to_owned()).or_default() += 1;
        }
        Ok(Content {
            values,
            answers: [None, None],
            path_of_user: "",
            ignored: Vec::new(),
        })
    }

    /// Returns what an object holds, wherever the options say that its fields are.
    fn content_of_object<'a>(&mut self, members: JsonObject<'a>) -> Result<Content<'a>, Reason> {
        let rules = &self.file.rules;
        let found = self.paths.find(&members)?;
        let mut fields = Fields::new(members, rules.kind)?;
        fields.take(rules.kind, &self.paths, &found)?;
        let answers = fields.answers;
        let path_of_user = fields.path_of_user();
        let (values, ignored) = fields.values(rules)?;
        Ok(Content {
            values,
            answers,
            path_of_user,
            ignored,
        })
    }

    /// Refuses a file whose first usable record is of the other kind, and rejects a user among responses.
    fn check_kind(&self, record: &JsonObject<'_>) -> Result<(), RecordError> {
        let other = self.options.kind.other();
        if self.options.map_decisive_field() || !record.look_like(other, &self.options.map) {
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
        let item = user.item(&self.options.project);
        item.map_err(|invalid| format!("the user {invalid}"))
    }

    /// Parses a response record, which gets a derived id if it has none. If it is rejected, it keeps that id,
    /// unless it is to be derived again, or an option says that the id is elsewhere.
    fn parse_response(
        &mut self,
        content: Result<Content<'_>, Reason>,
        survey: Option<&str>,
        raw: &RawContent<'_>,
        origin: &mut Origin,
    ) -> Result<Record, RecordError> {
        let rules = self.file.rules.clone();
        let lacks_id = match &content {
            Ok(content) => !content.values.has("id"),
            Err(_) => raw.lacks_id(),
        };
        let derived_id = if lacks_id {
            Some(self.derived_ids.derive(raw, &rules.id_from)?)
        } else {
            None
        };
        if rules.id_from.is_empty() && (origin.form.is_table() || !rules.maps("id")) {
            origin.derived_id.clone_from(&derived_id);
        }
        let Content {
            values,
            answers,
            path_of_user,
            mut ignored,
        } = content?;
        let questions = &mut self.questions;
        let outcome = |rating, dismissed| questions.outcome(rating, dismissed, answers);
        let parsed = parse_response(values, &rules, self.file.has_labels, derived_id, outcome)?;
        let item = parsed
            .record
            .item()
            .map_err(|invalid| format!("the record {invalid}"))?;
        let user = match parsed.user {
            Some(user) if !rules.no_users => Some(self.user_item(&user)?),
            _ => None,
        };
        self.count(&parsed.record, survey)?;
        self.file.has_users |= parsed.record.user_id.is_some();
        let lost = parsed
            .lost
            .into_iter()
            .map(|name| match name.strip_prefix("user.") {
                Some(_) => name.to_owned(),
                None => format!("{path_of_user}{name}"),
            });
        ignored.extend(lost);
        self.file.ignored.count(ignored, &self.paths);
        Ok(Record {
            response: Some(item),
            user,
        })
    }

    /// Counts a response record, unless it is the same as an earlier one and each counts once.
    fn count(&mut self, record: &ResponseRecord, survey: Option<&str>) -> Result<(), RecordError> {
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
        summary.add(record.outcome, record.created, survey);
        Ok(())
    }

    /// Ends a file, and reports what of it is not imported. One that is refused is not said to have no records.
    pub(crate) fn end_file(&mut self, is_read: bool) -> anyhow::Result<()> {
        let ignored = self.file.ignored.names().cloned();
        self.report.ignored.extend(ignored);
        let untyped = std::mem::take(&mut self.file.untyped);
        for (name, count) in untyped {
            let (cells, are) = if count == 1 {
                ("cell", "is a text")
            } else {
                ("cells", "are texts")
            };
            self.note_of_file(&format!(
                "{count} {cells} of {} {are} where the first megabyte has numbers or booleans",
                quoted(&name)
            ));
        }
        if is_read && self.file.records == 0 {
            self.note_of_file("it has no records");
        }
        if let Some(ignored) = self.file.ignored.list() {
            let what = if self.file.form.is_table() {
                "values"
            } else {
                "members"
            };
            self.note_of_file(&format!("{what} that are not imported: {ignored}"));
        }
        if let Some(path) = self.lost_address() {
            let option = argument(&format!("userId={path}"));
            self.note_of_file(&format!(
                "no users are made, because no record has a userId; to identify them by their e-mail \
                 addresses: --map {option}"
            ));
        }
        self.receiver.end_of_file()
    }

    /// Returns where the e-mail addresses of users are, if none of the file has a `userId`.
    fn lost_address(&self) -> Option<&str> {
        let is_wanted = !self.file.has_users && !self.options.no_users;
        let mut paths = ["email", "user.email"].into_iter();
        let member = paths.find(|path| is_wanted && self.file.ignored.has(path))?;
        let own_place = if self.file.form.is_table() {
            "email"
        } else {
            member
        };
        Some(self.options.place_of("email").unwrap_or(own_place))
    }

    fn note_of_file(&mut self, line: &str) {
        let line = format!("{}: {line}", self.file.name);
        self.receiver.note(&line);
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

impl JsonRecords for Records {
    fn begin_page(&mut self) {
        self.derived_ids.begin_list();
    }

    fn end_page(&mut self, is_last: bool) {
        self.pages.add(is_last);
    }

    fn add(&mut self, record: RawRecord<'_>) -> anyhow::Result<()> {
        Self::add(self, record)
    }
}

/// What a record holds, wherever it has it.
struct Content<'a> {
    values: RecordValues<'a>,
    /// The answers of a response record: its own, and what `--map` names as those with the rating.
    answers: [Option<&'a RawValue>; 2],
    /// The path of the members that describe the user.
    path_of_user: &'static str,
    /// The names of the members that are not imported.
    ignored: Vec<String>,
}

impl CurrentFile {
    fn new(name: &str, options: &ImportRules) -> Self {
        Self {
            name: name.into(),
            form: Arc::default(),
            rules: Arc::new(options.clone()),
            has_labels: false,
            survey: None,
            ignored: IgnoredMembers::default(),
            untyped: BTreeMap::new(),
            records: 0,
            has_records: false,
            has_users: false,
        }
    }
}
