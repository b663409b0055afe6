//! The store of commands.

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use folder::{AccessKey, FolderStore};
use model::items::Tables;
use store::{Error, Store};

use super::backend::Backend;
use super::client::{self, Place};
use super::dynamodb::DynamoDbTables;

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
    pub async fn in_folder(folder_store: FolderStore) -> Result<Self, Error> {
        folder_store.create_missing_tables().await?;
        Ok(Self {
            reader: Store::local(Arc::new(folder_store.clone())),
            backend: Backend::Folder(folder_store),
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
            reader: Store::new(&client, tables.clone(), None),
            backend: Backend::DynamoDb(Arc::new(DynamoDbTables::new(client, tables))),
            is_charged,
        }
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
