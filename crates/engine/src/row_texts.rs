//! The columns of rows: the texts of keys, and the JSON of items.

use encoding::ItemMembers;
use model::items::Table;
use rusqlite::Row;
use rusqlite::types::{FromSqlError, Type};

use super::row_error::RowError;

/// What a stored key of type string begins with.
pub(super) const STRING: &str = "S:";

pub(super) fn key_text(value: &str) -> String {
    format!("{STRING}{value}")
}

/// Returns a text without checking that it is UTF-8, which the decoder of the page does.
pub(super) fn bytes<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    row.get_ref(column)?.as_bytes().map_err(wrong_type)
}

pub(super) fn wrong_type(error: FromSqlError) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error))
}

/// Returns the stored texts of the keys of an item.
pub(super) fn key_texts(table: Table, item: &str) -> Result<[String; 2], RowError> {
    let item = ItemMembers::of_item(item).ok_or_else(RowError::no_item)?;
    let text = |name| {
        let text = item.string(name).map(|text| key_text(&text));
        text.ok_or_else(RowError::no_item)
    };
    let (hash, range) = table.key_names();
    let range = range.map_or_else(|| Ok(String::new()), text)?;
    Ok([text(hash)?, range])
}
