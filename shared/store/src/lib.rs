//! Reads the service's three DynamoDB tables (docs/item-format.md). Nothing here writes,
//! and a [`Store`] does not expose its client.
//!
//! - Records are read with eventually consistent Queries, whole items with consistent ones, and credentials
//!   with a consistent `GetItem`. All names are placeholders, since `at`, `name` and `project` are reserved
//!   words. Statistics project what they need; a trait that is filtered twice is projected once, because
//!   DynamoDB refuses paths that overlap.
//! - A list requests its next page before it decodes the current one: it finds the key that a page ends with
//!   in the page's tail. A Query with a limit does not, because the first page may be enough; nor do
//!   statistics, which have several Queries in flight anyway.
//! - Some faults of a response are no malformed JSON, and are refused as well: a page that does not end after
//!   the key that it begins after, which is an earlier page again, an item without its key, users that are
//!   not in the order of their keys, and a body that is not that of its checksum.
//! - The SDK retries twice, except throttled Queries, which their callers repeat for as long as there is
//!   time. An attempt has 5 seconds and an operation 15. The SDK gives all clients of a process one budget of
//!   100 retries at a time, so that failing lists left statistics none; here, each table has a budget of its
//!   own.
//! - A function reads region and credentials from its environment, where Lambda puts them. The SDK's search
//!   through profiles, containers and roles, which `feedback` uses, would add a fifth to a function's start
//!   and a sixth to its size.

mod check;
mod connection;
mod consecutive_pages;
mod credentials;
mod dynamodb;
mod error;
mod query_page;
mod response_records;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_smithy_types::body::SdkBody;
use futures_util::future::join_all;
use model::Digest;
use model::items::{Shard, Tables};
use tokio::time::timeout;

use connection::{Clients, OPERATION_TIMEOUT};
use dynamodb::DynamoDb;

pub use check::Check;
pub use connection::{Https, timeouts};
pub use consecutive_pages::{ItemPages, UserPages};
pub use error::{Error, ErrorKind};
pub use query_page::{Attributes, KeyRange, PageRead};
pub use response_records::ResponsePage;

/// The tables of one AWS account, or of one data folder. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Store(Location);

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

/// Where the items are.
#[derive(Debug, Clone)]
enum Location {
    DynamoDb(Arc<DynamoDb>),
    Local(Arc<dyn LocalStore>),
}

impl Location {
    /// Reads a page; returns the body of a Query's response.
    async fn page(self, read: PageRead) -> Result<SdkBody, Error> {
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
async fn in_time<T>(operation: &'static str, read: LocalRead<T>) -> Result<T, Error> {
    let late = || Error::new(ErrorKind::Unavailable, operation, "timeout");
    timeout(OPERATION_TIMEOUT, read)
        .await
        .unwrap_or_else(|_| Err(late()))
}

/// A store in the process of its caller, which reads the same items without the SDK.
pub trait LocalStore: fmt::Debug + Send + Sync {
    /// Returns the page: the body of a Query's response in DynamoDB's JSON.
    fn page(&self, read: PageRead) -> LocalRead<Vec<u8>>;

    /// Returns the item of the credential with this digest, which is its `digest`, in DynamoDB's JSON.
    fn credential(&self, digest: Digest) -> LocalRead<Option<String>>;
}

/// A read of a [`LocalStore`].
pub type LocalRead<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// How long a request that has no deadline, or a long one, waits for its first page, or the next one, while
/// the store throttles.
pub const PATIENCE: Duration = Duration::from_secs(25);

/// Returns how long to wait after a read that was throttled for this time in a row, the first being 1.
pub fn pause(throttled: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(50);
    FIRST * (1 << throttled.saturating_sub(1).min(4))
}
