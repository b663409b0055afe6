//! A record as it stands in its file, before its fields are told apart.

use std::borrow::Cow;

use crate::csv::CsvRow;
use crate::json_object::{JsonObject, pairs};
use crate::reason::Reason;
use crate::table::Table;

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

/// What a record holds.
pub(crate) enum RawContent<'a> {
    /// A JSON object.
    Object {
        json: &'a str,
        /// Its members, or why the record is rejected. Its text may still give it an id.
        members: Result<JsonObject<'a>, Reason>,
    },
    /// A row of a table.
    Row { table: &'a Table, row: &'a CsvRow },
}

impl RawContent<'_> {
    /// Returns the text of the column or path of this name, unless it is absent.
    pub(crate) fn text_at(&self, place: &str) -> Result<Option<Cow<'_, str>>, Reason> {
        match self {
            Self::Object { members, .. } => match members {
                Ok(members) => members.text_at(place),
                Err(_) => Ok(None),
            },
            Self::Row { table, row } => table.text_at(row, place),
        }
    }

    /// Returns whether a record that cannot be parsed is known to have no id.
    pub(crate) fn lacks_id(&self) -> bool {
        match self {
            Self::Object { json, .. } => pairs(json).is_ok_and(|pairs| {
                pairs
                    .iter()
                    .all(|(name, value)| name != "id" || value.get() == "null")
            }),
            Self::Row { table, row } => {
                let id = table.columns.member("id");
                let cell = id.and_then(|id| row.cells.get(id.column));
                cell.is_none_or(|cell| row.content(*cell).trim_ascii().is_empty())
            }
        }
    }
}
