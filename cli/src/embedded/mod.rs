//! The embedded store: DynamoDB's operations on a database file, in this process and at an address.

mod attributes;
mod backup;
mod bulk;
mod endpoint;
mod engine;
mod folder;
mod items;
mod local;
mod operations;
mod page;
mod rows;
mod schema;
mod transport;
mod worker;

use anyhow::Context;

use crate::store::AdminStore;

pub(crate) use backup::{Copied, back_up};
pub(crate) use endpoint::router;
pub(crate) use engine::Engine;
pub(crate) use folder::DataFolder;
pub(crate) use local::LocalTables;
pub(crate) use rows::max_readers;
pub(crate) use transport::InProcess;

impl Engine {
    /// Makes the store of this engine, and creates the tables that do not exist.
    pub(crate) async fn connect(&self) -> anyhow::Result<AdminStore> {
        let store = AdminStore::in_process(self.clone());
        let created = store.create_missing_tables().await;
        created.context("cannot create the tables")?;
        Ok(store)
    }
}
