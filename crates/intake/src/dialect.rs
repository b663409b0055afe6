//! How a table is written, told from its first rows: what separates cells, and which line is the header.

use std::collections::BTreeMap;

use anyhow::{Context, ensure};

use crate::csv::CsvRows;
use crate::proposals::is_known_name;
use crate::rules::{ImportRules, RecordKind};

/// The beginning of a table.
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    /// The length of what precedes the header, in bytes.
    pub(crate) offset: usize,
    /// How many lines precede the header, beside one that names the delimiter (`sep=;`).
    pub(crate) skipped_lines: u64,
    /// The line of the header, from 1.
    pub(crate) line: u64,
    /// The text of the header.
    pub(crate) text: Vec<u8>,
    /// The cells of the header.
    pub(crate) header: Vec<String>,
    /// The rows below it that the head of the file has, without blank ones.
    pub(crate) rows: Vec<Vec<String>>,
}

/// The delimiters that are looked for, the most common ones first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How many rows are compared to find the delimiter and the header.
const COMPARED: usize = 200;

/// How many rows are looked at for the header.
const HEADER_WITHIN: usize = 20;

impl Dialect {
    /// Looks at the head of a table. `is_whole` says that nothing follows it.
    ///
    /// # Errors
    ///
    /// Fails if no row looks like a header.
    pub(crate) fn of(head: &[u8], is_whole: bool, rules: &ImportRules) -> anyhow::Result<Self> {
        let (named, offset) = named_delimiter(head);
        let given = rules.delimiter.or(named);
        let delimiters = given.map_or(DELIMITERS.to_vec(), |given| vec![given]);
        let start = (offset, 1 + u64::from(offset > 0));
        let (offset, line) = match rules.skip_lines {
            Some(lines) => after_lines(head, start, lines)?,
            None => start,
        };
        let text = head.get(offset..).unwrap_or_default();
        let fitting = delimiters.into_iter().map(|delimiter| {
            let rows = Rows::of(text, line, delimiter, is_whole, COMPARED);
            let header = if rules.skip_lines.is_some() {
                0
            } else {
                rows.header(rules.kind)
            };
            (rows.worth(header, rules.kind), header, delimiter)
        });
        // Of those that fit equally well, the first.
        let best = fitting.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let (_, header, delimiter) = best.unwrap_or(((0, 0, 0), 0, b','));
        let mut rows = Rows::of(text, line, delimiter, is_whole, usize::MAX).0;
        let below = rows.split_off((header + 1).min(rows.len()));
        let row = rows.pop().context("it has no header")?;
        let has_letter = |name: &String| name.chars().any(char::is_alphabetic);
        ensure!(
            row.cells.iter().any(has_letter),
            "its first line has no names of columns: write a header above it, such as id,created,rating"
        );
        let written = text.get(row.offset..row.offset + row.length);
        Ok(Self {
            delimiter,
            text: written.unwrap_or_default().to_owned(),
            offset: offset + row.offset,
            // Empty lines are no rows.
            skipped_lines: if header > 0 { row.line - start.1 } else { 0 },
            line: row.line,
            header: row.cells,
            rows: below.into_iter().map(|row| row.cells).collect(),
        })
    }
}

/// Returns the delimiter that a first line `sep=;` names, and the length of that line.
fn named_delimiter(head: &[u8]) -> (Option<u8>, usize) {
    let line_of = |rest: &[u8]| rest.iter().position(|byte| *byte == b'\n');
    match head {
        [
            b's' | b'S',
            b'e' | b'E',
            b'p' | b'P',
            b'=',
            delimiter,
            rest @ ..,
        ] if matches!(rest, [b'\n', ..] | [b'\r', b'\n', ..]) => {
            let length = line_of(rest).map_or(0, |end| head.len() - rest.len() + end + 1);
            (Some(*delimiter), length)
        }
        _ => (None, 0),
    }
}

/// Returns where the text begins after so many lines, and its line.
fn after_lines(
    head: &[u8],
    (offset, line): (usize, u64),
    lines: u64,
) -> anyhow::Result<(usize, u64)> {
    let mut at = offset;
    for _ in 0..lines {
        let rest = head.get(at..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b'\n');
        at += end.with_context(|| format!("it has no more than {lines} lines (--skip-lines)"))? + 1;
    }
    Ok((at, line + lines))
}

/// The first rows of a table, split by one delimiter.
struct Rows(Vec<Row>);

struct Row {
    /// Where it begins, in bytes.
    offset: usize,
    /// Its length in bytes.
    length: usize,
    line: u64,
    cells: Vec<String>,
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
                    offset: row.offset,
                    length: row.text.len(),
                    line: row.line,
                    cells: row.texts().collect(),
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

    /// Returns which row seems to be the header: one as wide as most, whose cells have texts. Lines above it,
    /// such as a title, have fewer.
    fn header(&self, kind: RecordKind) -> usize {
        let usual = self.usual_width();
        let has_texts = |row: &Row| {
            let texts = row.cells.iter().filter(|cell| !cell.trim().is_empty());
            texts.count() * 2 > row.cells.len()
        };
        // A delimiter may end each row but the header.
        let is_wide = |row: &Row| row.cells.len() + 1 >= usual.max(2) && has_texts(row);
        let first = |fits: &dyn Fn(&Row) -> bool| {
            let mut candidates = self.0.iter().take(HEADER_WITHIN);
            candidates.position(fits)
        };
        first(&|row| known_names(row, kind) > usize::from(!is_wide(row)))
            .or_else(|| first(&is_wide))
            .unwrap_or(0)
    }

    /// Returns how well the delimiter fits: how many names of the header are known, how many percent of the rows
    /// are as wide as most, and how wide those are.
    fn worth(&self, header: usize, kind: RecordKind) -> (usize, usize, usize) {
        let usual = self.usual_width();
        let as_usual = self.0.iter().filter(|row| row.cells.len() == usual).count();
        let names = self.0.get(header).map_or(0, |row| known_names(row, kind));
        (names, as_usual * 100 / self.0.len().max(1), usual)
    }
}

fn known_names(row: &Row, kind: RecordKind) -> usize {
    let names = row
        .cells
        .iter()
        .filter(|name| is_known_name(name.trim(), kind));
    names.count()
}
