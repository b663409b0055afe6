//! The columns of rows: the texts of keys, and the JSON of items.

use encoding::decode;
use rusqlite::Row;
use rusqlite::types::{FromSqlError, Type};
use shared::items::{Item, Table, string};
use shared::store::{Error, ErrorKind};

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
pub(super) fn key_texts(table: Table, item: &Item) -> Result<[String; 2], RowError> {
    let text = |name| string(item, name).map(key_text).ok_or(RowError::NoItem);
    let (hash, range) = table.key_names();
    let range = range.map_or_else(|| Ok(String::new()), text)?;
    Ok([text(hash)?, range])
}

/// Decodes a stored item.
pub(super) fn item(operation: &'static str, json: &[u8]) -> Result<Item, Error> {
    decode(json).ok_or_else(|| Error::new(ErrorKind::Damaged, operation, "not an item"))
}
