//! Where a record comes from, in case it has to be rejected.

use std::borrow::Cow;
use std::sync::Arc;

use csv_core::ReadFieldResult;

use crate::members::pairs::pairs;
use crate::raw::cells;
use crate::raw::columns::Columns;
use encoding::RecordId;

/// Where a record comes from.
pub struct Origin {
    /// The name of the file.
    pub file: Arc<str>,
    pub(crate) form: Arc<Form>,
    /// The line that the record begins on.
    pub line: u64,
    /// Its text in the file.
    pub raw: Vec<u8>,
    /// The id that was derived from the record, which it keeps when it is corrected.
    pub(crate) derived_id: Option<RecordId>,
}

/// The form of a file.
#[derive(Default)]
pub(crate) enum Form {
    #[default]
    Json,
    Table {
        header: Vec<u8>,
        delimiter: u8,
        ids: IdColumn,
    },
}

/// Where the rows of a table have their ids.
pub(crate) enum IdColumn {
    /// In the column at this position.
    At(usize),
    /// In none, but a column `id` can be added.
    Absent,
    /// In none, and the column `id` is something else.
    Impossible,
}

impl IdColumn {
    pub(crate) fn of(columns: &Columns<'_>) -> Self {
        match columns.position("id") {
            Some(at) => Self::At(at),
            None if columns.names.iter().any(|name| name == "id") => Self::Impossible,
            None => Self::Absent,
        }
    }
}

impl Origin {
    /// Returns whether the record is a row of a table.
    pub(crate) fn is_row(&self) -> bool {
        matches!(*self.form, Form::Table { .. })
    }

    /// Returns the text of the record with the derived id, and the header of the table that it belongs to;
    /// JSON has an empty one.
    pub fn text_and_header(&self) -> [Cow<'_, [u8]>; 2] {
        let raw = Cow::Borrowed(self.raw.as_slice());
        let Form::Table {
            header,
            delimiter,
            ids,
        } = &*self.form
        else {
            let id = self.derived_id.as_ref();
            return [
                id.map_or(raw, |id| with_member(&self.raw, id)),
                Cow::default(),
            ];
        };
        let header = Cow::Borrowed(header.as_slice());
        match (&self.derived_id, ids) {
            (None, _) | (_, IdColumn::Impossible) => [raw, header],
            (Some(id), IdColumn::At(at)) => [with_cell(&self.raw, *delimiter, *at, id), header],
            (Some(id), IdColumn::Absent) => [(id.as_str(), raw), ("id", header)]
                .map(|(cell, rest)| Cow::Owned([cell.as_bytes(), &[*delimiter], &rest].concat())),
        }
    }
}

/// Adds the id to a JSON object, which has none or `null`. Names may repeat.
fn with_member<'a>(raw: &'a [u8], id: &RecordId) -> Cow<'a, [u8]> {
    let Ok(Ok(members)) = str::from_utf8(raw).map(pairs) else {
        return Cow::Borrowed(raw);
    };
    let id = format!("\"{}\"", id.as_str());
    let (before, text, after) = match members.iter().find(|(name, _)| name == "id") {
        Some((_, null)) => {
            let at = null.get().as_ptr().addr() - raw.as_ptr().addr();
            (at, id, at + null.get().len())
        }
        None if members.is_empty() => (1, format!("\"id\":{id}"), 1),
        None => (1, format!("\"id\":{id},"), 1),
    };
    let parts = raw.get(..before).zip(raw.get(after..));
    let (before, after) = parts.unwrap_or_default();
    Cow::Owned([before, text.as_bytes(), after].concat())
}

/// Writes the id into an empty cell of a row. A row that ends before that cell gets the cells up to it.
fn with_cell<'a>(raw: &'a [u8], delimiter: u8, column: usize, id: &RecordId) -> Cow<'a, [u8]> {
    let (mut reader, mut output) = (cells::reader(delimiter), [0; 4096]);
    let (mut at, mut cells) = (0, 0);
    while cells < column {
        let rest = raw.get(at..).unwrap_or_default();
        let (result, read, _) = reader.read_field(rest, &mut output);
        at += read;
        match result {
            ReadFieldResult::Field { record_end: false } => cells += 1,
            ReadFieldResult::OutputFull => {}
            _ => {
                let (row, end) = match raw.strip_suffix(b"\r") {
                    Some(row) => (row, &b"\r"[..]),
                    None => (raw, &b""[..]),
                };
                let missing = vec![delimiter; column - cells];
                return Cow::Owned([row, &missing, id.as_str().as_bytes(), end].concat());
            }
        }
    }
    // The cell may be written as two quotes.
    at += usize::from(raw.get(at) == Some(&b'"'));
    let (before, after) = raw.split_at_checked(at).unwrap_or((raw, &[]));
    Cow::Owned([before, id.as_str().as_bytes(), after].concat())
}
