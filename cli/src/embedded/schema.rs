//! The layout of dynoxide's tables.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _};
use serde::Deserialize;

/// The columns of a table of items as they are read and written here, with their types.
const COLUMNS: [(&str, &str); 5] = [
    ("pk", "TEXT"),
    ("sk", "TEXT"),
    ("item_json", "TEXT"),
    ("item_size", "INTEGER"),
    ("hash_prefix", "TEXT"),
];

/// The names of the key attributes of a table, which are strings.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) hash: String,
    pub(super) range: Option<String>,
    /// Whether nothing is derived from the items: no index and no stream.
    pub(super) is_plain: bool,
}

/// The tables that a connection has read, by name.
#[derive(Debug, Default)]
pub(super) struct Schemas(HashMap<String, Schema>);

#[derive(Debug)]
struct Schema {
    stored: Stored,
    /// `None` if the table cannot be read as rows.
    keys: Option<Keys>,
}

/// What dynoxide stores about a table, as JSON.
#[derive(Debug, PartialEq, Eq)]
struct Stored {
    key_schema: String,
    attributes: String,
    vector_indexes: Option<String>,
    indexes: [Option<String>; 2],
    has_stream: bool,
}

impl Schemas {
    /// Returns the keys of a table; `None` if there is no such table, or if it cannot be read as rows.
    pub(super) fn keys(
        &mut self,
        connection: &Connection,
        table: &str,
    ) -> rusqlite::Result<Option<&Keys>> {
        let sql = "SELECT key_schema, attribute_definitions, vector_index_definitions, \
                   gsi_definitions, lsi_definitions, stream_enabled FROM _tables WHERE table_name = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let stored = statement.query_row([table], |row| {
            Ok(Stored {
                key_schema: row.get(0)?,
                attributes: row.get(1)?,
                vector_indexes: row.get(2)?,
                indexes: [row.get(3)?, row.get(4)?],
                has_stream: row.get(5)?,
            })
        });
        let Some(stored) = stored.optional()? else {
            return Ok(None);
        };
        // Another program may have replaced the table.
        let is_known = self
            .0
            .get(table)
            .is_some_and(|known| known.stored == stored);
        if !is_known {
            let is_readable = has_columns(connection, table)?;
            if !is_readable {
                tracing::warn!(
                    table,
                    "the layout of the table is unknown, so it cannot be read here"
                );
            }
            let keys = stored.keys().filter(|_| is_readable);
            self.0.insert(table.to_owned(), Schema { stored, keys });
        }
        Ok(self.0.get(table).and_then(|known| known.keys.as_ref()))
    }
}

impl Stored {
    fn keys(&self) -> Option<Keys> {
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Element {
            attribute_name: String,
            key_type: String,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Attribute {
            attribute_name: String,
            attribute_type: String,
        }
        // A vector is counted by its dimensions.
        let holds = |json: &Option<String>| json.as_deref().is_some_and(|json| json != "[]");
        let has_vectors = holds(&self.vector_indexes);
        let elements: Vec<Element> = serde_json::from_str(&self.key_schema).ok()?;
        let attributes: Vec<Attribute> = serde_json::from_str(&self.attributes).ok()?;
        let name = |key_type: &str| {
            let element = elements.iter().find(|element| element.key_type == key_type);
            element.map(|element| element.attribute_name.clone())
        };
        let keys = Keys {
            hash: name("HASH")?,
            range: name("RANGE"),
            is_plain: !self.has_stream && !self.indexes.iter().any(holds),
        };
        let are_strings = [Some(&keys.hash), keys.range.as_ref()]
            .into_iter()
            .flatten()
            .all(|key| {
                let definition = attributes.iter().find(|it| it.attribute_name == *key);
                definition.is_some_and(|definition| definition.attribute_type == "S")
            });
        (are_strings && !has_vectors).then_some(keys)
    }
}

/// Returns whether the table has the columns that are read here. dynoxide may change its layout.
fn has_columns(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT name, type FROM pragma_table_info(?1)")?;
    let columns = statement.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let columns: HashMap<String, String> = columns.collect::<Result<_, _>>()?;
    let is_there = |(name, kind): &(&str, &str)| columns.get(*name).is_some_and(|it| it == kind);
    Ok(COLUMNS.iter().all(is_there))
}
