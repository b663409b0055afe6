//! The plan of a file: how its records are read, decided by its head before the first of them is.

use std::io::BufRead as _;

use anyhow::{bail, ensure};

use crate::csv::Dialect;
use crate::encoding::FileEncoding;
use crate::file::Input;
use crate::json::{JsonForm, is_json};
use crate::json_object::{JsonObject, scalar};
use crate::meaning::Meaning;
use crate::proposals::{Places, Sample, columns_of};
use crate::reason::listed;
use crate::report::UnseenPaths;
use crate::row::Rows;
use crate::rules::{ImportRules, OUTCOMES, RecordKind, StringTraits, kept_trait};
use crate::table::{Columns, Table};

/// How the records of a file are read.
pub(crate) struct Plan {
    pub(crate) encoding: FileEncoding,
    pub(crate) reading: Reading,
    pub(crate) meaning: Meaning,
}

/// How a file is divided into records.
pub(crate) enum Reading {
    Json(JsonForm),
    Table(Table),
}

impl Plan {
    /// Looks at the head of a file, of which a mark is consumed. `unseen` are paths of the options, and `is_only`
    /// says that no other file is read, where they may be.
    ///
    /// # Errors
    ///
    /// Fails with [`Undecided`](crate::Undecided) if the options leave open how the file is read, or says why it cannot
    /// be.
    pub(crate) fn of(
        input: &mut Input,
        options: &ImportRules,
        unseen: &mut UnseenPaths,
        is_only: bool,
    ) -> anyhow::Result<Self> {
        let mut meaning = Meaning::new(options);
        let encoding = decode(input, &mut meaning)?;
        let head = input.ahead();
        ensure!(
            !head.trim_ascii().is_empty() || input.is_cut(),
            "it is empty"
        );
        let reading = if is_json(head) {
            Reading::Json(form_of(head, options, &mut meaning, unseen, is_only)?)
        } else {
            Reading::Table(table_of(head, options, input.is_last(), &mut meaning)?)
        };
        Ok(Self {
            encoding,
            reading,
            meaning,
        })
    }
}

/// Plans a file of JSON.
fn form_of(
    head: &[u8],
    given: &ImportRules,
    meaning: &mut Meaning,
    unseen: &mut UnseenPaths,
    is_only: bool,
) -> anyhow::Result<JsonForm> {
    let rules = &meaning.rules;
    ensure!(
        rules.string_traits == StringTraits::None,
        "--string-traits interprets cells of CSV, but this is JSON, where strings have quotes"
    );
    let form = JsonForm::of(head, rules)?;
    let sample = sample_of(&form, head, rules, unseen)?;
    unseen.check(is_only)?;
    if let Some(sample) = sample {
        meaning.decide(
            given,
            &sample,
            Some(form.documents().is_some()),
            lack_of_records,
        )?;
    }
    meaning.said.extend(form.words());
    Ok(form)
}

/// Returns the values of the records in the head of a file of JSON; `None` if there are no records. Looks for the paths
/// of the options in them.
///
/// # Errors
///
/// Refuses a file whose records are of the other kind.
fn sample_of(
    form: &JsonForm,
    head: &[u8],
    rules: &ImportRules,
    unseen: &mut UnseenPaths,
) -> anyhow::Result<Option<Sample>> {
    let mut places = Places::default();
    let mut is_of_other_kind = false;
    let mut input = Input::of(head.to_owned())?;
    let mut rows = form.rows(&mut input);
    // What is wrong with the head is said when it is read.
    while let Ok(Some(row)) = rows.next() {
        if let Ok(values) = row.values
            && let Some(Ok(record)) = values.members()
        {
            is_of_other_kind = shows_other_kind(record, is_of_other_kind, &places, rules);
            unseen.look(record);
            add_members(record, "", rules, &mut places);
        }
    }
    ensure!(!is_of_other_kind, rules.kind.other().refusal());
    Ok(places.sample(rules))
}

/// Returns whether the records up to this one show that the file is of the other kind. One of responses may begin with
/// what looks like users, because nobody responded yet.
fn shows_other_kind(
    record: &JsonObject<'_>,
    was_shown: bool,
    before: &Places,
    rules: &ImportRules,
) -> bool {
    const FACTS: [&str; 5] = ["name", "email", "traits", "lastSeen", "unsubscribed"];
    match rules.kind {
        _ if rules.map_decisive_field() => false,
        RecordKind::Responses if before.list.is_empty() => record.is_user(&FACTS),
        RecordKind::Responses => was_shown && !record.is_response(),
        RecordKind::Users => was_shown || (!before.has("userId") && record.is_response()),
    }
}

/// Adds the members of an object, and those within them.
fn add_members(members: &JsonObject<'_>, path: &str, rules: &ImportRules, places: &mut Places) {
    for (name, value) in members.iter() {
        let place = format!("{path}{name}");
        let text = scalar(name, value).unwrap_or_default();
        let is_absent = text == "null" || rules.is_null(&text);
        places.add(&place, if is_absent { "" } else { &text });
        if value.get().starts_with('{')
            && let Ok(inner) = JsonObject::parse(value.get())
        {
            add_members(&inner, &format!("{place}."), rules, places);
        }
    }
}

/// Plans a table.
fn table_of(
    head: &[u8],
    given: &ImportRules,
    is_whole: bool,
    meaning: &mut Meaning,
) -> anyhow::Result<Table> {
    let rules = &meaning.rules;
    ensure!(
        rules.keep.is_empty(),
        "--keep reads members of JSON, but this is a table: map columns to traits (--map traits.{}=Campaign)",
        kept_trait("campaign")
    );
    let (dialect, rows) = Dialect::of(head, is_whole, rules)?;
    let skipped_lines = dialect.skipped_lines;
    if rules.skip_lines.is_none() && skipped_lines > 0 {
        meaning.take(
            &[Box::new(move |rules| {
                rules.skip_lines = Some(skipped_lines);
            })],
            Some(format!("its header seems to be line {}", dialect.line)),
            format!("the header from line {}", dialect.line),
        );
    }
    let columns = Columns::of(&dialect.names, &meaning.rules)?;
    check_columns(&columns, &meaning.rules)?;
    let places = columns_of(&columns.names, &rows, &meaning.rules);
    let lack = |fields: &[&str]| {
        let fields = fields.join(" and no column ");
        let names = columns.quoted_names();
        format!("there is no column {fields}; the columns are {names}")
    };
    meaning.decide(given, &columns.sample(&places), None, lack)?;
    let mut columns = Columns::of(&dialect.names, &meaning.rules)?;
    columns.decide_types(&places, &meaning.rules, dialect.delimiter);
    if dialect.delimiter != b',' && !meaning.said.is_empty() {
        let delimiter = dialect.delimiter.escape_ascii();
        meaning.said.push(format!("\"{delimiter}\""));
    }
    if dialect.first_record > dialect.line + 1 {
        let line = dialect.first_record - 1;
        let note = format!("its header goes on to line {line}");
        meaning.notes.push(note);
    }
    let unused: Vec<_> = columns.unused().collect();
    if !unused.is_empty() {
        let note = format!("columns that are not imported: {}", listed(&unused));
        meaning.notes.push(note);
    }
    Ok(Table { dialect, columns })
}

/// Refuses what is known to be neither JSON nor a table of text.
fn check_text(head: &[u8]) -> anyhow::Result<()> {
    let kinds: [(&[u8], &str); 5] = [
        (
            b"PAR1",
            "it is Parquet: duckdb -csv -c \"SELECT * FROM 'FILE'\" writes it as CSV",
        ),
        (b"%PDF", "it is a PDF document: export the records as CSV"),
        (
            b"SQLite format 3\0",
            "it is a SQLite database: sqlite3 -csv -header FILE 'SELECT …' writes a table as CSV",
        ),
        (
            b"\xd0\xcf\x11\xe0",
            "it is an old spreadsheet: save it as .xlsx or CSV",
        ),
        (
            b"<",
            "it is HTML or XML, as of a page that asks to log in: export the records as CSV or JSON",
        ),
    ];
    let start = head.trim_ascii_start();
    let found = kinds.iter().find(|(magic, _)| start.starts_with(magic));
    found.map_or(Ok(()), |(_, reason)| bail!(*reason))
}

/// Finds the encoding of a file, whose mark is consumed, and decodes it.
fn decode(input: &mut Input, meaning: &mut Meaning) -> anyhow::Result<FileEncoding> {
    check_text(input.ahead())?;
    let mark = FileEncoding::of_mark(input.ahead());
    let given = mark
        .map(|(encoding, _)| encoding)
        .or(meaning.rules.encoding);
    input.consume(mark.map_or(0, |(_, length)| length));
    let encoding = given.unwrap_or_else(|| FileEncoding::detect(input.ahead()));
    if given.is_none() && !encoding.is_utf_8() {
        let name = encoding.name();
        meaning.take(
            &[Box::new(move |rules| rules.encoding = Some(encoding))],
            Some(format!("it is not UTF-8, but seems to be {name}")),
            name,
        );
    }
    input.decode(encoding);
    ensure!(
        !input.ahead().contains(&0),
        "it is neither JSON nor a table of text or a spreadsheet (.xlsx)"
    );
    Ok(encoding)
}

/// Refuses a table of the other kind, or without a column that an option names.
fn check_columns(columns: &Columns, rules: &ImportRules) -> anyhow::Result<()> {
    let other = rules.kind.other();
    ensure!(
        rules.map_decisive_field() || !columns.look_like(other, rules),
        other.refusal()
    );
    let of_ids = rules.id_from.iter().map(|name| (name, "--id-from"));
    let of_selection = rules.selection.iter().map(|it| (&it.place, "--where"));
    for (name, option) in of_ids.chain(of_selection) {
        ensure!(
            columns.find(name).is_some(),
            "there is no column {name} for {option}"
        );
    }
    Ok(())
}

/// Says that no record has these fields.
fn lack_of_records(fields: &[&str]) -> String {
    let outcomes = OUTCOMES.join(" or ");
    let members = fields.iter().map(|field| {
        if *field == "rating" {
            &*outcomes
        } else {
            *field
        }
    });
    let members = members.collect::<Vec<_>>().join(", and none has ");
    format!("no record at its beginning has {members}")
}
