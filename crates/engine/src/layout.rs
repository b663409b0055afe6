//! The layout of the database: dynoxide's tables, of which the service's are read and written as rows, and
//! the index of outcomes of the responses. The database's `user_version` is the version of the layout.

use std::collections::HashMap;

use anyhow::ensure;
use dynoxide::types::{AttributeDefinition, KeySchemaElement, KeyType, ScalarAttributeType};
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior};
use shared::config::Tables;
use shared::items::Table;

use super::outcomes;

/// The version of this layout.
const VERSION: i64 = 1;

/// Refuses a database of another version. An empty one has none until its tables are complete.
pub(super) fn check_version(database: &Connection) -> anyhow::Result<()> {
    let version = version(database)?;
    ensure!(
        version == VERSION || version == 0 && is_empty(database)?,
        "it has version {version} of the layout, and this feedback reads version {VERSION} alone: \
         export with the feedback that wrote it, and import into a new folder"
    );
    Ok(())
}

fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Returns whether every table is empty, whatever its name.
fn is_empty(database: &Connection) -> rusqlite::Result<bool> {
    if !database.table_exists(None, "_tables")? {
        return Ok(true);
    }
    let mut statement = database.prepare("SELECT table_name FROM _tables")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    for name in names {
        let name = name?;
        let any = format!("SELECT EXISTS (SELECT 1 FROM \"{name}\")");
        if database.table_exists(None, name.as_str())?
            && database.query_row(&any, [], |row| row.get(0))?
        {
            return Ok(false);
        }
    }
    Ok(true)
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

/// The columns of a table of items as they are read and written here, with their types.
const COLUMNS: [(&str, &str); 5] = [
    ("pk", "TEXT"),
    ("sk", "TEXT"),
    ("item_json", "TEXT"),
    ("item_size", "INTEGER"),
    ("hash_prefix", "TEXT"),
];

/// Refuses tables with these names that are not the service's, as far as they exist: another program may
/// have created them, and a new version of dynoxide may change its layout. What is written as rows would be
/// missing from an index or a stream, which dynoxide alone maintains.
pub(super) fn check_tables(database: &Connection, tables: &Tables) -> anyhow::Result<()> {
    for table in Table::ALL {
        let name = tables.name(table);
        let mut statement = database.prepare("SELECT name, type FROM pragma_table_info(?1)")?;
        let columns = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let columns: HashMap<String, String> = columns.collect::<Result<_, _>>()?;
        let is_there =
            |(name, kind): &(&str, &str)| columns.get(*name).is_some_and(|it| it == kind);
        ensure!(
            columns.is_empty() || COLUMNS.iter().all(is_there) && is_ours(database, table, name)?,
            "the table {name} has a layout that this version of feedback does not know, other keys, \
             an index or a stream"
        );
    }
    Ok(())
}

/// Returns whether a table has the keys of the service's, and neither an index nor a stream.
fn is_ours(database: &Connection, table: Table, name: &str) -> anyhow::Result<bool> {
    let sql = "SELECT key_schema, attribute_definitions FROM _tables \
               WHERE table_name = ?1 AND NOT stream_enabled \
               AND coalesce(gsi_definitions, '[]') = '[]' AND coalesce(lsi_definitions, '[]') = '[]' \
               AND coalesce(vector_index_definitions, '[]') = '[]'";
    let texts = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let described: Option<(String, String)> = database.query_row(sql, [name], texts).optional()?;
    let Some((keys, attributes)) = described else {
        return Ok(false);
    };
    let described = (
        serde_json::from_str(&keys)?,
        serde_json::from_str(&attributes)?,
    );
    Ok(has_keys_of(table, &described))
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
