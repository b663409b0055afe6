//! How CSV is written: delimiters, quotes, rows and cells, and where a quote seems to be missing.

use std::borrow::Cow;
use std::io::BufRead;
use std::ops::Range;

use anyhow::bail;
use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder};

use crate::columns::Columns;
use crate::input::{Input, MAX_RECORD, newlines};

/// The rows of a table. Unlike ready-made readers, this keeps the text of each row.
pub(crate) struct CsvRows<'a> {
    input: &'a mut Input,
    pub(crate) delimiter: u8,
    reader: Reader,
    line: u64,
    /// Whether the input has ended within quotes.
    is_exhausted: bool,
}

/// A row, or the header.
pub(crate) struct CsvRow {
    /// The line that it begins on.
    pub(crate) line: u64,
    /// Its text in the file.
    pub(crate) raw: Vec<u8>,
    /// `None` if it is not UTF-8.
    pub(crate) cells: Option<Vec<String>>,
    /// Whether the input ends within a quoted cell of the row.
    pub(crate) is_open: bool,
}

impl CsvRow {
    /// Returns its text in the file, without the newline that ends it.
    pub(crate) fn text(&self) -> &[u8] {
        self.raw.strip_suffix(b"\n").unwrap_or(&self.raw)
    }
}

impl<'a> CsvRows<'a> {
    /// Detects the delimiter in the header.
    pub(crate) fn new(input: &'a mut Input) -> Self {
        let delimiter = delimiter(input.ahead());
        Self {
            input,
            delimiter,
            reader: reader(delimiter),
            line: 1,
            is_exhausted: false,
        }
    }

    /// Returns the next row, or `None` at the end. Skips empty lines, and a last row that is cut off.
    pub(crate) fn next(&mut self) -> anyhow::Result<Option<CsvRow>> {
        let mut raw = Vec::new();
        let mut text = Vec::new();
        let mut ends = Vec::new();
        let mut output = [0; 4096];
        let mut bounds = [0; 64];
        let is_open = loop {
            let is_end = self.input.fill_buf()?.is_empty();
            let available = self.input.ahead();
            // At the end, a newline ends the row. The reader itself would also end a row within
            // quotes.
            let input = if is_end { b"\n" } else { available };
            let is_blank = || raw.iter().all(|byte| is_newline(*byte));
            if self.is_exhausted || (is_end && (self.input.is_cut() || is_blank())) {
                return Ok(None);
            }
            let (result, read, written, ended) =
                self.reader.read_record(input, &mut output, &mut bounds);
            if !is_end {
                raw.extend_from_slice(available.get(..read).unwrap_or_default());
                self.input.consume(read);
            }
            // The reader counts bounds from the beginning of the row.
            text.extend_from_slice(output.get(..written).unwrap_or_default());
            ends.extend_from_slice(bounds.get(..ended).unwrap_or_default());
            match result {
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => break false,
                ReadRecordResult::InputEmpty if is_end => break true,
                _ if raw.len() > MAX_RECORD => {
                    bail!(
                        "the row that begins on line {} is longer than 16 MB; a quote may be missing",
                        self.line
                    );
                }
                _ => {}
            }
        };
        self.is_exhausted = is_open;
        // Empty lines before the row are part of the text that was read.
        let blank = raw.iter().take_while(|byte| is_newline(**byte)).count();
        let row = raw.split_off(blank);
        let line = self.line + newlines(&raw);
        self.line = line + newlines(&row);
        Ok(Some(CsvRow {
            line,
            raw: row,
            cells: cells(&text, &ends),
            is_open,
        }))
    }
}

/// Returns the delimiter that is most frequent in the first row, outside of quotes.
fn delimiter(text: &[u8]) -> u8 {
    // Of those that are equally frequent, the last is returned.
    const DELIMITERS: [u8; 3] = [b'\t', b';', b','];
    let mut counts = [0; DELIMITERS.len()];
    let mut is_quoted = false;
    let mut may_open = true;
    for byte in text.iter().skip_while(|byte| is_newline(**byte)) {
        if *byte == b'"' && (is_quoted || may_open) {
            is_quoted = !is_quoted;
            // One that follows the closing quote opens the cell again.
            may_open = true;
        } else if !is_quoted {
            let delimiter = DELIMITERS.iter().position(|delimiter| delimiter == byte);
            match delimiter.and_then(|at| counts.get_mut(at)) {
                Some(count) => *count += 1,
                None if is_newline(*byte) => break,
                None => {}
            }
            may_open = delimiter.is_some();
        }
    }
    let counted = counts.into_iter().zip(DELIMITERS);
    let most_frequent = counted.max_by_key(|(count, _)| *count);
    most_frequent.map_or(b',', |(_, delimiter)| delimiter)
}

fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Makes a parser of rows.
fn reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).build()
}

/// Returns the cells that end at these positions of the text; `None` if one is not UTF-8.
fn cells(text: &[u8], ends: &[usize]) -> Option<Vec<String>> {
    let mut start = 0;
    ends.iter()
        .map(|end| {
            let cell = text.get(std::mem::replace(&mut start, *end)..*end)?;
            Some(std::str::from_utf8(cell).ok()?.to_owned())
        })
        .collect()
}

/// Writes a text, which needs no quotes, into an empty cell of a row. A row that ends before that cell gets the
/// cells up to it.
pub(crate) fn with_cell<'a>(
    row: &'a [u8],
    delimiter: u8,
    column: usize,
    text: &str,
) -> Cow<'a, [u8]> {
    let mut reader = reader(delimiter);
    let mut output = [0; 4096];
    let mut at = 0;
    let mut cells = 0;
    while cells < column {
        let rest = row.get(at..).unwrap_or_default();
        let (result, read, _) = reader.read_field(rest, &mut output);
        at += read;
        match result {
            ReadFieldResult::Field { record_end: false } => cells += 1,
            ReadFieldResult::OutputFull => {}
            _ => {
                let (cells_so_far, end) = match row.strip_suffix(b"\r") {
                    Some(before) => (before, &b"\r"[..]),
                    None => (row, &b""[..]),
                };
                let missing = vec![delimiter; column - cells];
                return Cow::Owned([cells_so_far, &missing, text.as_bytes(), end].concat());
            }
        }
    }
    // The cell may be written as two quotes.
    at += usize::from(row.get(at) == Some(&b'"'));
    let (before, after) = row.split_at_checked(at).unwrap_or((row, &[]));
    Cow::Owned([before, text.as_bytes(), after].concat())
}

/// Finds rows of a table in which a quote seems to be missing.
pub(crate) struct MissingQuotes<'a> {
    delimiter: u8,
    columns: &'a Columns<'a>,
    /// Splits lines. It is not the parser of the rows.
    reader: Reader,
}

/// A quoted cell of several lines that suggests that a quote is missing. Lines are counted from the
/// first line of the row.
pub(crate) struct Suspicion {
    /// The line on which the cell begins.
    pub(crate) opened: u64,
    /// The line that is suspicious.
    pub(crate) line: u64,
    /// What the line does.
    pub(crate) what: &'static str,
}

impl<'a> MissingQuotes<'a> {
    pub(crate) fn new(delimiter: u8, columns: &'a Columns<'a>) -> Self {
        Self {
            delimiter,
            columns,
            reader: reader(delimiter),
        }
    }

    /// Finds a quoted cell that seems to have swallowed a row.
    pub(crate) fn suspicion(&mut self, raw: &[u8]) -> Option<Suspicion> {
        if newlines(raw.trim_ascii_end()) == 0 {
            return None;
        }
        // Counting takes time, so it is left to the only cell that is reported.
        let line_of = |at: usize| newlines(raw.get(..at).unwrap_or_default());
        let first_line = raw
            .split(|byte| *byte == b'\n')
            .next()
            .map_or(0, <[u8]>::len);
        let is_long =
            |cell: &Range<usize>| raw.get(cell.clone()).is_some_and(|it| newlines(it) > 0);
        let cells = quoted_cells(raw, self.delimiter).into_iter();
        cells.filter(is_long).find_map(|cell| {
            let suspicion = |at, what| Suspicion {
                opened: line_of(cell.start),
                line: line_of(at),
                what,
            };
            let mut lines = lines_within(raw, cell.clone());
            if let Some(line) = lines.find(|line| self.looks_like_row(raw, line, &cell)) {
                Some(suspicion(line.start, "looks like a row"))
            } else if cell.start <= first_line && self.opening_line_looks_like_row(raw, &cell) {
                Some(suspicion(cell.start, "looks like a row without its quote"))
            } else if is_closed(raw, &cell, self.delimiter) {
                None
            } else {
                Some(suspicion(cell.end, "goes on behind the closing quote"))
            }
        })
    }

    /// Returns whether the line looks like a row that the cell swallowed. The last line of a cell may
    /// continue with other cells, so what makes it look like a row has to be within the cell, or the line
    /// has to be well formed by itself.
    fn looks_like_row(&mut self, raw: &[u8], line: &Range<usize>, cell: &Range<usize>) -> bool {
        let text = raw.get(line.clone()).unwrap_or_default();
        // Splitting a line takes much longer than this.
        if occurrences(text, self.delimiter) + 1 < self.columns.names.len() {
            return false;
        }
        let Some(decisive) = self.decisive_cell(text) else {
            return false;
        };
        let within = raw.get(line.start..cell.end).unwrap_or_default();
        // The last cell of the part may be cut.
        line.end <= cell.end
            || split_line(within, &mut self.reader).is_some_and(|part| decisive + 1 < part.len())
            || is_well_formed(text, self.delimiter)
    }

    /// Returns whether the first line of the row, on which the cell begins, looks like a row if the cell's
    /// opening quote is taken literally, and the cell contains what makes it look like one.
    fn opening_line_looks_like_row(&mut self, raw: &[u8], cell: &Range<usize>) -> bool {
        let before = raw.get(..cell.start - 1).unwrap_or_default();
        let cell_text = raw.get(cell.clone()).unwrap_or_default();
        let behind_quote = cell_text.split(|byte| *byte == b'\n').next();
        let opened =
            split_line(before, &mut self.reader).map_or(0, |cells| cells.len().saturating_sub(1));
        let line = [before, behind_quote.unwrap_or_default()].concat();
        let decisive = self.decisive_cell(&line);
        decisive.is_some_and(|decisive| decisive >= opened)
    }

    /// Returns the position of the cell that makes the line look like a row, if it does.
    fn decisive_cell(&mut self, line: &[u8]) -> Option<usize> {
        let cells = split_line(line, &mut self.reader)?;
        self.columns.decisive_cell(&cells)
    }
}

/// Returns whether a delimiter or the end of the row follows the closing quote.
fn is_closed(raw: &[u8], cell: &Range<usize>, delimiter: u8) -> bool {
    let following = raw.get(cell.end + 1);
    following.is_none_or(|byte| [delimiter, b'\n', b'\r'].contains(byte))
}

/// Returns the lines that begin within the cell.
fn lines_within(raw: &[u8], cell: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let starts = cell.clone().filter(|at| raw.get(*at) == Some(&b'\n'));
    starts.map(move |newline| {
        let start = newline + 1;
        let rest = raw.get(start..).unwrap_or_default();
        let length = rest.iter().position(|byte| *byte == b'\n');
        start..start + length.unwrap_or(rest.len())
    })
}

/// Returns whether all quotes of a line enclose cells. The last line of a proper cell is not well
/// formed by itself, because of the quote that closes the cell.
fn is_well_formed(line: &[u8], delimiter: u8) -> bool {
    let row = line.strip_suffix(b"\r").unwrap_or(line);
    let count = |text| occurrences(text, b'"');
    let quoted = quoted_cells(row, delimiter);
    let is_enclosed = |cell: &Range<usize>| {
        cell.end < row.len() && row.get(cell.end + 1).is_none_or(|byte| *byte == delimiter)
    };
    let within: usize = quoted
        .iter()
        .filter_map(|cell| row.get(cell.clone()))
        .map(count)
        .sum();
    quoted.iter().all(is_enclosed) && count(row) == within + 2 * quoted.len()
}

fn occurrences(text: &[u8], wanted: u8) -> usize {
    text.split(|byte| *byte == wanted).count() - 1
}

/// Splits one line into cells; returns `None` if one is not UTF-8. A carriage return within the line
/// ends the row, as it does elsewhere; what follows is left out.
fn split_line(line: &[u8], reader: &mut Reader) -> Option<Vec<String>> {
    let mut output = vec![0; line.len() + 1];
    let mut bounds = vec![0; line.len() + 1];
    // To make a parser takes much longer than a line does.
    reader.reset();
    let (_, _, written, ended) = reader.read_record(line, &mut output, &mut bounds);
    // The end of the input ends the last cell.
    let (_, _, more_written, more_ended) =
        reader.read_record(&[], output.get_mut(written..)?, bounds.get_mut(ended..)?);
    cells(
        output.get(..written + more_written)?,
        bounds.get(..ended + more_ended)?,
    )
}

/// Returns where the quoted cells are, without their quotes. The last one ends with the row if it is
/// not closed.
fn quoted_cells(raw: &[u8], delimiter: u8) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut is_cell_start = true;
    let mut bytes = raw.iter().copied().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        if !(is_cell_start && byte == b'"') {
            is_cell_start = byte == delimiter || byte == b'\n';
            continue;
        }
        is_cell_start = false;
        let start = at + 1;
        let mut end = raw.len();
        while let Some((at, byte)) = bytes.next() {
            if byte == b'"' && bytes.next_if(|(_, next)| *next == b'"').is_none() {
                end = at;
                break;
            }
        }
        cells.push(start..end);
    }
    cells
}
