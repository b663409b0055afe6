//! The layout of the database: dynoxide's tables, of which the service's are read and written as rows, and
//! the index of outcomes of the responses. The database's `user_version` is the version of the layout.

use anyhow::ensure;
use dynoxide::types::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use model::items::Table;
use rusqlite::{Connection, TransactionBehavior};

use super::outcomes;

/// The version of this layout.
const VERSION: i64 = 2;

/// Refuses a database of another version, and of another program. It has no version until its tables are
/// complete.
pub(super) fn check_version(database: &Connection) -> anyhow::Result<()> {
    let version = version(database)?;
    let sql = "SELECT count(*) = 0 OR sum(name = '_config') > 0 FROM sqlite_schema";
    let is_ours: bool = database.query_row(sql, [], |row| row.get(0))?;
    ensure!(is_ours, "it is a database of another program");
    ensure!(
        matches!(version, 0 | VERSION),
        "it has version {version} of the layout, and this feedback reads version {VERSION} alone: \
         export with the feedback that wrote it, and import into a new folder"
    );
    Ok(())
}

/// Reads the whole database with this check of `SQLite`'s, and fails if it finds damage.
pub(super) fn check_pages(database: &Connection, check: &str) -> anyhow::Result<()> {
    let verdict = format!("PRAGMA {check}(1)");
    let verdict: String = database.query_row(&verdict, [], |row| row.get(0))?;
    ensure!(verdict == "ok", "{verdict}");
    Ok(())
}

fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Gives the table of responses its index, and the database its version, unless they are there or there is no
/// such table: its creation may have been interrupted.
pub(super) fn complete(database: &mut Connection, responses: &str) -> rusqlite::Result<()> {
    let is_complete = version(database)? == VERSION && outcomes::exists(database, responses)?;
    if is_complete || !database.table_exists(None, responses)? {
        return Ok(());
    }
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    outcomes::create(&transaction, responses)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// The keys of a table and the types of their attributes, as dynoxide describes them.
pub(super) type Keys = (Vec<KeySchemaElement>, Vec<AttributeDefinition>);

/// Returns the keys of a table of the service.
pub(super) fn keys_of(table: Table) -> Keys {
    let (hash, range) = table.key_names();
    let names = [
        Some((hash, KeyType::HASH)),
        range.map(|range| (range, KeyType::RANGE)),
    ];
    let key = |(name, key_type): (&str, _)| {
        let attribute_name = name.to_owned();
        let attribute = AttributeDefinition {
            attribute_name: attribute_name.clone(),
            attribute_type: ScalarAttributeType::S,
        };
        let key = KeySchemaElement {
            attribute_name,
            key_type,
        };
        (key, attribute)
    };
    names.into_iter().flatten().map(key).unzip()
}

/// Returns whether these are the keys of a table of the service.
pub(super) fn has_keys_of(table: Table, (keys, attributes): &Keys) -> bool {
    let (expected, of_type) = keys_of(table);
    *keys == expected && of_type.iter().all(|it| attributes.contains(it))
}
