//! A record as it stands in its file, which decides whether two records are the same.

mod canonical;
pub(crate) mod cells;
pub(crate) mod columns;
pub(crate) mod origin;

use std::borrow::Cow;

use crate::members::JsonObject;
use crate::members::pairs::pairs;
use crate::raw::canonical::append_canonical;
use crate::raw::columns::Columns;
use crate::rules::reason::{Reason, quoted};

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
                let mut pairs = pairs.iter();
                pairs.all(|(name, value)| name != "id" || value.get() == "null")
            }),
            Self::Row { columns, cells } => {
                let id = columns.position("id").and_then(|at| cells.get(at));
                id.is_none_or(String::is_empty)
            }
        }
    }

    /// Returns the content of these columns or members, or of all if there are none. A member within
    /// a member is named by its path (`user.userId`). Records have the same content
    /// if they differ only in the order of their columns or members, or in spaces.
    pub(crate) fn content(&self, names: &[String]) -> Result<Vec<u8>, Reason> {
        let absent = |name: &String| format!("it has no value in {} (--id-from)", quoted(name));
        let mut content = Vec::new();
        match self {
            Self::Object(json) if names.is_empty() => append_canonical(json, 0, &mut content)?,
            Self::Object(json) => {
                let members = JsonObject::parse(json)?;
                for name in names {
                    let found = members.find(name)?;
                    let value = found.value().ok_or_else(|| absent(name))?;
                    content.extend_from_slice(name.as_bytes());
                    content.push(b'=');
                    append_canonical(value.get(), 0, &mut content)?;
                }
            }
            Self::Row { columns, cells } => {
                let cells = columns.names.iter().zip(*cells);
                let mut cells: Vec<_> = cells
                    .filter(|(name, _)| names.is_empty() || names.contains(name))
                    .collect();
                let has = |name: &&String| {
                    cells
                        .iter()
                        .any(|(column, cell)| column == name && !cell.is_empty())
                };
                if let Some(name) = names.iter().find(|name| !has(name)) {
                    return Err(absent(name));
                }
                // Stable, so that columns of the same name keep their order.
                cells.sort_by_key(|(name, _)| *name);
                serde_json::to_writer(&mut content, &cells).map_err(|error| error.to_string())?;
            }
        }
        Ok(content)
    }
}
