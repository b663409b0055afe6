//! Where the tables are, and the reads and writes that an adapter of each offers.

use std::sync::Arc;

use folder::FolderStore;
use model::items::Table;
use store::Error;

use super::dynamodb::DynamoDbTables;
use super::item::{decode_all, encode_all};

/// Where the tables are.
#[derive(Debug, Clone)]
pub(super) enum Backend {
    /// Other programs may write the tables at any time.
    DynamoDb(Arc<DynamoDbTables>),
    /// No other program writes the tables during a command, so an item can be read, changed and put.
    Folder(FolderStore),
}

impl Backend {
    /// Reads the items with these keys, in no order; keys without an item are skipped. Strongly consistent. Keys
    /// and items are DynamoDB's JSON.
    pub(super) async fn get(&self, table: Table, keys: Vec<String>) -> Result<Vec<String>, Error> {
        match self {
            Self::DynamoDb(tables) => encode_all(&tables.get(table, decode_all(&keys)?).await?),
            Self::Folder(folder_store) => folder_store.get(table, keys).await,
        }
    }

    /// Deletes the items with these keys, as far as they exist.
    pub(super) async fn delete(&self, table: Table, keys: Vec<String>) -> Result<(), Error> {
        match self {
            Self::DynamoDb(tables) => tables.delete(table, decode_all(&keys)?).await,
            Self::Folder(folder_store) => folder_store.delete(table, keys).await,
        }
    }
}
