//! How a table is written, told from its first rows: what separates cells, and which line is the header.

use std::collections::BTreeMap;
use std::iter;

use anyhow::{Context as _, ensure};

use crate::csv::{CsvRow, CsvRows};
use crate::date_forms::forms_of;
use crate::input::read_line;
use crate::proposals::is_known_name;
use crate::rules::ImportRules;
use crate::sample::{is_most, is_null_word};

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
    /// Looks at the head of a table, and returns also the cells of the records that it has. `is_whole` says that
    /// nothing follows it.
    ///
    /// # Errors
    ///
    /// Fails if no row looks like a header.
    pub(crate) fn of(
        head: &[u8],
        is_whole: bool,
        rules: &ImportRules,
    ) -> anyhow::Result<(Self, Vec<Vec<String>>)> {
        let named = named_delimiter(head);
        let skipped = rules.skip_lines.unwrap_or(0);
        let lines = u64::from(named.is_some()) + skipped;
        let text = after_lines(head, lines)
            .with_context(|| format!("it has no more than {skipped} lines (--skip-lines)"))?;
        let line = 1 + lines;
        let given = rules.delimiter.or(named);
        let delimiters = given.map_or(DELIMITERS.to_vec(), |given| vec![given]);
        let fitting = delimiters.into_iter().rev().map(|delimiter| {
            let rows = Rows::of(text, line, delimiter, is_whole, COMPARED);
            let is_first = rules.skip_lines.is_some();
            let header = if is_first { 0 } else { rows.header(rules) };
            (rows.worth(header, rules), header, delimiter)
        });
        // Of those that fit equally well, this takes the last, which `rev` makes the first of the list.
        let best = fitting.max_by_key(|(worth, ..)| *worth);
        let (_, header, delimiter) = best.unwrap_or(((false, 0, 0), 0, b','));
        let mut rows = Rows::of(text, line, delimiter, is_whole, usize::MAX).0;
        let mut below = rows.split_off((header + 1).min(rows.len()));
        let is_cut = !is_whole && !text.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        let row = rows.pop().context(if is_cut {
            "its first line is longer than 1 MB"
        } else {
            "it has no header"
        })?;
        let has_letter = |name: &String| name.chars().any(char::is_alphabetic);
        ensure!(
            row.cells.iter().any(has_letter),
            "its first line has no names of columns: write a header above it, such as id,created,rating"
        );
        let width = row.cells.len();
        let is_wider_by_nothing = |row: &Row| {
            row.cells.len() == width + 1 && row.cells.last().is_some_and(String::is_empty)
        };
        below.retain(|below| below.cells != row.cells);
        let ends_with_delimiter = !below.is_empty() && below.iter().all(is_wider_by_nothing);
        // One with more cells is no record of the table, and may have any text in any column.
        let most = width + usize::from(ends_with_delimiter);
        below.retain(|row| row.cells.len() <= most);
        let more = more_of_header(&below, width);
        let first_record = below.get(more).filter(|_| more > 0);
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
        let records = below.into_iter().skip(more);
        Ok((dialect, records.map(|record| record.cells).collect()))
    }
}

/// Returns how many of the first rows below the header belong to it, as of some services' three: all other rows have
/// numbers or dates in three columns, where such a row has none. It has a text in each of them, or in none and not in
/// its first cell either.
fn more_of_header(rows: &[Row], width: usize) -> usize {
    const MOST: usize = 2;
    let fits = |count: &usize| {
        let (first, others) = rows.split_at_checked(*count).unwrap_or_default();
        let are_typed = |column: &usize| {
            let cells = others.iter().map(|row| row.cell(*column));
            let texts: Vec<_> = cells.filter(|cell| !cell.is_empty()).collect();
            let typed = texts.iter().filter(|text| is_typed(text)).count();
            is_most(typed, texts.len())
        };
        let typed: Vec<_> = (0..width).filter(are_typed).collect();
        let is_of_header = |row: &Row| {
            let mut cells = typed.iter().map(|column| row.cell(*column));
            let is_text = |text: &str| !text.is_empty() && !is_null_word(text) && !is_typed(text);
            cells.clone().all(is_text) || (row.cell(0).is_empty() && cells.all(str::is_empty))
        };
        typed.len() >= 3 && first.iter().all(is_of_header)
    };
    (1..=MOST).rev().find(fits).unwrap_or(0)
}

/// Returns the delimiter that a first line `sep=;` names.
fn named_delimiter(head: &[u8]) -> Option<u8> {
    let mut lines = head.split(|byte| matches!(byte, b'\n' | b'\r'));
    match lines.next()? {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] => Some(*delimiter),
        _ => None,
    }
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

/// The first rows of a table, split by one delimiter.
struct Rows(Vec<Row>);

struct Row {
    line: u64,
    text: Vec<u8>,
    /// Without the blanks around them.
    cells: Vec<String>,
}

impl Row {
    /// Returns a cell, which is empty if the row ends before it.
    fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell)
    }
}

impl Rows {
    fn of(mut text: &[u8], line: u64, delimiter: u8, is_whole: bool, most: usize) -> Self {
        let mut rows = Vec::new();
        let mut reader = CsvRows::new(&mut text, delimiter, line);
        // What is wrong with the rest is said when it is read.
        while let Ok(Some(row)) = reader.next() {
            let is_cut = !row.is_ended && !is_whole;
            if is_cut || rows.len() >= most {
                break;
            }
            if !row.is_blank() {
                rows.push(Row {
                    line: row.line,
                    text: row.text.clone(),
                    cells: row.texts().map(|text| text.trim().to_owned()).collect(),
                });
            }
        }
        Self(rows)
    }

    /// Returns how many cells most rows have.
    fn usual_width(&self) -> usize {
        let mut counts = BTreeMap::<usize, usize>::new();
        for row in &self.0 {
            *counts.entry(row.cells.len()).or_default() += 1;
        }
        let usual = counts
            .into_iter()
            .max_by_key(|(width, count)| (*count, *width));
        usual.map_or(0, |(width, _)| width)
    }

    /// Returns which row seems to be the header: one without numbers and dates that has two known names, or else the
    /// first that is as wide as most and has a text in each cell, or in most. Lines above it, such as a title, have
    /// fewer.
    fn header(&self, rules: &ImportRules) -> usize {
        let usual = self.usual_width();
        let texts = |row: &Row| {
            let cells = row.cells.iter();
            cells.filter(|cell| !cell.is_empty()).count()
        };
        // A delimiter may end each row but the header.
        let is_wide = |row: &Row| row.cells.len() + 1 >= usual.max(2);
        let first = |fits: &dyn Fn(&Row) -> bool| {
            let mut candidates = self.0.iter().take(HEADER_WITHIN);
            candidates.position(|row| !row.cells.iter().any(|cell| is_typed(cell)) && fits(row))
        };
        first(&|row| known_names(row, rules) >= 2)
            .or_else(|| first(&|row| is_wide(row) && texts(row) == row.cells.len()))
            .or_else(|| first(&|row| is_wide(row) && texts(row) * 2 > row.cells.len()))
            .unwrap_or(0)
    }

    /// Returns how well the delimiter fits: whether most rows have several cells, as many as the header; how many names
    /// of the header are known; and how wide rows are.
    fn worth(&self, header: usize, rules: &ImportRules) -> (bool, usize, usize) {
        let Some(row) = self.0.get(header) else {
            return (false, 0, 0);
        };
        let width = row.cells.len();
        let below = self.0.get(header + 1..).unwrap_or_default();
        let is_as_wide = |row: &&Row| (width..=width + 1).contains(&row.cells.len());
        let as_wide = below.iter().filter(is_as_wide).count();
        let is_table = width > 1 && as_wide > 0 && as_wide * 2 >= below.len();
        (is_table, known_names(row, rules), width)
    }
}

/// Returns how many names are those of fields, or may be, or stand in options.
fn known_names(row: &Row, rules: &ImportRules) -> usize {
    let names = row.cells.iter().filter(|name| {
        let mut places = rules.map.iter().map(|map| &map.place).chain(&rules.id_from);
        is_known_name(name, rules.kind) || places.any(|place| place.eq_ignore_ascii_case(name))
    });
    names.count()
}

/// Returns whether a cell is a number or a date.
fn is_typed(cell: &str) -> bool {
    let is_number =
        || cell.parse().is_ok_and(f64::is_finite) && cell.contains(|c: char| c.is_ascii_digit());
    is_number() || forms_of(iter::once(cell), false).is_some()
}
