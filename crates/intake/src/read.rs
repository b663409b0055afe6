//! Reads files one after the other: opens each, completes its options, and hands its records to a receiver, with their
//! origins, so that a rejected one can be written for correction.

use std::fs::File;
use std::io::{BufRead as _, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use items::{EncodedItem, RecordId, ResponseRecord};

use crate::csv::Dialect;
use crate::doubtful_rows::DoubtfulRows;
use crate::encoding::FileEncoding;
use crate::file::{Input, check_text, is_stdin};
use crate::guess::{Undecided, guess};
use crate::head::{Head, Members};
use crate::ids::{Ids, Repetition};
use crate::json::{JsonForm, is_json};
use crate::json_object::{OF_USERS, with_id};
use crate::nested::find_nested;
use crate::pages::Pages;
use crate::reason::{Reason, RecordError, argument, listed, quoted};
use crate::record::{Facts, Row, Rows, Unfit, Values, record};
use crate::report::{IgnoredMembers, Questions, Report, UnseenPaths};
use crate::rules::{ImportRules, RecordKind, Selection, StringTraits, kept_trait};
use crate::table::{Columns, Table};

/// Reads the records of all files, of which `watch` sees how they are read; `-` is standard input. Ends at
/// the first file that cannot be read to its end; the records before that are received. Returns what was
/// read, and whether that is all of the files.
///
/// The error names the file and what is wrong with it, or is that of the receiver.
pub fn read_all(
    files: &[PathBuf],
    watch: impl Fn(File) -> Box<dyn Read>,
    mut records: Records,
) -> (Report, anyhow::Result<()>) {
    let read = files
        .iter()
        .try_for_each(|path| read_file(path, &watch, &mut records, files.len() == 1));
    let (report, ended) = records.finish(read.is_ok());
    (report, read.and(ended))
}

fn read_file(
    path: &Path,
    watch: impl Fn(File) -> Box<dyn Read>,
    records: &mut Records,
    is_only: bool,
) -> anyhow::Result<()> {
    let name = path.display().to_string();
    let mut input = Input::open(path, watch, &records.options).with_context(|| name.clone())?;
    let divided = divide(&mut input, &name, records, is_only);
    // What cannot be read explains why the rest is not valid.
    let read = input.into_result().context("cannot read it to its end");
    read.and(divided).context(name)
}

/// Completes the options of a file, and takes its records.
fn divide(
    input: &mut Input,
    name: &str,
    records: &mut Records,
    is_only: bool,
) -> anyhow::Result<()> {
    let decided = Decided::of(input, name, &records.options, &mut records.unseen, is_only)?;
    let decided = Arc::new(decided);
    let mut file = FileReader {
        all: records,
        name: name.into(),
        decided: decided.clone(),
        ignored: IgnoredMembers::default(),
        records: 0,
        has_users: false,
        doubtful: DoubtfulRows::new(&decided.options.found.flags),
    };
    file.begin(&decided, is_only);
    let read = file.read(&mut *decided.rows(input));
    let ended = file.end(read.is_ok());
    read.and(ended)
}

/// Checks that all files can be opened, are no directories, and say how they are read, so that a mistake is found
/// before anything is imported. Anything but a file, such as a pipe, may be opened only once.
///
/// # Errors
///
/// Names the file. Fails with [`Undecided`](crate::Undecided) if the options leave open how it is read.
pub fn check(files: &[PathBuf], rules: &ImportRules) -> anyhow::Result<()> {
    let mut unseen = UnseenPaths::new(rules);
    for path in files.iter().filter(|path| !is_stdin(path)) {
        let name = path.display().to_string();
        let found = path.metadata();
        let found = found.with_context(|| format!("cannot open {name}"))?;
        ensure!(!found.is_dir(), "cannot open {name}: it is a directory");
        if found.is_file() {
            let opened = Input::open(path, |file| Box::new(file), rules);
            let is_only = files.len() == 1;
            let decided = opened
                .and_then(|mut input| Decided::of(&mut input, &name, rules, &mut unseen, is_only));
            decided.context(name)?;
        }
    }
    Ok(())
}

/// How a file is read.
struct Decided {
    encoding: FileEncoding,
    form: Form,
    /// The options, completed.
    options: ImportRules,
}

/// How a file is divided into rows.
enum Form {
    Json(JsonForm),
    Table(Table),
}

impl Decided {
    /// Looks at the head of a file of this name, of which a mark is consumed. `unseen` are paths of options, and `is_only`
    /// says that no other file is read, where they may be.
    ///
    /// # Errors
    ///
    /// Fails with [`Undecided`] if the options leave open how the file is read, or says why it cannot be.
    fn of(
        input: &mut Input,
        name: &str,
        given: &ImportRules,
        unseen: &mut UnseenPaths,
        is_only: bool,
    ) -> anyhow::Result<Self> {
        let name = argument(name);
        check_text(input.ahead(), &name)?;
        let (encoding, mut open) = decode(input, Undecided::new(given))?;
        let head = input.ahead();
        ensure!(
            !head.trim_ascii().is_empty() || input.is_cut(),
            "it is empty"
        );
        let (form, options) = if is_json(head) {
            ensure!(
                given.string_traits == StringTraits::None,
                "--string-traits interprets cells of CSV, but this is JSON, where strings have quotes"
            );
            let form = JsonForm::of(head, given)?;
            let documents = form.documents.as_ref();
            let is_own_list = documents.is_some_and(|it| it.other_list.is_some());
            if !is_own_list && !given.map_decisive_field() {
                find_nested(head, &name, &mut open)?;
            }
            let shown = head_of_json(&form, head, input.is_last(), given, unseen)?;
            unseen.check(is_only)?;
            let mut options = match shown {
                Some(shown) => guess(shown, open)?,
                None => open.into_first(),
            };
            options.found.words.extend(form.words());
            (Form::Json(form), options)
        } else {
            let (table, options) = table_of(head, input.is_last(), given, open)?;
            (Form::Table(table), options)
        };
        Ok(Self {
            encoding,
            form,
            options,
        })
    }

    /// Returns the records of the file.
    fn rows<'a>(&'a self, input: &'a mut Input) -> Box<dyn Rows + 'a> {
        match &self.form {
            Form::Json(form) => Box::new(form.rows(input)),
            Form::Table(table) => Box::new(table.rows(&self.options, input)),
        }
    }
}

/// Finds the encoding of a file, whose mark is consumed, and decodes it.
///
/// # Errors
///
/// Fails with [`Undecided`] if it may have two: the names of columns depend on that.
fn decode(input: &mut Input, open: Undecided) -> anyhow::Result<(FileEncoding, Undecided)> {
    let mark = FileEncoding::of_mark(input.ahead());
    let given = mark.map(|(encoding, _)| encoding).or(open.first().encoding);
    input.consume(mark.map_or(0, |(_, length)| length));
    let (encoding, open) = match given {
        Some(encoding) => (encoding, open),
        None => detected(input.ahead(), open)?,
    };
    input.decode(encoding);
    ensure!(
        !input.ahead().contains(&0),
        "it is neither JSON nor a table of text or a spreadsheet (.xlsx)"
    );
    Ok((encoding, open))
}

/// Completes the encoding of a head without a mark.
fn detected(head: &[u8], mut open: Undecided) -> anyhow::Result<(FileEncoding, Undecided)> {
    let candidates = FileEncoding::detect(head);
    if candidates == [FileEncoding::default()] {
        return Ok((FileEncoding::default(), open));
    }
    open.complete(&candidates, |options, found| {
        options.encoding = Some(*found);
    });
    if let [only] = *candidates {
        open.because(format!("it is not UTF-8, but seems to be {}", only.name()));
        return Ok((only, open));
    }
    let word = first_foreign_word(head);
    let several = candidates.iter().map(|encoding| {
        let word = quoted(&encoding.decoded(word));
        format!("{} with {word}", encoding.name())
    });
    let several = several.collect::<Vec<_>>().join(", or ");
    open.because(format!(
        "it is not UTF-8, but may be {several}, or another one"
    ));
    Err(open.into())
}

/// Returns the first word with bytes that are not ASCII, up to where it is long.
fn first_foreign_word(text: &[u8]) -> &[u8] {
    let is_between = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    let mut words = text.split(is_between);
    let word = words.find(|word| !word.is_ascii()).unwrap_or_default();
    word.get(..40).unwrap_or(word)
}

/// Returns what the head of a file of JSON shows; `None` if it has no records. Looks for the paths of the options in
/// them.
///
/// # Errors
///
/// Refuses a file whose records are of the other kind, or no records.
fn head_of_json(
    form: &JsonForm,
    head: &[u8],
    is_whole: bool,
    given: &ImportRules,
    unseen: &mut UnseenPaths,
) -> anyhow::Result<Option<Head>> {
    let mut members = Members::default();
    let mut input = Input::of(head.to_owned())?;
    let mut rows = form.rows(&mut input);
    // What is wrong with the head is said when it is read.
    while let Ok(Some(row)) = rows.next() {
        if let Ok(values) = row.values
            && let Some(Ok(record)) = values.members()
        {
            unseen.look(record);
            members.add(record, given);
        }
    }
    ensure!(
        !members.are_refused(given.kind),
        given.kind.other().refusal()
    );
    Ok(members.into_head(form.documents.is_some(), is_whole, given))
}

/// Returns how a table is divided, and the options, completed.
fn table_of(
    head: &[u8],
    is_whole: bool,
    given: &ImportRules,
    mut open: Undecided,
) -> anyhow::Result<(Table, ImportRules)> {
    ensure!(
        given.keep.is_empty(),
        "--keep reads members of JSON, but this is a table: map columns to traits (--map traits.{}=Campaign)",
        kept_trait("campaign")
    );
    let (dialect, rows) = Dialect::of(head, is_whole, given)?;
    if dialect.skipped_lines > 0 {
        open.each(|options| options.skip_lines = Some(dialect.skipped_lines));
        open.because(format!("its header seems to be line {}", dialect.line));
    }
    let columns = Columns::of(&dialect.names, given)?;
    check_columns(&columns, given)?;
    let head = columns.head(&rows, is_whole, given);
    let mut options = guess(head, open)?;
    let mut columns = Columns::of(&dialect.names, &options)?;
    columns.decide_types(&rows, &options, dialect.delimiter);
    if dialect.delimiter != b',' && !options.read_lines(given).is_empty() {
        let delimiter = dialect.delimiter.escape_ascii();
        options
            .found
            .words
            .push(format!("separated by \"{delimiter}\""));
    }
    if dialect.first_record > dialect.line + 1 {
        let line = dialect.first_record - 1;
        let note = format!("its header goes on to line {line}");
        options.found.notes.push(note);
    }
    let unused: Vec<_> = columns.unused().collect();
    if !unused.is_empty() {
        let note = format!("columns that are not imported: {}", listed(&unused));
        options.found.notes.push(note);
    }
    Ok((Table { dialect, columns }, options))
}

/// Refuses a table of the other kind, or without a column that an option names.
fn check_columns(columns: &Columns, given: &ImportRules) -> anyhow::Result<()> {
    let other = given.kind.other();
    ensure!(
        given.map_decisive_field() || !columns.look_like(other, given),
        other.refusal()
    );
    let of_ids = given.id_from.iter().map(|name| (name, "--id-from"));
    let of_selection = given.selection.iter().map(|it| (&it.place, "--where"));
    for (name, option) in of_ids.chain(of_selection) {
        ensure!(
            columns.find(name).is_some(),
            "there is no column {name} for {option}"
        );
    }
    Ok(())
}

/// Which ids are compared, which takes time, and space on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdComparison {
    /// None: each record counts.
    None,
    /// Those of one `created`, so that each display counts once.
    Displays,
    /// Those of several `created`, too: the report says how many displays have the id of another.
    All,
}

/// The records of all files.
pub struct Records {
    options: ImportRules,
    ids: Ids,
    comparison: IdComparison,
    /// How many files there have been.
    files: i64,
    receiver: Box<dyn Receiver>,
    /// How many lists there have been, in each of which equal records are counted from the first.
    lists: i64,
    pages: Pages,
    unseen: UnseenPaths,
    questions: Questions,
    report: Report,
}

impl Records {
    /// Hands the records to this receiver.
    pub fn new(
        options: ImportRules,
        receiver: Box<dyn Receiver>,
        comparison: IdComparison,
    ) -> Self {
        Self {
            ids: Ids::default(),
            comparison,
            files: 0,
            receiver,
            lists: 0,
            pages: Pages::default(),
            unseen: UnseenPaths::new(&options),
            questions: Questions::default(),
            report: Report::default(),
            options,
        }
    }

    /// Counts a response record, unless it is the same as an earlier one and each counts once. `text` is its row, if that
    /// has its id.
    fn count(
        &mut self,
        record: &ResponseRecord,
        survey: Option<&str>,
        text: Option<&[u8]>,
    ) -> Result<(), RecordError> {
        let repetition = match self.comparison {
            IdComparison::None => Repetition::None,
            IdComparison::Displays | IdComparison::All => self.ids.see(record, self.files, text)?,
        };
        self.report.add(record, survey, repetition, &self.options);
        Ok(())
    }

    /// Ends the import, also after an error of reading.
    fn finish(mut self, is_read: bool) -> (Report, anyhow::Result<()>) {
        let ended = match self.comparison {
            IdComparison::All => self.ids.recreated(),
            IdComparison::None | IdComparison::Displays => Ok(0),
        };
        let missing = [self.pages.missing(), self.unseen.missing()];
        let missing: Vec<_> = missing.into_iter().flatten().collect();
        self.report.is_complete = missing.is_empty();
        // Otherwise the error explains them.
        if let Ok(recreated) = ended {
            self.report.recreated = recreated;
            let mut notes = self.questions.lines();
            let found = &self.report;
            // The questions explain why nothing is rated.
            let is_unrated = notes.is_empty() && found.rated == 0 && found.records > 0;
            notes.extend(missing.into_iter().chain(found.warnings(&self.options)));
            notes.extend((is_read && is_unrated).then(|| "no record is rated".to_owned()));
            self.report.notes = notes;
        }
        (self.report, ended.map(drop))
    }
}

/// Reads the records of one file.
struct FileReader<'a> {
    all: &'a mut Records,
    name: Arc<str>,
    decided: Arc<Decided>,
    /// How often members occurred that are not imported.
    ignored: IgnoredMembers,
    records: u64,
    /// Whether a record of it has a user.
    has_users: bool,
    doubtful: DoubtfulRows,
}

impl FileReader<'_> {
    /// Says how the file is read.
    fn begin(&mut self, Decided { form, options, .. }: &Decided, is_only: bool) {
        let all = &mut *self.all;
        if options.found.survey.is_some() {
            all.report.survey.clone_from(&options.found.survey);
        }
        all.files += 1;
        all.report.is_undated |= options.created.is_some() && all.options.created.is_none();
        if let Form::Table(table) = form {
            let unused = table.columns.unused().map(|name| quoted(name));
            all.report.ignored.extend(unused);
        }
        for line in options.read_lines(&all.options) {
            if is_only {
                self.all.receiver.note(&line);
            } else {
                self.note(&line);
            }
        }
        for note in &options.found.notes {
            self.note(note);
        }
    }

    /// Hands each record on, or rejects or skips it.
    ///
    /// # Errors
    ///
    /// Fails if the rest cannot be divided into records, or the import cannot continue.
    fn read(&mut self, rows: &mut dyn Rows) -> anyhow::Result<()> {
        let first = self.all.lists + 1;
        self.all.lists = first;
        let mut read_to_end = || {
            while let Some(row) = rows.next()? {
                self.all.lists = first + row.list;
                self.add(&row)?;
            }
            anyhow::Ok(())
        };
        let read = read_to_end();
        let pages = rows.pages();
        self.all.pages.add(&pages);
        self.ignored.count(pages.other_lists, &self.decided.options);
        read
    }

    fn add(&mut self, row: &Row<'_>) -> anyhow::Result<()> {
        let mut origin = Origin {
            file: self.name.clone(),
            decided: self.decided.clone(),
            line: row.line,
            raw: row.text.to_vec(),
            is_ended: row.is_ended,
            derived_id: None,
        };
        self.records += 1;
        let values = row.values.as_ref().map_err(|reason| reason.clone().into());
        match values.and_then(|values| self.record_of(&**values, row.text, &mut origin)) {
            Ok(Some(record)) => self.all.receiver.record(origin, record),
            Ok(None) => {
                self.all.report.skipped += 1;
                Ok(())
            }
            Err(RecordError::Rejected(reason)) => self.all.receiver.rejected(&origin, &reason),
            Err(RecordError::Fatal(error)) => Err(error),
        }
    }

    /// Returns the record that these values make; `None` if `--where` does not select it.
    fn record_of(
        &mut self,
        values: &dyn Values,
        text: &[u8],
        origin: &mut Origin,
    ) -> Result<Option<Record>, RecordError> {
        let decided = self.decided.clone();
        let rules = &decided.options;
        let members = values.members();
        let object = members.and_then(|members| members.as_ref().ok());
        // A file that begins with records of the other kind is refused.
        if rules.kind == RecordKind::Responses
            && !rules.map_decisive_field()
            && object.is_some_and(|object| object.is_user(&OF_USERS))
        {
            return Err("it is a user: use feedback import users".to_owned().into());
        }
        // What cannot be parsed is of no survey, and rejected.
        let is_invalid = members.is_some_and(Result::is_err);
        for Selection { place, text } in rules.selection.iter().filter(|_| !is_invalid) {
            if values.text_at(place)?.as_deref().unwrap_or_default() != text {
                return Ok(None);
            }
        }
        let survey = match &rules.found.survey {
            Some(place) if rules.selection.is_empty() => values.text_at(place)?,
            _ => None,
        };
        if let Some(object) = object {
            self.all.unseen.look(object);
        }
        let facts = values.facts(rules);
        let derived_id = match rules.kind {
            RecordKind::Responses => self.derived_id(&facts, values, origin)?,
            RecordKind::Users => None,
        };
        let own_text = derived_id.is_none().then_some(text);
        let facts = facts?;
        let answers = facts.answers;
        let parsed = record(facts, rules, derived_id).map_err(|unfit| {
            if let Unfit::Unrated(_) = unfit {
                self.all.questions.count(answers);
            }
            unfit.reason()
        })?;
        let response = parsed.response.as_ref().map(ResponseRecord::item);
        let user = parsed.user.filter(|_| !rules.no_users);
        let user = user.map(|user| user.item(&rules.project));
        let record = Record {
            response: response
                .transpose()
                .map_err(|invalid| format!("the record {invalid}"))?,
            user: user
                .transpose()
                .map_err(|invalid| format!("the user {invalid}"))?,
        };
        if let Some(response) = &parsed.response {
            self.all.count(response, survey.as_deref(), own_text)?;
            self.has_users |= response.user_id.is_some();
            let is_rated = response.outcome.rating().is_some();
            self.doubtful.look(values, origin.line, is_rated);
        }
        self.ignored.count(parsed.ignored, rules);
        Ok(Some(record))
    }

    /// Returns the id that is derived for a response without one. If it is rejected, it keeps that id, unless it is to be
    /// derived again, or an option says that the id is elsewhere.
    fn derived_id(
        &mut self,
        facts: &Result<Facts<'_>, Reason>,
        values: &dyn Values,
        origin: &mut Origin,
    ) -> Result<Option<RecordId>, RecordError> {
        let rules = &self.decided.options;
        let lacks_id = match facts {
            Ok(facts) => !facts.has("id"),
            Err(_) => values.lacks_id(),
        };
        if !lacks_id {
            return Ok(None);
        }
        let content = values.content(&rules.id_from)?;
        let are_counted = rules.id_from.is_empty();
        let id = self.all.ids.derive(content, self.all.lists, are_counted)?;
        let may_be_added = self.is_table() || (!rules.maps("id") && values.lacks_id());
        if are_counted && may_be_added {
            origin.derived_id = Some(id.clone());
        }
        Ok(Some(id))
    }

    fn is_table(&self) -> bool {
        matches!(self.decided.form, Form::Table(_))
    }

    /// Ends a file, and reports what of it is not imported. One that is refused is not said to have no records.
    fn end(mut self, is_read: bool) -> anyhow::Result<()> {
        self.all.report.has_people |= self.has_users;
        let ignored = self.ignored.names().cloned();
        self.all.report.ignored.extend(ignored);
        if is_read && self.records == 0 {
            self.note("it has no records");
        }
        if let Some(ignored) = self.ignored.list() {
            let what = if self.is_table() { "values" } else { "members" };
            self.note(&format!("{what} that are not imported: {ignored}"));
        }
        for note in self.doubtful.notes().collect::<Vec<_>>() {
            self.note(&note);
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
}

/// What a record says: the response, if it is one, and its user.
#[derive(Debug, Default)]
pub struct Record {
    /// The response.
    pub response: Option<EncodedItem>,
    /// The user, if it is known and wanted.
    pub user: Option<EncodedItem>,
}

/// Where a record comes from.
pub struct Origin {
    /// The name of the file.
    pub file: Arc<str>,
    /// How the file is read.
    decided: Arc<Decided>,
    /// The line that the record begins on.
    pub line: u64,
    /// Its text in the file, decoded.
    pub raw: Vec<u8>,
    pub(crate) is_ended: bool,
    /// The id that was derived from the record, which it keeps when it is corrected.
    pub(crate) derived_id: Option<RecordId>,
}

impl Origin {
    /// Returns the text of the record with the derived id, and what precedes the records in a file of the same
    /// form, both in its encoding and with line ends, unless the record has none: it may be cut off. The same options
    /// read them.
    pub fn text_and_header(&self) -> [Vec<u8>; 2] {
        let encoding = self.decided.encoding;
        let id = self.derived_id.as_ref().map(RecordId::as_str);
        let (text, header) = match (&self.decided.form, id) {
            (Form::Json(_), Some(id)) => (with_id(&self.raw, id), Vec::new()),
            (Form::Json(_), None) => (self.raw.clone(), Vec::new()),
            (Form::Table(table), id) => table.text_and_header(&self.raw, id),
        };
        let end: &[u8] = if self.is_ended { b"\n" } else { b"" };
        let with_mark = [encoding.mark().as_bytes(), &header].concat();
        [[&*text, end].concat(), with_mark].map(|text| encoding.encode(text))
    }
}
