//! The layout of the database: dynoxide's tables, of which the service's are read and written as rows, and the version.
//!
//! The version is the database's `user_version`:
//!
//! - 0: dynoxide's tables.
//! - 1: the responses have the index of outcomes, too.

use std::collections::{BTreeSet, HashMap};

use anyhow::ensure;
use rusqlite::{Connection, OptionalExtension as _};
use serde::Deserialize;
use shared::config::Tables;
use shared::items::Table;

/// The version that is written here. All earlier ones are read.
pub(super) const VERSION: i64 = 1;

/// Returns the version of a database, 0 if it is empty.
pub(super) fn version(database: &Connection) -> rusqlite::Result<i64> {
    database.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Refuses a version that is not known here.
pub(super) fn refuse_unknown(version: i64) -> anyhow::Result<()> {
    ensure!(
        (0..=VERSION).contains(&version),
        "a newer version of feedback wrote it (layout {version}; this one knows up to {VERSION})"
    );
    Ok(())
}

/// The columns of a table of items as they are read and written here, with their types.
const COLUMNS: [(&str, &str); 5] = [
    ("pk", "TEXT"),
    ("sk", "TEXT"),
    ("item_json", "TEXT"),
    ("item_size", "INTEGER"),
    ("hash_prefix", "TEXT"),
];

/// Checks that the tables with these names, as far as they exist, have the columns that are read here. A new version of
/// dynoxide may change its layout.
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

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Row by row.
    Rows,
    /// By dynoxide, which maintains the table's indexes or stream.
    Dynoxide,
}

/// What a connection knows of the tables.
#[derive(Debug, Default)]
pub(super) struct Layouts(HashMap<Table, Layout>);

#[derive(Debug)]
struct Layout {
    described: Described,
    /// `None` if the table has other keys than the service's, or vectors.
    writing: Option<Writing>,
}

/// What dynoxide stores about a table, as JSON.
#[derive(Debug, PartialEq, Eq)]
struct Described {
    key_schema: String,
    attributes: String,
    vector_indexes: Option<String>,
    indexes: [Option<String>; 2],
    has_stream: bool,
}

impl Layouts {
    /// Returns how a table with this name is written; `None` if there is no such table with its keys.
    pub(super) fn writing(
        &mut self,
        connection: &Connection,
        table: Table,
        name: &str,
    ) -> rusqlite::Result<Option<Writing>> {
        let sql = "SELECT key_schema, attribute_definitions, vector_index_definitions, \
                   gsi_definitions, lsi_definitions, stream_enabled FROM _tables WHERE table_name = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let described = statement.query_row([name], |row| {
            Ok(Described {
                key_schema: row.get(0)?,
                attributes: row.get(1)?,
                vector_indexes: row.get(2)?,
                indexes: [row.get(3)?, row.get(4)?],
                has_stream: row.get(5)?,
            })
        });
        let Some(described) = described.optional()? else {
            return Ok(None);
        };
        // Another program may have replaced the table.
        if let Some(known) = self.0.get(&table).filter(|it| it.described == described) {
            return Ok(known.writing);
        }
        let writing = described.writing(table);
        self.0.insert(table, Layout { described, writing });
        Ok(writing)
    }
}

impl Described {
    fn writing(&self, table: Table) -> Option<Writing> {
        #[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
        #[serde(rename_all = "PascalCase")]
        struct Key {
            attribute_name: String,
            key_type: String,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Attribute {
            attribute_name: String,
            attribute_type: String,
        }
        let keys: BTreeSet<Key> = serde_json::from_str(&self.key_schema).ok()?;
        let attributes: Vec<Attribute> = serde_json::from_str(&self.attributes).ok()?;
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
        let has_keys = keys == expected.collect() && keys.iter().all(is_string);
        // A vector is counted by its dimensions.
        let holds = |json: &Option<String>| json.as_deref().is_some_and(|json| json != "[]");
        let is_plain = !self.has_stream && !self.indexes.iter().any(holds);
        let writing = if is_plain {
            Writing::Rows
        } else {
            Writing::Dynoxide
        };
        (has_keys && !holds(&self.vector_indexes)).then_some(writing)
    }
}
