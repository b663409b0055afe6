//! The store, and where its items are.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_smithy_types::body::SdkBody;
use futures_util::future::join_all;
use model::Digest;
use model::items::{Shard, Tables};
use tokio::time::timeout;

use super::connection::{self, Clients, OPERATION_TIMEOUT};
use super::dynamodb::DynamoDb;
use super::error::{Error, ErrorKind};
use super::read::{LocalRead, LocalStore, PageRead};

/// The tables of one AWS account, or of one data folder. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Store(pub(super) Location);

/// Where the items are.
#[derive(Debug, Clone)]
pub(super) enum Location {
    DynamoDb(Arc<DynamoDb>),
    Local(Arc<dyn LocalStore>),
}

impl Store {
    /// Makes a store that reads these tables through this client, and the index of outcomes of this name.
    /// Without a name, the table of responses is read instead.
    pub fn new(client: &Client, tables: Tables, index: Option<String>) -> Self {
        Self(Location::DynamoDb(Arc::new(DynamoDb {
            clients: Clients::new(client),
            tables,
            index,
        })))
    }

    /// Makes the store of a Lambda function, at this endpoint if there is one, with region and credentials from
    /// the environment.
    ///
    /// # Errors
    ///
    /// Names the variable that is missing.
    pub async fn from_lambda_env(
        tables: Tables,
        index: Option<String>,
        endpoint: Option<String>,
    ) -> Result<Self, &'static str> {
        let client = connection::from_lambda_env(endpoint).await?;
        Ok(Self::new(&client, tables, index))
    }

    /// Makes a store that reads the tables of this process.
    pub fn local(store: Arc<dyn LocalStore>) -> Self {
        Self(Location::Local(store))
    }

    /// Returns how many pages of a project's response records a request may read at the same time, after the
    /// first of each shard: one of each shard from DynamoDB, and fewer from a data folder, whose connections
    /// serve all requests.
    pub fn concurrent_pages(&self) -> usize {
        match &self.0 {
            Location::DynamoDb(_) => usize::from(Shard::COUNT),
            Location::Local(_) => 4,
        }
    }

    /// Opens this many connections ahead of the first request, with a read on each. Ignores
    /// failures, and takes at most a second.
    pub async fn warm_up(&self, connections: u8) {
        const LIMIT: Duration = Duration::from_secs(1);
        let Location::DynamoDb(store) = &self.0 else {
            return;
        };
        let reads = (0..connections).map(|_| store.credential(&Digest::ABSENT));
        let _ = timeout(LIMIT, join_all(reads)).await;
    }
}

impl Location {
    /// Reads a page; returns the body of a Query's response.
    pub(super) async fn page(self, read: PageRead) -> Result<SdkBody, Error> {
        match self {
            Self::DynamoDb(store) => store.page(read).await,
            Self::Local(store) => {
                let page = in_time(read.operation(), store.page(read)).await?;
                Ok(SdkBody::from(page))
            }
        }
    }
}

/// Ends a read of a local store that takes as long as the SDK gives a read.
pub(super) async fn in_time<T>(operation: &'static str, read: LocalRead<T>) -> Result<T, Error> {
    let late = || Error::new(ErrorKind::Unavailable, operation, "timeout");
    timeout(OPERATION_TIMEOUT, read)
        .await
        .unwrap_or_else(|_| Err(late()))
}
