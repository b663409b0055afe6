//! What every file gives: rows of named values, one after the other.

use std::borrow::Cow;

use crate::json_object::JsonObject;
use crate::reason::{Reason, quoted};
use crate::record::Facts;
use crate::rules::ImportRules;

/// The rows of a file.
pub(crate) trait Rows {
    /// Returns the next row, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the rest of the file cannot be divided into rows.
    fn next(&mut self) -> anyhow::Result<Option<Row<'_>>>;

    fn pages(&self) -> Pages {
        Pages::default()
    }

    /// Returns the names of lists of objects beside those of the records.
    fn other_lists(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The pages of files: documents `{"data":[…],"page":{…}}`, of which one says that none follows.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pages {
    pub(crate) count: u64,
    pub(crate) has_last: bool,
}

/// A record as it stands in its file.
pub(crate) struct Row<'a> {
    /// The line that it begins on.
    pub(crate) line: u64,
    /// The number of its page, in which equal records are counted from the first.
    pub(crate) list: i64,
    /// Its text in the file, on one line where possible.
    pub(crate) text: &'a [u8],
    /// Whether a line end follows it, where records are lines.
    pub(crate) is_ended: bool,
    /// What it holds, or the reason why it cannot be told.
    pub(crate) values: Result<Box<dyn Values + 'a>, Reason>,
}

/// The values of a row, which are found on demand.
pub(crate) trait Values {
    /// Returns what they say of the fields.
    ///
    /// # Errors
    ///
    /// Returns why that is no record.
    fn facts(&self, rules: &ImportRules) -> Result<Facts<'_>, Reason>;

    /// Returns the text of the column or path of this name, unless it is absent.
    fn text_at(&self, place: &str) -> Result<Option<Cow<'_, str>>, Reason>;

    /// Returns whether a record that cannot be parsed is known to have no id.
    fn lacks_id(&self) -> bool;

    /// Returns the content of these columns or members, or of all if there are none. A member within a member is named
    /// by its path (`user.userId`). Records have the same content if they differ only in the order of their columns or
    /// members, or in spaces.
    fn content(&self, names: &[String]) -> Result<Vec<u8>, Reason>;

    /// Returns the members, if they are those of JSON, or why they cannot be parsed.
    fn members(&self) -> Option<&Result<JsonObject<'_>, Reason>> {
        None
    }
}

/// Says that a record has nothing in a column or member of `--id-from`.
pub(crate) fn lacks(name: &str) -> Reason {
    format!("it has no value in {} (--id-from)", quoted(name))
}
