//! Reads CSV.

use std::io::BufRead;

use anyhow::Context;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::columns::{CellOptions, Columns};
use super::entry::{Entry, MAX_RECORD, newlines};
use super::kind::Kind;
use super::records::Records;

/// Reads all rows after the header. `head` is the beginning of the input.
pub(super) fn read(
    input: impl BufRead,
    head: &[u8],
    kind: Kind,
    options: &CellOptions,
    records: &mut Records,
) -> anyhow::Result<()> {
    const UNREADABLE: &str = "cannot read it";
    let mut rows = Rows::new(input, head);
    let Some(header) = rows.next().context(UNREADABLE)? else {
        return Ok(());
    };
    let names = header.cells.context("the header is not UTF-8")?;
    let (columns, unused) = Columns::from_header(kind, &names, options)?;
    records.begin_table(header.raw.trim_ascii_end(), &unused);
    while let Some(row) = rows.next().context(UNREADABLE)? {
        let record = match &row.cells {
            Some(cells) => columns.record(cells),
            None => Err("it is not UTF-8".to_owned()),
        };
        records.add(Entry {
            line: row.line,
            raw: row.raw.strip_suffix(b"\n").unwrap_or(&row.raw),
            json: record.as_deref().map_err(Clone::clone),
        })?;
    }
    Ok(())
}

/// The rows of a table. Unlike ready-made readers, this keeps the text of each row.
struct Rows<R> {
    input: R,
    reader: Reader,
    line: u64,
}

struct Row {
    /// The line that it begins on.
    line: u64,
    /// Its text in the file.
    raw: Vec<u8>,
    /// `None` if it is not UTF-8.
    cells: Option<Vec<String>>,
}

impl<R: BufRead> Rows<R> {
    /// Detects the delimiter in the first line of `head`.
    fn new(input: R, head: &[u8]) -> Self {
        let first_line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let delimiter = [b',', b';', b'\t']
            .into_iter()
            .find(|delimiter| first_line.contains(delimiter))
            .unwrap_or(b',');
        Self {
            input,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            line: 1,
        }
    }

    /// Returns the next row, or `None` at the end. Skips empty lines.
    fn next(&mut self) -> std::io::Result<Option<Row>> {
        let (mut raw, mut text, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let (mut output, mut bounds) = ([0; 4096], [0; 64]);
        loop {
            let available = self.input.fill_buf()?;
            let (result, read, written, ended) =
                self.reader.read_record(available, &mut output, &mut bounds);
            raw.extend_from_slice(available.get(..read).unwrap_or_default());
            self.input.consume(read);
            // The reader counts bounds from the beginning of the row.
            text.extend_from_slice(output.get(..written).unwrap_or_default());
            ends.extend_from_slice(bounds.get(..ended).unwrap_or_default());
            match result {
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => break,
                _ if raw.len() > MAX_RECORD => {
                    return Err(std::io::Error::other("a row is longer than 16 MB"));
                }
                _ => {}
            }
        }
        // Empty lines before the row are part of the text that was read.
        let blank = raw
            .iter()
            .take_while(|byte| matches!(byte, b'\n' | b'\r'))
            .count();
        let row = raw.split_off(blank);
        let line = self.line + newlines(&raw);
        self.line = line + newlines(&row);
        let mut start = 0;
        let cells = ends
            .into_iter()
            .map(|end| {
                let cell = text.get(std::mem::replace(&mut start, end)..end)?;
                Some(std::str::from_utf8(cell).ok()?.to_owned())
            })
            .collect();
        Ok(Some(Row {
            line,
            raw: row,
            cells,
        }))
    }
}
