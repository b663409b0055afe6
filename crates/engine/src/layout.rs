//! The layout of the database: dynoxide's tables, of which the service's are read and written as rows, and
//! the index of outcomes of the responses. The database's `user_version` is the version of the layout.

use std::collections::{BTreeSet, HashMap};

use anyhow::ensure;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior};
use serde::Deserialize;
use shared::config::Tables;
use shared::items::Table;

use super::outcomes;
use super::row_error::RowError;

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

/// Checks that the tables with these names, as far as they exist, have the columns that are read here. A new
/// version of dynoxide may change its layout.
pub(super) fn check_columns(database: &Connection, tables: &Tables) -> anyhow::Result<()> {
    for table in Table::ALL {
        let name = tables.name(table);
        let mut statement = database.prepare("SELECT name, type FROM pragma_table_info(?1)")?;
        let columns = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let columns: HashMap<String, String> = columns.collect::<Result<_, _>>()?;
        let is_there =
            |(name, kind): &(&str, &str)| columns.get(*name).is_some_and(|it| it == kind);
        ensure!(
            columns.is_empty() || COLUMNS.iter().all(is_there),
            "the table {name} has a layout that this version of feedback does not know"
        );
    }
    Ok(())
}

/// What is to be done with a table.
#[derive(Debug, Clone, Copy)]
pub(super) enum TableAccess {
    Read,
    Write,
}

/// What a connection knows of the tables.
#[derive(Debug, Default)]
pub(super) struct Layouts(HashMap<Table, (Described, TableKind)>);

/// How a table differs from the service's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TableKind {
    /// Not at all.
    Plain,
    /// It has an index or a stream, which dynoxide alone maintains.
    Maintained,
    /// It has other keys.
    Other,
}

/// What dynoxide stores about a table, as JSON.
#[derive(Debug, PartialEq, Eq)]
struct Described {
    key_schema: String,
    attributes: String,
    indexes: [Option<String>; 3],
    has_stream: bool,
}

impl Layouts {
    /// Refuses a table that does not exist, or has other keys, and to write one with an index or a stream.
    pub(super) fn check(
        &mut self,
        connection: &Connection,
        table: Table,
        name: &str,
        access: TableAccess,
    ) -> Result<(), RowError> {
        match (self.kind(connection, table, name)?, access) {
            (Some(TableKind::Plain), _) | (Some(TableKind::Maintained), TableAccess::Read) => {
                Ok(())
            }
            (Some(TableKind::Maintained), TableAccess::Write) => Err(RowError::Maintained),
            (Some(TableKind::Other) | None, _) => Err(RowError::NoTable),
        }
    }

    fn kind(
        &mut self,
        connection: &Connection,
        table: Table,
        name: &str,
    ) -> rusqlite::Result<Option<TableKind>> {
        let sql = "SELECT key_schema, attribute_definitions, vector_index_definitions, \
                   gsi_definitions, lsi_definitions, stream_enabled FROM _tables WHERE table_name = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let described = statement.query_row([name], |row| {
            Ok(Described {
                key_schema: row.get(0)?,
                attributes: row.get(1)?,
                indexes: [row.get(2)?, row.get(3)?, row.get(4)?],
                has_stream: row.get(5)?,
            })
        });
        let Some(described) = described.optional()? else {
            return Ok(None);
        };
        // Another program may have replaced the table.
        if let Some((_, kind)) = self.0.get(&table).filter(|(known, _)| *known == described) {
            return Ok(Some(*kind));
        }
        let kind = described.kind(table);
        self.0.insert(table, (described, kind));
        Ok(Some(kind))
    }
}

impl Described {
    fn kind(&self, table: Table) -> TableKind {
        let has_index = |json: &Option<String>| json.as_deref().is_some_and(|json| json != "[]");
        if !self.has_keys_of(table).unwrap_or(false) {
            TableKind::Other
        } else if self.has_stream || self.indexes.iter().any(has_index) {
            TableKind::Maintained
        } else {
            TableKind::Plain
        }
    }

    /// Returns `None` if a description has another form.
    fn has_keys_of(&self, table: Table) -> Option<bool> {
        #[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
        #[serde(rename_all = "PascalCase")]
        struct Key {
            attribute_name: String,
            key_type: String,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Definition {
            attribute_name: String,
            attribute_type: String,
        }
        let keys: BTreeSet<Key> = serde_json::from_str(&self.key_schema).ok()?;
        let attributes: Vec<Definition> = serde_json::from_str(&self.attributes).ok()?;
        let (hash, range) = table.key_names();
        let expected = [("HASH", Some(hash)), ("RANGE", range)];
        let expected = expected.into_iter().filter_map(|(key_type, name)| {
            Some(Key {
                attribute_name: name?.to_owned(),
                key_type: key_type.to_owned(),
            })
        });
        let is_string = |key: &Key| {
            let mut attributes = attributes.iter();
            attributes.any(|it| it.attribute_name == key.attribute_name && it.attribute_type == "S")
        };
        Some(keys == expected.collect() && keys.iter().all(is_string))
    }
}
