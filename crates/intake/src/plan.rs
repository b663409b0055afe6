//! The plan of a file: how its records are read, decided by its head before the first of them is.

use std::io::BufRead as _;

use anyhow::{bail, ensure};

use crate::columns::Columns;
use crate::dialect::Dialect;
use crate::encoding::FileEncoding;
use crate::format::{JsonFormat, is_json};
use crate::input::Input;
use crate::meaning::{Meaning, Setting};
use crate::paths::Paths;
use crate::reason::listed;
use crate::rules::{ImportRules, OUTCOMES, StringTraits, kept_trait};
use crate::sample::columns_of;
use crate::table::Table;

/// How the records of a file are read.
pub(crate) struct Plan {
    pub(crate) encoding: FileEncoding,
    pub(crate) reading: Reading,
    pub(crate) meaning: Meaning,
}

/// How a file is divided into records.
pub(crate) enum Reading {
    Json(JsonFormat),
    Table(Table),
}

impl Plan {
    /// Looks at the head of a file, of which a mark is consumed. `paths` are those of the options, and `is_only`
    /// says that no other file is read, where they may be.
    ///
    /// # Errors
    ///
    /// Fails with [`Undecided`](crate::Undecided) if the options leave open how the file is read, or says why it cannot
    /// be.
    pub(crate) fn of(
        input: &mut Input,
        options: &ImportRules,
        paths: &mut Paths,
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
            Reading::Json(format_of(head, &mut meaning, paths, is_only)?)
        } else {
            Reading::Table(table_of(head, input.is_last(), &mut meaning)?)
        };
        Ok(Self {
            encoding,
            reading,
            meaning,
        })
    }
}

/// Plans a file of JSON.
fn format_of(
    head: &[u8],
    meaning: &mut Meaning,
    paths: &mut Paths,
    is_only: bool,
) -> anyhow::Result<JsonFormat> {
    let rules = &meaning.rules;
    ensure!(
        rules.string_traits == StringTraits::None,
        "--string-traits interprets cells of CSV, but this is JSON, where strings have quotes"
    );
    let format = JsonFormat::of(head, rules)?;
    let sample = format.sample(head, rules, paths)?;
    paths.check(is_only)?;
    if let Some(sample) = sample {
        meaning.decide(&sample, Some(&format), lack_of_records)?;
    }
    meaning.said.extend(format.words());
    Ok(format)
}

/// Plans a table.
fn table_of(head: &[u8], is_whole: bool, meaning: &mut Meaning) -> anyhow::Result<Table> {
    let rules = &meaning.rules;
    ensure!(
        rules.keep.is_empty(),
        "--keep reads members of JSON, but this is a table: map columns to traits (--map traits.{}=Campaign)",
        kept_trait("campaign")
    );
    let (dialect, rows) = Dialect::of(head, is_whole, rules)?;
    if rules.skip_lines.is_none() && dialect.skipped_lines > 0 {
        meaning.take(
            vec![vec![Setting::SkipLines(dialect.skipped_lines)]],
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
    meaning.decide(&columns.sample(&places), None, lack)?;
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
            vec![vec![Setting::Encoding(encoding)]],
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
