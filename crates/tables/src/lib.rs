//! What commands do to the tables beyond answering requests: imports, exports, erasure, credentials, and
//! creating the tables. All of it goes through one port, a [`TableWriter`], of which the adapter for DynamoDB is
//! here, and that of a data folder in `crates/folder`. Nothing here prints.

mod backoff;
mod check;
mod client;
mod credentials;
mod dynamodb;
mod erase;
mod export;
mod import;
mod merge;
mod sdk_item;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use items::{ItemKey, Partition, Table, TableNames};
use model::ProjectId;
use store::{Error, ErrorKind, Store};

use dynamodb::DynamoDbTables;

pub use check::{Checked, Found};
pub use client::Place;
pub use credentials::Added;
pub use erase::{RecordCounts, ResponseOfUser};
pub use export::{Decoded, ExportPages};
pub use import::Imported;

/// Reads of whole items by their keys, and writes, wherever the tables are. Items are DynamoDB's JSON.
pub trait TableWriter: fmt::Debug + Send + Sync {
    /// Reads the items with these keys, strongly consistent; keys without an item are skipped.
    fn get(&self, table: Table, keys: Vec<ItemKey>) -> Working<'_, HashMap<ItemKey, String>>;

    /// Reads all items of a table, in no order, and calls `page` with some of them at a time.
    fn all<'a>(
        &'a self,
        table: Table,
        page: &'a mut dyn FnMut(Vec<String>) -> Result<(), Error>,
    ) -> Working<'a, ()>;

    /// Makes changes to items of a table, and returns for each whether it was made: not, if what it guards is no
    /// longer as it was read. An adapter may also refuse a change of an item that differs elsewhere.
    fn replace(&self, table: Table, changes: Vec<Change>) -> Working<'_, Vec<bool>>;

    /// Deletes the items with these keys, as far as they exist.
    fn delete(&self, table: Table, keys: Vec<ItemKey>) -> Working<'_, ()>;

    /// Creates the tables that do not exist, and waits until they are ready.
    fn create_missing(&self) -> Working<'_, ()>;

    /// Returns the partitions in which response records of a project may be. In DynamoDB, only a scan of all
    /// projects would find records in shards that nothing reads.
    fn shards(&self, project: &ProjectId) -> Working<'_, Vec<Partition>> {
        let shards = Partition::shards(project).collect();
        Box::pin(async { Ok(shards) })
    }

    /// Returns whether no other program writes the tables meanwhile, so that thousands of items can be written
    /// at once.
    fn is_alone(&self) -> bool;

    /// Returns the bytes of all items, as DynamoDB counted them in the last six hours; `None` if nobody charges
    /// for reading them.
    fn charged_bytes(&self) -> Working<'_, Option<u64>> {
        Box::pin(async { Ok(None) })
    }
}

/// What a [`TableWriter`] does.
pub type Working<'a, T> = LocalBoxFuture<'a, Result<T, Error>>;

/// A change of an item.
#[derive(Debug, Clone)]
pub struct Change {
    /// The item's key.
    pub key: ItemKey,
    /// The item as it was read; `None` if there was none.
    pub before: Option<String>,
    /// The item as it is to be.
    pub after: String,
    /// The attributes that must still be as they were read.
    pub guard: &'static [&'static str],
}

/// The tables, wherever they are, with full access. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Tables {
    reader: Store,
    writer: Arc<dyn TableWriter>,
}

impl Tables {
    /// Makes the tables from what reads and what writes them.
    pub fn new(reader: Store, writer: Arc<dyn TableWriter>) -> Self {
        Self { reader, writer }
    }

    /// Makes the tables of these names where the AWS environment points to, and returns where that is.
    ///
    /// # Errors
    ///
    /// Fails if the environment says neither an endpoint nor a region, or an endpoint is set to nothing.
    pub async fn from_environment(names: TableNames) -> anyhow::Result<(Self, Place)> {
        let (client, place) = client::from_default_chain().await?;
        let is_charged = match &place {
            Place::Endpoint(url) => url.contains(".amazonaws.com"),
            Place::Region(_) => true,
        };
        let writer = DynamoDbTables::new(client.clone(), names.clone(), is_charged);
        let reader = Store::of_dynamodb(&client, names, None);
        Ok((Self::new(reader, Arc::new(writer)), place))
    }

    /// Makes the tables of these names at the address of a `feedback serve` on this machine, which requires this
    /// access key.
    pub fn served_at(url: &str, names: TableNames, access_key: &str) -> Self {
        let client = client::at(url, access_key);
        let writer = DynamoDbTables::new(client.clone(), names.clone(), false);
        Self::new(Store::of_dynamodb(&client, names, None), Arc::new(writer))
    }

    /// Creates the tables that do not exist, and waits until they are ready.
    ///
    /// # Errors
    ///
    /// Fails if the store does, or takes longer than a minute.
    pub async fn create_missing(&self) -> Result<(), Error> {
        self.writer.create_missing().await
    }

    /// Returns whether no other program writes the tables meanwhile, so that thousands of items can be written
    /// at once.
    pub fn are_alone(&self) -> bool {
        self.writer.is_alone()
    }

    /// Returns the store that the operations of the API read.
    pub fn reader(&self) -> Store {
        self.reader.clone()
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Damaged, "read items", "not an item")
}
