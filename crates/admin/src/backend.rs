//! Where the tables are, and the reads and writes that an adapter of each offers.

use std::sync::Arc;

use engine::Engine;
use shared::items::{Item, Table};
use shared::store::Error;

use super::dynamodb::DynamoDbTables;

/// Where the tables are.
#[derive(Debug, Clone)]
pub(super) enum Backend {
    /// Other programs may write the tables at any time.
    DynamoDb(Arc<DynamoDbTables>),
    /// No other program writes the tables during a command, so an item can be read, changed and put.
    Folder(Engine),
}

impl Backend {
    /// Reads the items with these keys, in no order; keys without an item are skipped. Strongly consistent.
    pub(super) async fn get(&self, table: Table, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        match self {
            Self::DynamoDb(tables) => tables.get(table, keys).await,
            Self::Folder(engine) => engine.get(table, keys).await,
        }
    }

    /// Deletes the items with these keys, as far as they exist.
    pub(super) async fn delete(&self, table: Table, keys: Vec<Item>) -> Result<(), Error> {
        match self {
            Self::DynamoDb(tables) => tables.delete(table, keys).await,
            Self::Folder(engine) => engine.delete(table, keys).await,
        }
    }
}
