//! Where records go, and what a receiver learns of where they come from, in case they have to be rejected.

use std::sync::Arc;

use items::{EncodedItem, RecordId};

use crate::csv::with_cell;
use crate::json_object::pairs;
use crate::plan::{Plan, Reading};
use crate::reason::Reason;
use crate::table::Table;

/// Receives what is read. An error ends the reading.
pub trait Receiver {
    /// Receives a record.
    fn record(&mut self, origin: Origin, record: Record) -> anyhow::Result<()>;

    /// Receives a record that is rejected.
    fn rejected(&mut self, origin: &Origin, reason: &Reason) -> anyhow::Result<()>;

    /// Receives a line for the user.
    fn note(&mut self, line: &str);

    /// Learns that a file has ended.
    fn end_of_file(&mut self) -> anyhow::Result<()>;
}

/// What a record says: the response, if it is one, and its user.
#[derive(Debug, Default)]
pub struct Record {
    /// The response.
    pub response: Option<EncodedItem>,
    /// The user, if it is known and wanted.
    pub user: Option<EncodedItem>,
}

/// Where a record comes from.
pub struct Origin {
    /// The name of the file.
    pub file: Arc<str>,
    /// How the file is read.
    pub(crate) plan: Arc<Plan>,
    /// The line that the record begins on.
    pub line: u64,
    /// Its text in the file, decoded.
    pub raw: Vec<u8>,
    pub(crate) is_ended: bool,
    /// The id that was derived from the record, which it keeps when it is corrected.
    pub(crate) derived_id: Option<RecordId>,
}

impl Origin {
    /// Returns the text of the record with the derived id, and what precedes the records in a file of the same
    /// form, both in its encoding and with line ends, unless the record has none: it may be cut off. The same options
    /// read them.
    pub fn text_and_header(&self) -> [Vec<u8>; 2] {
        let encoding = self.plan.encoding;
        let id = self.derived_id.as_ref().map(RecordId::as_str);
        let (text, header) = match (&self.plan.reading, id) {
            (Reading::Json(_), Some(id)) => (with_member(&self.raw, id), Vec::new()),
            (Reading::Json(_), None) => (self.raw.clone(), Vec::new()),
            (Reading::Table(table), id) => text_and_header(table, &self.raw, id),
        };
        let end: &[u8] = if self.is_ended { b"\n" } else { b"" };
        let with_mark = [encoding.mark().as_bytes(), &header].concat();
        [[&*text, end].concat(), with_mark].map(|text| encoding.encode(text))
    }
}

/// Returns the text of a row with this id, and what precedes the records. A table without a column of ids gets one,
/// unless its column `id` is something else.
fn text_and_header(table: &Table, row: &[u8], id: Option<&str>) -> (Vec<u8>, Vec<u8>) {
    let Table { dialect, columns } = table;
    let delimiter = dialect.delimiter;
    let with_preamble = |header: &[u8]| [&*dialect.preamble, header, b"\n"].concat();
    match (id, columns.member("id")) {
        (Some(id), Some(it)) => {
            let with_id = with_cell(row, delimiter, it.column, id);
            (with_id, with_preamble(&dialect.header))
        }
        (Some(id), None) if columns.find("id").is_none() => {
            let behind = |cell: &str, rest: &[u8]| [cell.as_bytes(), &[delimiter], rest].concat();
            (
                behind(id, row),
                with_preamble(&behind("id", &dialect.header)),
            )
        }
        _ => (row.to_owned(), with_preamble(&dialect.header)),
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
