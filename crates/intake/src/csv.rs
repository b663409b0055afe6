//! CSV: how rows are written as text, lines, cells and quotes, and what the first of them tell: what separates cells,
//! and which line is the header.
//!
//! Ready-made readers give the cells alone. This one keeps the text of each row, with which a rejected record is
//! written, and where its cells are; it also reads a quote behind blanks, as in `1, "2026-01-31"`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::iter;

use anyhow::{Context as _, bail, ensure};

use crate::dates::{Numbers, forms_of, is_most};
use crate::file::{MAX_RECORD, count_lines, read_line};
use crate::names::{is_known_name, is_null_word};
use crate::rules::ImportRules;

/// The rows of a table, one after the other.
pub(crate) struct CsvRows<R> {
    pub(crate) input: R,
    delimiter: u8,
    /// The present row.
    pub(crate) row: CsvRow,
    next_line: u64,
}

/// A row, or the header.
#[derive(Default)]
pub(crate) struct CsvRow {
    /// The line that it begins on, from 1.
    pub(crate) line: u64,
    /// Its text, without the line end behind it.
    pub(crate) text: Vec<u8>,
    pub(crate) cells: Vec<Cell>,
    /// Whether a line end follows it.
    pub(crate) is_ended: bool,
}

/// Where a cell is within the text of its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// Where it begins: a quoted one behind its quote.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) quotes: Quotes,
}

/// How a cell is quoted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Quotes {
    #[default]
    None,
    /// Its content is what is between the quotes.
    Plain,
    /// Quotes are doubled within it.
    Doubled,
    /// It goes on behind its closing quote, as in `"5" inches`.
    GoesOn,
}

impl CsvRow {
    /// Splits one line, which may be cut out of a row.
    pub(crate) fn of_line(text: &[u8], delimiter: u8) -> Self {
        let mut row = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        Splitter::new(delimiter).split(&row.text, &mut row.cells, true);
        row
    }

    /// Returns the content of a cell, blanks around it included.
    pub(crate) fn content(&self, cell: Cell) -> Cow<'_, [u8]> {
        let written = self.text.get(cell.start..cell.end).unwrap_or_default();
        match cell.quotes {
            Quotes::None | Quotes::Plain => Cow::Borrowed(written),
            Quotes::Doubled | Quotes::GoesOn => Cow::Owned(unescaped(written)),
        }
    }

    /// Returns the contents of all cells, of which what is not UTF-8 is replaced.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        let cells = self.cells.iter();
        cells.map(|cell| String::from_utf8_lossy(&self.content(*cell)).into_owned())
    }

    /// Returns whether no cell holds anything but blanks.
    pub(crate) fn is_blank(&self) -> bool {
        let mut cells = self.cells.iter();
        cells.all(|cell| self.content(*cell).trim_ascii().is_empty())
    }
}

/// Returns the content of a quoted cell, which is written behind its opening quote.
fn unescaped(written: &[u8]) -> Vec<u8> {
    let mut content = Vec::with_capacity(written.len());
    let mut bytes = written.iter().copied().peekable();
    let mut is_quoted = true;
    while let Some(byte) = bytes.next() {
        if is_quoted && byte == b'"' && bytes.next_if_eq(&b'"').is_none() {
            is_quoted = false;
        } else {
            content.push(byte);
        }
    }
    content
}

impl<R: BufRead> CsvRows<R> {
    /// Reads rows, of which the first begins on this line of its file.
    pub(crate) fn new(input: R, delimiter: u8, line: u64) -> Self {
        Self {
            input,
            delimiter,
            row: CsvRow::default(),
            next_line: line,
        }
    }

    /// Reads the next row; returns whether there is one. Skips empty lines.
    ///
    /// # Errors
    ///
    /// Fails if a quoted cell is not closed, or the row is too long.
    pub(crate) fn advance(&mut self) -> anyhow::Result<bool> {
        loop {
            let row = &mut self.row;
            row.text.clear();
            row.cells.clear();
            row.line = self.next_line;
            let mut splitter = Splitter::new(self.delimiter);
            loop {
                row.is_ended = read_line(&mut self.input, &mut row.text)?;
                splitter.split(&row.text, &mut row.cells, !row.is_ended);
                let is_too_long = row.text.len() > MAX_RECORD;
                let Some(open) = splitter.open() else {
                    ensure!(!is_too_long, "line {} is longer than 16 MB", row.line);
                    break;
                };
                if is_too_long || !row.is_ended {
                    let line = row.line + count_lines(row.text.get(..open).unwrap_or_default());
                    let before = if is_too_long {
                        "within 16 MB"
                    } else {
                        "before the end of the file"
                    };
                    bail!("the quoted cell that begins on line {line} is not closed {before}");
                }
            }
            self.next_line += count_lines(&row.text);
            if row.text.is_empty() {
                return Ok(false);
            }
            let written = row.text.strip_suffix(b"\n").unwrap_or(&row.text);
            let length = written.strip_suffix(b"\r").unwrap_or(written).len();
            row.text.truncate(length);
            if length > 0 {
                return Ok(true);
            }
        }
    }
}

/// Splits a row into cells, line by line.
#[derive(Default)]
struct Splitter {
    delimiter: u8,
    /// How much of the row is split.
    at: usize,
    /// Where the present cell begins.
    start: usize,
    /// Where its last quote is that may close it.
    closed: usize,
    state: State,
    quotes: Quotes,
}

/// What precedes the next byte of a row.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Nothing of the cell but blanks.
    #[default]
    Start,
    /// Text outside of quotes.
    Text,
    /// Text within quotes.
    Quoted,
    /// A quote that closes the cell, unless another quote follows.
    Quote,
    /// A closing quote and blanks.
    Closed,
}

impl Splitter {
    fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            ..Self::default()
        }
    }

    /// Splits what was added to the text of the row, which ends with it outside of quotes if nothing follows.
    fn split(&mut self, text: &[u8], cells: &mut Vec<Cell>, is_last: bool) {
        for (at, &byte) in text.iter().enumerate().skip(self.at) {
            self.state = match (self.state, byte) {
                (State::Quoted, b'"') => {
                    self.closed = at;
                    State::Quote
                }
                (State::Quoted, _) => State::Quoted,
                (State::Quote, b'"') => {
                    self.quotes = Quotes::Doubled;
                    State::Quoted
                }
                (_, b'\n' | b'\r') => {
                    self.end_cell(at, cells);
                    self.at = text.len();
                    return;
                }
                (_, byte) if byte == self.delimiter => {
                    self.end_cell(at, cells);
                    State::Start
                }
                (State::Start, b'"') => {
                    self.start = at + 1;
                    self.quotes = Quotes::Plain;
                    State::Quoted
                }
                (State::Start, b' ' | b'\t') => State::Start,
                (State::Quote | State::Closed, b' ' | b'\t') => State::Closed,
                (State::Quote | State::Closed, _) => {
                    self.quotes = Quotes::GoesOn;
                    State::Text
                }
                (State::Start | State::Text, _) => State::Text,
            };
        }
        self.at = text.len();
        if is_last && self.state != State::Quoted {
            self.end_cell(text.len(), cells);
        }
    }

    fn end_cell(&mut self, at: usize, cells: &mut Vec<Cell>) {
        let is_closed = matches!(self.state, State::Quote | State::Closed);
        cells.push(Cell {
            start: self.start,
            end: if is_closed { self.closed } else { at },
            quotes: self.quotes,
        });
        self.start = at + 1;
        self.state = State::Start;
        self.quotes = Quotes::None;
    }

    /// Returns where the quoted cell begins that is not closed.
    fn open(&self) -> Option<usize> {
        (self.state == State::Quoted).then_some(self.start)
    }
}

/// Writes a text, which needs no quotes, into an empty cell of a row. A row that ends before that cell gets the
/// cells up to it.
pub(crate) fn with_cell(row: &[u8], delimiter: u8, column: usize, text: &str) -> Vec<u8> {
    let cells = CsvRow::of_line(row, delimiter).cells;
    let (before, after, missing) = match cells.get(column) {
        Some(cell) => (row.get(..cell.start), row.get(cell.end..), 0),
        None => (Some(row), None, column + 1 - cells.len()),
    };
    let missing = vec![delimiter; missing];
    let before = before.unwrap_or_default();
    [before, &missing, text.as_bytes(), after.unwrap_or_default()].concat()
}

/// The beginning of a table.
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// What precedes the header.
    pub(crate) preamble: Vec<u8>,
    /// How many lines precede the header, beside one that names the delimiter (`sep=;`).
    pub(crate) skipped_lines: u64,
    /// The line of the header, from 1.
    pub(crate) line: u64,
    /// The text of the header.
    pub(crate) header: Vec<u8>,
    /// Its cells.
    pub(crate) names: Vec<String>,
    /// The line of the first record. Rows before it belong to the header, too.
    pub(crate) first_record: u64,
    /// Whether a delimiter ends each row but the header.
    pub(crate) ends_with_delimiter: bool,
}

/// The delimiters that are looked for, the most common ones first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How many rows are compared to find the delimiter and the header.
const COMPARED: usize = 200;

/// How many rows are looked at for the header.
const HEADER_WITHIN: usize = 20;

impl Dialect {
    /// Looks at the head of a table, and returns also the records that it has. `is_whole` says that nothing follows it.
    ///
    /// # Errors
    ///
    /// Fails if no row looks like a header.
    pub(crate) fn of(
        head: &[u8],
        is_whole: bool,
        rules: &ImportRules,
    ) -> anyhow::Result<(Self, Vec<HeadRow>)> {
        let named = named_delimiter(head);
        let skipped = rules.skip_lines.unwrap_or(0);
        let lines = u64::from(named.is_some()) + skipped;
        let text = after_lines(head, lines)
            .with_context(|| format!("it has no more than {skipped} lines (--skip-lines)"))?;
        let line = 1 + lines;
        let given = rules.delimiter.or(named);
        let delimiters = given.map_or(DELIMITERS.to_vec(), |given| vec![given]);
        let fitting = delimiters.into_iter().rev().map(|delimiter| {
            let rows = HeadRow::list(text, line, delimiter, is_whole, COMPARED);
            let is_first = rules.skip_lines.is_some();
            let header = if is_first { 0 } else { header(&rows, rules) };
            (worth(&rows, header, rules), header, delimiter)
        });
        // Of those that fit equally well, this takes the last, which `rev` makes the first of the list.
        let best = fitting.max_by_key(|(worth, ..)| *worth);
        let (_, header, delimiter) = best.unwrap_or(((false, 0, 0), 0, b','));
        let mut rows = HeadRow::list(text, line, delimiter, is_whole, usize::MAX);
        let mut below = rows.split_off((header + 1).min(rows.len()));
        let is_cut = !is_whole && !text.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        let row = rows.pop().context(if is_cut {
            "its first line is longer than 1 MB"
        } else {
            "it has no header"
        })?;
        let has_letter = |name: &String| name.chars().any(char::is_alphabetic);
        let is_record = rules.skip_lines.is_none() && is_like_those_below(&row, &below, rules);
        ensure!(!is_record && row.cells.iter().any(has_letter), NO_NAMES);
        let width = row.cells.len();
        let is_wider_by_nothing =
            |row: &HeadRow| row.cells.len() == width + 1 && row.cell(width).is_empty();
        below.retain(|below| below.cells != row.cells);
        let ends_with_delimiter = !below.is_empty() && below.iter().all(is_wider_by_nothing);
        // One with more cells is no record of the table, and may have any text in any column.
        let most = width + usize::from(ends_with_delimiter);
        below.retain(|row| row.cells.len() <= most);
        let more = more_of_header(&below, width);
        below.drain(..more);
        let first_record = below.first().filter(|_| more > 0);
        let below_preamble = after_lines(head, row.line - 1).map_or(0, <[u8]>::len);
        let preamble = head.get(..head.len() - below_preamble);
        let dialect = Self {
            delimiter,
            preamble: preamble.unwrap_or_default().to_owned(),
            // Empty lines are no rows.
            skipped_lines: if header > 0 { row.line - line } else { 0 },
            line: row.line,
            names: CsvRow::of_line(&row.text, delimiter).texts().collect(),
            header: row.text,
            first_record: first_record.map_or(row.line + 1, |first| first.line),
            ends_with_delimiter,
        };
        Ok((dialect, below))
    }
}

const NO_NAMES: &str =
    "its first line has no names of columns: write a header above it, such as id,created,rating";

/// Returns whether what should be the header is a record: no name in it is known, and a date stands above dates, or a
/// number above numbers, unless these are the points of a scale (`1,2,3`).
fn is_like_those_below(row: &HeadRow, below: &[HeadRow], rules: &ImportRules) -> bool {
    if known_names(row, rules) > 0 {
        return false;
    }
    let is_above = |column: &usize, is_one: fn(&str) -> bool| {
        is_one(row.cell(*column)) && are_most(below, *column, is_one)
    };
    let columns = 0..row.cells.len();
    if columns.clone().any(|column| is_above(&column, is_date)) {
        return true;
    }
    let above = columns.filter(|column| is_above(column, |cell| number(cell).is_some()));
    let numbers: Vec<_> = above
        .filter_map(|column| number(row.cell(column)))
        .collect();
    let are_points = numbers.len() > 1 && numbers.is_sorted_by(|one, next| one < next);
    !numbers.is_empty() && !are_points
}

/// Returns how many of the first rows below the header belong to it, as of some services' three: all other rows have
/// numbers or dates in three columns, where such a row has none. It has a text in each of them, or in none and not in
/// its first cell either.
fn more_of_header(rows: &[HeadRow], width: usize) -> usize {
    const MOST: usize = 2;
    let fits = |count: &usize| {
        let (first, others) = rows.split_at_checked(*count).unwrap_or_default();
        let columns = 0..width;
        let typed: Vec<_> = columns
            .filter(|column| are_most(others, *column, is_typed))
            .collect();
        let is_of_header = |row: &HeadRow| {
            let mut cells = typed.iter().map(|column| row.cell(*column));
            let is_text = |text: &str| !text.is_empty() && !is_null_word(text) && !is_typed(text);
            cells.clone().all(is_text) || (row.cell(0).is_empty() && cells.all(str::is_empty))
        };
        typed.len() >= 3 && first.iter().all(is_of_header)
    };
    (1..=MOST).rev().find(fits).unwrap_or(0)
}

/// Returns whether all but a few of the texts of a column are of this kind.
fn are_most(rows: &[HeadRow], column: usize, is_one: fn(&str) -> bool) -> bool {
    let cells = rows.iter().map(|row| row.cell(column));
    let texts = cells.filter(|cell| !cell.is_empty());
    let fitting = texts.clone().filter(|text| is_one(text)).count();
    is_most(fitting, texts.count())
}

/// Returns the delimiter that a first line `sep=;` names.
fn named_delimiter(head: &[u8]) -> Option<u8> {
    let mut lines = head.split(|byte| matches!(byte, b'\n' | b'\r'));
    let (delimiter, name) = lines.next()?.split_last()?;
    name.eq_ignore_ascii_case(b"sep=").then_some(*delimiter)
}

/// Returns what follows so many lines, unless there are fewer.
fn after_lines(mut text: &[u8], lines: u64) -> Option<&[u8]> {
    for _ in 0..lines {
        let mut line = Vec::new();
        read_line(&mut text, &mut line).ok()?;
        if line.is_empty() {
            return None;
        }
    }
    Some(text)
}

/// A row in the head of a table.
pub(crate) struct HeadRow {
    line: u64,
    text: Vec<u8>,
    /// Without the blanks around them.
    cells: Vec<String>,
}

impl HeadRow {
    /// Returns the first rows of a table, split by one delimiter.
    fn list(text: &[u8], line: u64, delimiter: u8, is_whole: bool, most: usize) -> Vec<Self> {
        let mut rows = Vec::new();
        let mut reader = CsvRows::new(text, delimiter, line);
        // What is wrong with the rest is said when it is read.
        while let Ok(true) = reader.advance() {
            let row = &reader.row;
            let is_cut = !row.is_ended && !is_whole;
            if is_cut || rows.len() >= most {
                break;
            }
            if !row.is_blank() {
                rows.push(Self {
                    line: row.line,
                    text: row.text.clone(),
                    cells: row.texts().map(|text| text.trim().to_owned()).collect(),
                });
            }
        }
        rows
    }

    /// Returns a cell, which is empty if the row ends before it.
    pub(crate) fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell)
    }
}

/// Returns which row seems to be the header: one without numbers and dates that has two known names, or else the first
/// that is as wide as most and has a text in each cell, or in most. Lines above it, such as a title, have fewer.
fn header(rows: &[HeadRow], rules: &ImportRules) -> usize {
    let mut counts = BTreeMap::<usize, usize>::new();
    for row in rows {
        *counts.entry(row.cells.len()).or_default() += 1;
    }
    let usual = counts.into_iter().max_by_key(|(_, count)| *count);
    let usual = usual.map_or(0, |(width, _)| width);
    let texts = |row: &HeadRow| row.cells.iter().filter(|cell| !cell.is_empty()).count();
    // A delimiter may end each row but the header.
    let is_wide = |row: &HeadRow| row.cells.len() + 1 >= usual.max(2);
    let first = |fits: &dyn Fn(&HeadRow) -> bool| {
        let mut candidates = rows.iter().take(HEADER_WITHIN);
        candidates.position(|row| !row.cells.iter().any(|cell| is_typed(cell)) && fits(row))
    };
    first(&|row| known_names(row, rules) >= 2)
        .or_else(|| first(&|row| is_wide(row) && texts(row) == row.cells.len()))
        .or_else(|| first(&|row| is_wide(row) && texts(row) * 2 > row.cells.len()))
        .unwrap_or(0)
}

/// Returns how well the delimiter of these rows fits: whether most rows have several cells, as many as the header; how
/// many names of the header are known; and how wide rows are.
fn worth(rows: &[HeadRow], header: usize, rules: &ImportRules) -> (bool, usize, usize) {
    let Some(row) = rows.get(header) else {
        return (false, 0, 0);
    };
    let width = row.cells.len();
    let below = rows.get(header + 1..).unwrap_or_default();
    let is_as_wide = |row: &&HeadRow| (width..=width + 1).contains(&row.cells.len());
    let as_wide = below.iter().filter(is_as_wide).count();
    let is_table = width > 1 && as_wide > 0 && as_wide * 2 >= below.len();
    (is_table, known_names(row, rules), width)
}

/// Returns how many names are those of fields, or may be, or stand in options.
fn known_names(row: &HeadRow, rules: &ImportRules) -> usize {
    let names = row.cells.iter().filter(|name| {
        let mut places = rules.map.iter().map(|map| &map.place).chain(&rules.id_from);
        is_known_name(name, rules.kind) || places.any(|place| place.eq_ignore_ascii_case(name))
    });
    names.count()
}

/// Returns whether a cell is a number or a date.
fn is_typed(cell: &str) -> bool {
    number(cell).is_some() || is_date(cell)
}

fn is_date(cell: &str) -> bool {
    forms_of(iter::once(cell), Numbers::None).is_some()
}

fn number(cell: &str) -> Option<f64> {
    let number = cell.parse().ok().filter(|number: &f64| number.is_finite());
    number.filter(|_| cell.contains(|c: char| c.is_ascii_digit()))
}
