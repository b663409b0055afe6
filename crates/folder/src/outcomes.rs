//! The index of outcomes, from which figures are read that need nothing else of a display.
//!
//! It holds the JSON of the attributes as it is stored, type and all, so that they are decoded as those
//! of an item are. `SQLite` keeps it up to date, whoever writes.

use rusqlite::{Connection, OptionalExtension as _, Row};
use store::{Attributes, PageRead};

/// The columns of the index after the keys: two attributes, which are `NULL` where an item has no such
/// attribute, and the whole item if it has a NUL. `SQLite` compares names up to a NUL, so it may have
/// found another attribute.
const COLUMNS: &str = "item_json -> '$.rating', item_json -> '$.dismissed', \
                       CASE WHEN instr(item_json, '\\u0000') THEN item_json END";

/// The names of the attributes in the first of these columns.
const NAMES: [&str; 2] = ["rating", "dismissed"];

/// No table has such a name.
fn index_of(table: &str) -> String {
    format!("{table}::outcomes")
}

fn definition(table: &str) -> String {
    let index = index_of(table);
    format!("CREATE INDEX \"{index}\" ON \"{table}\" (pk, sk, {COLUMNS})")
}

/// Creates the index of a table, in the place of one that differs. Fails if the JSON of an item is malformed.
pub(super) fn create(connection: &Connection, table: &str) -> rusqlite::Result<()> {
    let (index, definition) = (index_of(table), definition(table));
    connection.execute_batch(&format!("DROP INDEX IF EXISTS \"{index}\"; {definition}"))
}

/// Returns whether a table has the index.
pub(super) fn exists(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([index_of(table)], |row| row.get::<_, String>(0));
    Ok(found
        .optional()?
        .is_some_and(|sql| sql == definition(table)))
}

/// Returns what to select to read the index of a table and nothing else, range keys first.
pub(super) fn selection(table: &str) -> String {
    let index = index_of(table);
    format!("SELECT sk, {COLUMNS} FROM \"{table}\" INDEXED BY \"{index}\"")
}

/// Writes the item of a row, as far as it is needed.
pub(super) fn write_item(
    item: &mut Vec<u8>,
    key: &str,
    row: &Row<'_>,
    read: &PageRead,
) -> rusqlite::Result<()> {
    item.clear();
    if let Some(whole) = row.get_ref(1 + NAMES.len())?.as_bytes_or_null()? {
        item.extend_from_slice(whole);
        return Ok(());
    }
    let [_, range] = read.partition.table.key_names();
    if matches!(&read.attributes, Attributes::Outcome { others, .. } if others.contains(&range)) {
        begin_member(item, range);
        item.extend_from_slice(b"{\"S\":");
        // Serializing a string cannot fail.
        serde_json::to_writer(&mut *item, key).unwrap_or_default();
        item.push(b'}');
    }
    for (column, name) in (1..).zip(NAMES) {
        if let Some(value) = row.get_ref(column)?.as_bytes_or_null()? {
            begin_member(item, name);
            item.extend_from_slice(value);
        }
    }
    if item.is_empty() {
        item.push(b'{');
    }
    item.push(b'}');
    Ok(())
}

fn begin_member(item: &mut Vec<u8>, name: &str) {
    item.push(if item.is_empty() { b'{' } else { b',' });
    item.push(b'"');
    item.extend_from_slice(name.as_bytes());
    item.extend_from_slice(b"\":");
}

#[cfg(test)]
mod tests;
