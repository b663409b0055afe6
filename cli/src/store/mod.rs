//! What commands need of the tables beyond answering requests: writing, exporting, credentials, and
//! the tables themselves.

mod attributes;
mod backoff;
mod client;
mod credentials;
mod erase;
mod erase_project;
mod export;
mod facts;
mod import;
mod imported;
mod index;
mod item;
mod merge;
mod merge_users;
mod pages;
mod place;
mod record;
mod size;
mod tables;
mod target;
mod traits;
mod write;

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use shared::config::Tables;
use shared::store::{Error, ErrorKind, Store};
use tokio::sync::Semaphore;

use crate::embedded::{Engine, LocalTables};

pub(crate) use attributes::Item;
pub(crate) use credentials::StoredCredential;
pub(crate) use erase::ResponseOfUser;
pub(crate) use erase_project::RecordCounts;
pub(crate) use facts::UserFacts;
pub(crate) use imported::Imported;
pub(crate) use index::OutcomesIndex;
pub(crate) use item::{NewItem, ResponseItem};
pub(crate) use merge_users::AsOf;
pub(crate) use record::{RecordId, ResponseRecord};
pub(crate) use size::item_size;
pub(crate) use target::Target;
pub(crate) use traits::Traits;

/// How many requests of a command are in flight at a time.
const IN_FLIGHT: usize = 8;

/// How many writes of one item are in flight at a time, of responses and users together. Each takes a connection, of
/// which a `feedback serve` with the usual limit of open files has 128.
const SINGLE_WRITES_IN_FLIGHT: usize = 50;

/// The tables of one AWS account, or of one embedded store, with full access. Cloning it is cheap.
#[derive(Debug, Clone)]
pub(crate) struct AdminStore {
    client: Client,
    tables: Arc<Tables>,
    /// The engine of the tables, if they are in this process. Many items are read and written through
    /// it directly.
    engine: Option<Engine>,
    single_writes: Arc<Semaphore>,
}

impl AdminStore {
    fn new(client: Client) -> Self {
        Self {
            client,
            tables: Arc::new(Tables::from_env()),
            engine: None,
            single_writes: Arc::new(Semaphore::new(SINGLE_WRITES_IN_FLIGHT)),
        }
    }

    /// Makes the store of an engine in this process.
    pub(crate) fn in_process(engine: Engine) -> Self {
        Self {
            engine: Some(engine.clone()),
            ..Self::new(client::in_process(engine))
        }
    }

    /// Returns whether no other program can write the tables during a command, so that an item can be
    /// read, changed and replaced.
    fn is_only_writer(&self) -> bool {
        self.engine.is_some()
    }

    /// Returns the store that the operations of the API read.
    pub(crate) fn reader(&self) -> Store {
        let tables = &self.tables;
        match &self.engine {
            Some(engine) => {
                Store::local(Arc::new(LocalTables::new(engine.clone(), tables.clone())))
            }
            None => Store::new(&self.client, Tables::clone(tables), None),
        }
    }
}

/// Returns what an operator can check when this error of a store in the AWS environment ends a command.
fn hint(error: &anyhow::Error) -> Option<&'static str> {
    let error: &Error = error.chain().find_map(|cause| cause.downcast_ref())?;
    match error.kind() {
        ErrorKind::Unavailable => Some(
            "check the AWS environment (region, credentials, AWS_ENDPOINT_URL_DYNAMODB), or pass --data DIR",
        ),
        ErrorKind::Refused => {
            Some("check that the tables exist (feedback tables create) and that access is allowed")
        }
        ErrorKind::Damaged | ErrorKind::Internal => None,
    }
}
