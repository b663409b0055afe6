//! The store of commands: where the tables are, and what both places offer alike.

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use folder::{AccessKey, FolderStore};
use model::items::{Table, Tables};
use store::{Error, Store};

use super::client::{self, Place};
use super::dynamodb::DynamoDbTables;
use super::item::{decode_all, encode_all};

/// The tables of one AWS account, or of one data folder, with full access. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct AdminStore {
    pub(super) backend: Backend,
    pub(super) reader: Store,
    /// Whether somebody charges for reads.
    pub(super) is_charged: bool,
}

impl AdminStore {
    /// Makes the store of a data folder, which no other process may be using, and creates the tables that do
    /// not exist.
    ///
    /// # Errors
    ///
    /// Fails if the tables cannot be created.
    pub async fn in_folder(folder: FolderStore) -> Result<Self, Error> {
        folder.create_missing_tables().await?;
        Ok(Self {
            reader: Store::new(Arc::new(folder.clone())),
            backend: Backend::Folder(folder),
            is_charged: false,
        })
    }

    /// Makes the store of these tables where the AWS environment points to, and returns where that is.
    ///
    /// # Errors
    ///
    /// Fails if the environment says neither an endpoint nor a region, or an endpoint is set to nothing.
    pub async fn from_environment(tables: Tables) -> anyhow::Result<(Self, Place)> {
        let (client, place) = client::from_default_chain().await?;
        let is_charged = match &place {
            Place::Endpoint(url) => url.contains(".amazonaws.com"),
            Place::Region(_) => true,
        };
        Ok((Self::of(client, tables, is_charged), place))
    }

    /// Makes the store of the tables with these names at the address of a `feedback serve` on this machine,
    /// which requires this key.
    pub fn served_at(url: &str, tables: Tables, key: &AccessKey) -> Self {
        Self::of(client::at(url, key), tables, false)
    }

    fn of(client: Client, tables: Tables, is_charged: bool) -> Self {
        Self {
            reader: Store::of_dynamodb(&client, tables.clone(), None),
            backend: Backend::DynamoDb(Arc::new(DynamoDbTables::new(client, tables))),
            is_charged,
        }
    }

    /// Creates the tables that do not exist, and waits until they are ready. A data folder has them.
    ///
    /// # Errors
    ///
    /// Fails if the store does, or takes longer than a minute.
    pub async fn create_missing_tables(&self) -> Result<(), Error> {
        if let Backend::DynamoDb(tables) = &self.backend {
            for table in Table::ALL {
                tables.create_missing(table).await?;
            }
        }
        Ok(())
    }

    /// Returns whether this process alone uses a data folder, so that nothing else writes it meanwhile, and
    /// thousands of items can be written at once.
    pub fn is_folder(&self) -> bool {
        matches!(self.backend, Backend::Folder(_))
    }

    /// Returns the store that the operations of the API read.
    pub fn reader(&self) -> Store {
        self.reader.clone()
    }
}

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
            Self::Folder(folder) => folder.get(table, keys).await,
        }
    }

    /// Deletes the items with these keys, as far as they exist.
    pub(super) async fn delete(&self, table: Table, keys: Vec<String>) -> Result<(), Error> {
        match self {
            Self::DynamoDb(tables) => tables.delete(table, decode_all(&keys)?).await,
            Self::Folder(folder) => folder.delete(table, keys).await,
        }
    }
}
