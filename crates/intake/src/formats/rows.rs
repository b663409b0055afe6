//! Splits CSV into rows.

use std::io::BufRead;

use anyhow::bail;
use csv_core::{ReadRecordResult, Reader};

use crate::formats::input::{Input, MAX_RECORD, newlines};
use crate::raw::cells::{cells, reader};

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
        let (mut raw, mut text, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let (mut output, mut bounds) = ([0; 4096], [0; 64]);
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
    let (mut is_quoted, mut may_open) = (false, true);
    for byte in text.iter().skip_while(|byte| is_newline(**byte)) {
        if *byte == b'"' && (is_quoted || may_open) {
            // One that follows the closing quote opens the cell again.
            (is_quoted, may_open) = (!is_quoted, true);
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
    let counts = counts.into_iter().zip(DELIMITERS);
    let most = counts.max_by_key(|(count, _)| *count);
    most.map_or(b',', |(_, delimiter)| delimiter)
}

fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}
