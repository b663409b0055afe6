//! A record as it stands in its file, and where that is, in case it has to be rejected.

use std::sync::Arc;

use items::RecordId;

use crate::columns::Columns;
use crate::csv::{CsvRow, with_cell};
use crate::encoding::FileEncoding;
use crate::json_object::pairs;
use crate::reason::Reason;

/// One record of a file, whatever the format.
pub(crate) struct RawRecord<'a> {
    /// The line that it begins on.
    pub(crate) line: u64,
    /// Its text in the file, on one line where possible.
    pub(crate) text: &'a [u8],
    /// Whether a line end follows it, where records are lines.
    pub(crate) is_ended: bool,
    /// What it holds, or the reason why it cannot be told.
    pub(crate) content: Result<RawContent<'a>, Reason>,
}

/// What a record holds, before its members are told apart.
pub(crate) enum RawContent<'a> {
    /// A JSON object.
    Object(&'a str),
    /// A row of a table.
    Row {
        columns: &'a Columns,
        row: &'a CsvRow,
    },
}

impl RawContent<'_> {
    /// Returns whether a record that cannot be parsed is known to have no id.
    pub(crate) fn lacks_id(&self) -> bool {
        match self {
            Self::Object(json) => pairs(json).is_ok_and(|pairs| {
                pairs
                    .iter()
                    .all(|(name, value)| name != "id" || value.get() == "null")
            }),
            Self::Row { columns, row } => {
                let id = columns.member("id").and_then(|id| row.cells.get(id.column));
                id.is_none_or(|cell| row.content(*cell).trim_ascii().is_empty())
            }
        }
    }
}

/// Where a record comes from.
pub struct Origin {
    /// The name of the file.
    pub file: Arc<str>,
    pub(crate) form: Arc<Form>,
    /// The line that the record begins on.
    pub line: u64,
    /// Its text in the file, decoded.
    pub raw: Vec<u8>,
    pub(crate) is_ended: bool,
    /// The id that was derived from the record, which it keeps when it is corrected.
    pub(crate) derived_id: Option<RecordId>,
}

/// The form of a file.
#[derive(Default)]
pub(crate) struct Form {
    encoding: FileEncoding,
    table: Option<TableForm>,
}

/// The form of a table.
pub(crate) struct TableForm {
    /// What precedes the header.
    pub(crate) preamble: Vec<u8>,
    pub(crate) header: Vec<u8>,
    pub(crate) delimiter: u8,
    pub(crate) ids: IdColumn,
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
    pub(crate) fn of(columns: &Columns) -> Self {
        match columns.member("id") {
            Some(id) => Self::At(id.column),
            None if columns.find("id").is_some() => Self::Impossible,
            None => Self::Absent,
        }
    }
}

impl Form {
    pub(crate) fn new(encoding: FileEncoding, table: Option<TableForm>) -> Self {
        Self { encoding, table }
    }

    pub(crate) fn is_table(&self) -> bool {
        self.table.is_some()
    }

    /// Returns whether a row repeats the header.
    pub(crate) fn is_header(&self, row: &[u8]) -> bool {
        self.table.as_ref().is_some_and(|table| table.header == row)
    }
}

impl Origin {
    /// Returns the text of the record with the derived id, and what precedes the records in a file of the same
    /// form, both in its encoding and with line ends, unless the record has none: it may be cut off. The same options
    /// read them.
    pub fn text_and_header(&self) -> [Vec<u8>; 2] {
        let mark = self.form.encoding.mark();
        let id = self.derived_id.as_ref().map(RecordId::as_str);
        let (text, mut header) = match (&self.form.table, id) {
            (None, Some(id)) => (with_member(&self.raw, id), Vec::new()),
            (None, None) => (self.raw.clone(), Vec::new()),
            (Some(table), id) => table.text_and_header(&self.raw, id),
        };
        if !mark.is_empty() {
            header.splice(..0, mark.bytes());
        }
        let end: &[u8] = if self.is_ended { b"\n" } else { b"" };
        let text = [&*text, end].concat();
        [text, header].map(|text| self.form.encoding.encode(text))
    }
}

impl TableForm {
    fn text_and_header(&self, row: &[u8], id: Option<&str>) -> (Vec<u8>, Vec<u8>) {
        let whole = |header: &[u8]| [&*self.preamble, header, b"\n"].concat();
        match (id, &self.ids) {
            (None, _) | (_, IdColumn::Impossible) => (row.to_owned(), whole(&self.header)),
            (Some(id), IdColumn::At(at)) => {
                (with_cell(row, self.delimiter, *at, id), whole(&self.header))
            }
            (Some(id), IdColumn::Absent) => {
                let with =
                    |cell: &str, rest: &[u8]| [cell.as_bytes(), &[self.delimiter], rest].concat();
                (with(id, row), whole(&with("id", &self.header)))
            }
        }
    }
}

/// Adds the id to a JSON object, which has none or `null`. Names may repeat.
fn with_member(raw: &[u8], id: &str) -> Vec<u8> {
    let Ok(Ok(members)) = str::from_utf8(raw).map(pairs) else {
        return raw.to_owned();
    };
    let id = format!("\"{id}\"");
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
    [before, text.as_bytes(), after].concat()
}
