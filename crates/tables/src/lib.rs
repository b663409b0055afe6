//! What commands do to the tables beyond answering requests: imports, exports, erasure, credentials, and
//! creating the tables. All of it goes through one port, a [`TableWriter`], of which the adapter for DynamoDB is
//! here, and those of a data folder and of one that another process serves in `crates/folder`. Nothing here prints.

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
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use items::{ItemKey, Partition, Table, TableNames};
use model::ProjectId;
use serde::{Deserialize, Serialize};
use store::{Error, ErrorKind, Store};

use dynamodb::DynamoDbTables;

pub use check::{CheckedItems, Found};
pub use client::DynamoDbLocation;
pub use credentials::Added;
pub use erase::{RecordCounts, ResponseOfUser};
pub use export::{Decoded, ExportPages};
pub use import::Imported;

/// Reads of whole items by their keys, and writes, wherever the tables are. Items are DynamoDB's JSON.
pub trait TableWriter: Send + Sync {
    /// Reads the items with these keys, strongly consistent; keys without an item are skipped.
    fn get(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, HashMap<ItemKey, String>>;

    /// Reads all items of a table, in no order, and calls `page` with some of them at a time.
    fn all<'a>(
        &'a self,
        table: Table,
        page: &'a mut dyn FnMut(Vec<String>) -> Result<(), Error>,
    ) -> WriterFuture<'a, ()>;

    /// Makes changes to items of a table, and returns for each whether it was made: not, if what it guards is no
    /// longer as it was read. An adapter may also refuse a change of an item that differs elsewhere.
    fn replace(&self, table: Table, changes: Vec<ItemChange>) -> WriterFuture<'_, Vec<bool>>;

    /// Deletes the items with these keys, as far as they exist.
    fn delete(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, ()>;

    /// Creates the tables that do not exist, and waits until they are ready.
    fn create_missing(&self) -> WriterFuture<'_, ()>;

    /// Returns the partitions in which response records of a project, or of any, may be. In DynamoDB, only a scan
    /// would find those of any project, and records in shards that nothing reads.
    fn shards(&self, project: Option<&ProjectId>) -> WriterFuture<'_, Vec<Partition>> {
        let shards = project.into_iter().flat_map(Partition::shards).collect();
        Box::pin(async { Ok(shards) })
    }

    /// Returns whether no other program writes the tables meanwhile.
    fn is_exclusive(&self) -> bool {
        false
    }

    /// Rewrites the files of a data folder, which still hold what was deleted or replaced.
    fn rewrite(&self) -> WriterFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// What a [`TableWriter`] does.
pub type WriterFuture<'a, T> = LocalBoxFuture<'a, Result<T, Error>>;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ItemChange {
    pub key: ItemKey,
    /// The item as it was read; `None` if there was none.
    pub before: Option<String>,
    pub after: String,
    /// The attributes that must still be as they were read. A data folder compares the whole item.
    #[serde(skip)]
    pub guard: &'static [&'static str],
}

/// The tables, wherever they are, with full access. Cloning it is cheap.
#[derive(Clone)]
pub struct Tables {
    pub reader: Store,
    pub writer: Arc<dyn TableWriter>,
}

impl Tables {
    /// Makes the tables of these names where the AWS environment points to, and returns where that is.
    ///
    /// # Errors
    ///
    /// Fails if the environment says neither an endpoint nor a region, or an endpoint that is empty or has a login.
    pub async fn from_environment(names: TableNames) -> anyhow::Result<(Self, DynamoDbLocation)> {
        let (client, place) = client::from_default_chain().await?;
        let tables = Self {
            reader: Store::of_dynamodb(&client, names.clone(), None),
            writer: Arc::new(DynamoDbTables::new(client, names)),
        };
        Ok((tables, place))
    }

    /// Returns the projects of a data folder that have response records.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub async fn projects(&self) -> Result<Vec<String>, Error> {
        let shards = self.writer.shards(None).await?;
        let projects = shards
            .iter()
            .filter_map(|shard| shard.key().split('#').next());
        let mut projects: Vec<_> = projects.map(str::to_owned).collect();
        projects.dedup();
        Ok(projects)
    }
}

fn damaged() -> Error {
    Error::new(ErrorKind::Damaged, "read items", "not an item")
}
