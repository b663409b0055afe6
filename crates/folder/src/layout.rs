//! The layout of the database: dynoxide's tables, of which the service's are read and written with SQL, and
//! the index of outcomes of the responses. The database's `user_version` is the version of the layout.
//!
//! Figures that need nothing else of a display are read from the index. It holds the JSON of the attributes as it
//! is stored, type and all, so that they are decoded as those of an item are. `SQLite` keeps it up to date,
//! whoever writes.

use anyhow::ensure;
use items::Table;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior};
use serde_json::{Value, json};
use store::{PageRead, Projection};

/// The version of this layout. It changes with dynoxide's schema, and with items that no reader understands.
const VERSION: i64 = 3;

/// Refuses a database of another version, and one of another program. A database has no version until its tables are
/// complete.
pub(super) fn check_version(database: &Connection) -> anyhow::Result<()> {
    let version = version(database)?;
    let is_empty = !database
        .prepare("SELECT 1 FROM sqlite_schema")?
        .exists([])?;
    ensure!(
        is_empty || is_ours(database)?,
        "it is a database of another program"
    );
    ensure!(
        matches!(version, 0 | VERSION),
        "it has version {version} of the layout, and this feedback reads version {VERSION} alone: \
         export with the feedback that wrote it, and import into a new folder"
    );
    Ok(())
}

/// Reads the whole database with this check of `SQLite`'s, and fails if it finds damage.
pub(super) fn check_pages(database: &Connection, check: &str) -> anyhow::Result<()> {
    let sql = format!("PRAGMA {check}(1)");
    let verdict: String = database.query_row(&sql, [], |row| row.get(0))?;
    ensure!(verdict == "ok", "{verdict}");
    Ok(())
}

/// Returns whether a database has tables of dynoxide's.
pub(super) fn is_ours(database: &Connection) -> rusqlite::Result<bool> {
    database.table_exists(None, "_config")
}

fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Gives the table of responses its index, and the database its version, unless they are there or there is no
/// such table: its creation may have been interrupted.
pub(super) fn complete(database: &mut Connection) -> rusqlite::Result<()> {
    let is_complete = version(database)? == VERSION && has_index(database)?;
    if is_complete || !database.table_exists(None, Table::Responses.name())? {
        return Ok(());
    }
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    create_index(&transaction)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

pub(super) fn creation(table: Table) -> Value {
    let (hash, range) = table.key_names();
    let range = range.map(|name| (name, "RANGE"));
    let keys = [Some((hash, "HASH")), range].into_iter().flatten();
    let key = |(name, kind)| json!({"AttributeName": name, "KeyType": kind});
    let attribute = |(name, _)| json!({"AttributeName": name, "AttributeType": "S"});
    json!({
        "TableName": table.name(),
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": keys.clone().map(key).collect::<Vec<_>>(),
        "AttributeDefinitions": keys.map(attribute).collect::<Vec<_>>(),
    })
}

/// The columns of the index of outcomes after the keys: two attributes, which are `NULL` where an item has no such
/// attribute, and the whole item if it has a NUL. `SQLite` compares names up to a NUL, so it may have
/// found another attribute.
const OUTCOME_COLUMNS: &str = "item_json -> '$.rating', item_json -> '$.dismissed', \
                       CASE WHEN instr(item_json, '\\u0000') THEN item_json END";

/// The names of the attributes in the first of these columns.
const OUTCOMES: [&str; 2] = ["rating", "dismissed"];

/// The name of the index, which no table has.
const INDEX: &str = "responses::outcomes";

fn index_definition() -> String {
    format!("CREATE INDEX \"{INDEX}\" ON \"responses\" (pk, sk, {OUTCOME_COLUMNS})")
}

/// Creates the index, in the place of one that differs. Fails if the JSON of an item is malformed.
fn create_index(connection: &Connection) -> rusqlite::Result<()> {
    let definition = index_definition();
    connection.execute_batch(&format!("DROP INDEX IF EXISTS \"{INDEX}\"; {definition}"))
}

fn has_index(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([INDEX], |row| row.get::<_, String>(0));
    Ok(found
        .optional()?
        .is_some_and(|sql| sql == index_definition()))
}

/// Returns what to select to read the index and nothing else, range keys first.
pub(super) fn select_from_index() -> String {
    format!("SELECT sk, {OUTCOME_COLUMNS} FROM responses INDEXED BY \"{INDEX}\"")
}

/// Writes the item of a row of the index, as far as it is needed.
pub(super) fn write_indexed_item(
    item: &mut Vec<u8>,
    key: &str,
    row: &Row<'_>,
    read: &PageRead,
) -> rusqlite::Result<()> {
    item.clear();
    if let Some(whole) = row.get_ref(1 + OUTCOMES.len())?.as_bytes_or_null()? {
        item.extend_from_slice(whole);
        return Ok(());
    }
    let [_, range] = read.partition.key_names();
    if matches!(&read.projection, Projection::Outcome { others, .. } if others.iter().any(|name| name == range))
    {
        begin_member(item, range);
        item.extend_from_slice(b"{\"S\":");
        // Serializing a string cannot fail.
        serde_json::to_writer(&mut *item, key).unwrap_or_default();
        item.push(b'}');
    }
    for (column, name) in (1..).zip(OUTCOMES) {
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
mod tests {
    use std::collections::BTreeSet;

    use items::Partition;
    use rusqlite::params_from_iter;
    use store::KeyRange;

    use super::*;
    use crate::page_query::query;

    /// Returns how `SQLite` reads a page of outcomes from the index, or from the table.
    fn plan(database: &Connection, of_outcomes: bool) -> String {
        let read = PageRead {
            range: KeyRange::Between(["2020".to_owned(), "2021".to_owned()]),
            projection: Projection::Outcome {
                others: Vec::new(),
                traits: BTreeSet::new(),
            },
            ..PageRead::of(Partition::Responses("acme#0".to_owned()))
        };
        assert!(read.projection.are_indexed());
        let (sql, values) = query(&read, of_outcomes);
        let steps = database
            .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
            .unwrap()
            .query_map(params_from_iter(values), |row| row.get::<_, String>(3))
            .unwrap()
            .collect::<Result<Vec<_>, _>>();
        steps.unwrap().join("; ")
    }

    #[test]
    fn outcomes_are_read_from_the_index_alone_and_items_as_before() {
        let database = Connection::open_in_memory().unwrap();
        let (sql, _) = dynoxide::storage_backend::sql_builders::create_data_table("responses");
        database.execute_batch(&sql).unwrap();
        assert!(!has_index(&database).unwrap());
        create_index(&database).unwrap();
        assert!(has_index(&database).unwrap());
        let outcomes = plan(&database, true);
        assert_eq!(
            outcomes,
            "SEARCH responses USING COVERING INDEX responses::outcomes (pk=? AND sk>? AND sk<?)"
        );
        let items = plan(&database, false);
        assert!(items.contains("sqlite_autoindex_responses_1"), "{items}");
    }
}
