//! A record as it stands in its file, and where that is, in case it has to be rejected.

use std::borrow::Cow;
use std::sync::Arc;

use items::RecordId;

use crate::columns::Columns;
use crate::csv::with_cell;
use crate::json_object::pairs;
use crate::reason::Reason;

/// One record of a file, whatever the format.
pub(crate) struct RawRecord<'a> {
    /// The line that it begins on.
    pub(crate) line: u64,
    /// Its text in the file, on one line where possible.
    pub(crate) text: &'a [u8],
    /// What it holds, or the reason why it cannot be told.
    pub(crate) content: Result<RawContent<'a>, Reason>,
}

/// What a record holds, before its members are told apart.
pub(crate) enum RawContent<'a> {
    /// A JSON object.
    Object(&'a str),
    /// A row of a table.
    Row {
        columns: &'a Columns<'a>,
        cells: &'a [String],
    },
}

impl<'a> RawContent<'a> {
    /// Returns the JSON of the record.
    pub(crate) fn json(&self) -> Result<Cow<'a, str>, Reason> {
        match self {
            Self::Object(json) => Ok(Cow::Borrowed(json)),
            Self::Row { columns, cells } => columns.record(cells).map(Cow::Owned),
        }
    }

    /// Returns whether a record that cannot be parsed is known to have no id.
    pub(crate) fn lacks_id(&self) -> bool {
        match self {
            Self::Object(json) => pairs(json).is_ok_and(|pairs| {
                pairs
                    .iter()
                    .all(|(name, value)| name != "id" || value.get() == "null")
            }),
            Self::Row { columns, cells } => {
                let id = columns.position("id").and_then(|at| cells.get(at));
                id.is_none_or(String::is_empty)
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
    /// Its text in the file.
    pub raw: Vec<u8>,
    /// The id that was derived from the record, which it keeps when it is corrected.
    pub(crate) derived_id: Option<RecordId>,
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
            (Some(id), IdColumn::At(at)) => {
                [with_cell(&self.raw, *delimiter, *at, id.as_str()), header]
            }
            (Some(id), IdColumn::Absent) => [(id.as_str(), raw), ("id", header)]
                .map(|(cell, rest)| Cow::Owned([cell.as_bytes(), &[*delimiter], &rest].concat())),
        }
    }
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
