//! How rows are written as text: lines, cells and quotes.
//!
//! Ready-made readers give the cells alone. This one keeps the text of each row, with which a rejected record is
//! written, and where its cells are; it also reads a quote behind blanks, as in `1, "2026-01-31"`.

use std::borrow::Cow;
use std::io::BufRead;

use anyhow::{bail, ensure};

use crate::input::{MAX_RECORD, count_lines, read_line};

/// The rows of a table, one after the other.
pub(crate) struct CsvRows<'a> {
    input: &'a mut dyn BufRead,
    delimiter: u8,
    row: CsvRow,
    next_line: u64,
}

/// A row, or the header.
#[derive(Clone, Default)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quotes {
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

    /// Returns whether no cell holds anything but blanks, or the row is what old systems end a file with.
    pub(crate) fn is_blank(&self) -> bool {
        if self.text == b"\x1a" {
            return true;
        }
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

impl<'a> CsvRows<'a> {
    /// Reads rows, of which the first begins on this line of its file.
    pub(crate) fn new(input: &'a mut dyn BufRead, delimiter: u8, line: u64) -> Self {
        Self {
            input,
            delimiter,
            row: CsvRow::default(),
            next_line: line,
        }
    }

    /// Returns the next row, or `None` at the end. Skips empty lines.
    ///
    /// # Errors
    ///
    /// Fails if a quoted cell is not closed, or the row is too long.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<&CsvRow>> {
        loop {
            let row = &mut self.row;
            row.text.clear();
            row.cells.clear();
            row.line = self.next_line;
            let mut splitter = Splitter::new(self.delimiter);
            loop {
                row.is_ended = read_line(&mut *self.input, &mut row.text)?;
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
                return Ok(None);
            }
            let written = row.text.strip_suffix(b"\n").unwrap_or(&row.text);
            let length = written.strip_suffix(b"\r").unwrap_or(written).len();
            row.text.truncate(length);
            if length > 0 {
                return Ok(Some(&self.row));
            }
        }
    }
}

/// Splits a row into cells, line by line.
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing of the cell but blanks.
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
            at: 0,
            start: 0,
            closed: 0,
            state: State::Start,
            quotes: Quotes::None,
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
