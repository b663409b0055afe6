//! CSV, row by row.

use std::io::BufRead;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::format::{LONGEST_RECORD, newlines};

/// The rows of a table. Unlike ready-made readers it gives each row as it was written too.
pub(super) struct Rows<R> {
    input: R,
    reader: Reader,
    line: u64,
}

/// One row.
pub(super) struct Row {
    /// The line it begins at.
    pub(super) line: u64,
    /// As it was written.
    pub(super) raw: Vec<u8>,
    /// `None` when it is not UTF-8.
    pub(super) cells: Option<Vec<String>>,
}

impl<R: BufRead> Rows<R> {
    /// `head` is the beginning of the input, which tells what stands between cells.
    pub(super) fn new(input: R, head: &[u8]) -> Self {
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

    /// The next row, or `None` at the end. Empty lines are none.
    pub(super) fn next(&mut self) -> std::io::Result<Option<Row>> {
        let (mut raw, mut text, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let (mut output, mut bounds) = ([0; 4096], [0; 64]);
        loop {
            let available = self.input.fill_buf()?;
            let (result, read, written, ended) =
                self.reader.read_record(available, &mut output, &mut bounds);
            raw.extend_from_slice(available.get(..read).unwrap_or_default());
            self.input.consume(read);
            // The reader counts ends from the beginning of the row.
            text.extend_from_slice(output.get(..written).unwrap_or_default());
            ends.extend_from_slice(bounds.get(..ended).unwrap_or_default());
            match result {
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => break,
                _ if raw.len() > LONGEST_RECORD => {
                    return Err(std::io::Error::other("a row is longer than 16 MB"));
                }
                _ => {}
            }
        }
        // Empty lines before a row are part of what was read.
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
