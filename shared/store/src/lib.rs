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
//!   the key that it begins after, which is an earlier page again, one whose `Count` is not that of its items, an item
//!   without its key, users that are not in the order of their keys, a credential of another digest, and a body that is
//!   not that of its checksum.
//! - That keys of responses rise, and lie in the shard and the period that was asked for, is not checked. It would take
//!   3 to 4 % more instructions a record where its key is read, and 26 to 46 % and twice the bytes where it is not.
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
mod dynamodb;
mod error;
mod query_page;
mod response_records;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_smithy_types::body::SdkBody;
use futures_util::future::{BoxFuture, join_all};
use items::{ItemMembers, TableNames, decode_credential};
use model::{Credential, Digest};
use tokio::time::timeout;

use dynamodb::DynamoDb;

pub use check::Check;
pub use connection::{Https, OPERATION_TIMEOUT as READ_TIMEOUT, timeouts};
pub use consecutive_pages::{ItemPages, UserPages};
pub use error::{Error, ErrorKind};
pub use query_page::{Attributes, KeyRange, PageRead};
pub use response_records::{FirstRecord, ResponsePage};

/// What requests read of the tables, wherever those are. The adapter for DynamoDB is in this crate, and that of a
/// data folder in `crates/folder`. It cannot write.
pub trait TableReader: fmt::Debug + Send + Sync {
    /// Reads a page of items. An adapter ends a read that takes longer than [`READ_TIMEOUT`].
    fn page(&self, read: PageRead) -> Reading<PageBody>;

    /// Reads the credential with this digest, strongly consistent.
    fn credential(&self, digest: Digest) -> Reading<CredentialRead>;

    /// Returns how many pages of a project's response records a request may read at the same time, after the
    /// first of each shard.
    fn concurrent_pages(&self) -> usize;

    /// Returns whether there is an index of outcomes.
    fn has_index(&self) -> bool;
}

/// A read of a [`TableReader`].
pub type Reading<T> = BoxFuture<'static, Result<T, Error>>;

/// The body of a Query's response, in DynamoDB's JSON.
#[derive(Debug)]
pub struct PageBody(SdkBody);

impl From<Vec<u8>> for PageBody {
    fn from(json: Vec<u8>) -> Self {
        Self(json.into())
    }
}

impl AsRef<[u8]> for PageBody {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes().unwrap_or_default()
    }
}

/// What the read of a credential came to.
#[derive(Debug, Clone)]
pub struct CredentialRead {
    /// The item in DynamoDB's JSON, if there is one.
    pub item: Option<String>,
    /// The read capacity units.
    pub capacity_units: f64,
}

/// The tables as requests read them. Cloning it is cheap.
#[derive(Debug, Clone)]
pub struct Store(Arc<dyn TableReader>);

impl Store {
    /// Makes a store that reads through this adapter.
    pub fn new(tables: Arc<dyn TableReader>) -> Self {
        Self(tables)
    }

    /// Makes a store that reads these tables through this client, and the index of outcomes of this name.
    /// Without a name, the table of responses is read instead.
    pub fn of_dynamodb(client: &Client, tables: TableNames, index: Option<String>) -> Self {
        Self::new(Arc::new(DynamoDb::new(client, tables, index)))
    }

    /// Makes the store of a Lambda function, at this endpoint if there is one, with region and credentials from
    /// the environment.
    ///
    /// # Errors
    ///
    /// Names the variable that is missing.
    pub async fn from_lambda_env(
        tables: TableNames,
        index: Option<String>,
        endpoint: Option<String>,
    ) -> Result<Self, &'static str> {
        let client = connection::from_lambda_env(endpoint).await?;
        Ok(Self::of_dynamodb(&client, tables, index))
    }

    /// Reads the credential with this digest. The read is strongly consistent, so a revoked credential is
    /// absent at once. A damaged one authorizes nothing.
    pub async fn credential(
        &self,
        digest: &Digest,
        usage: &Usage,
    ) -> Result<Option<Credential>, Error> {
        let read = self.0.credential(*digest).await?;
        usage.add(|totals| totals.capacity_units += read.capacity_units);
        let Some(json) = read.item else {
            return Ok(None);
        };
        let damaged = || Error::new(ErrorKind::Damaged, READ_CREDENTIAL, "not an item");
        let item = ItemMembers::of_item(&json).ok_or_else(damaged)?;
        // Another item would authorize somebody else.
        if item.parsed("digest") != Some(*digest) {
            let code = "the item of another key";
            return Err(Error::new(ErrorKind::Damaged, READ_CREDENTIAL, code));
        }
        let credential = decode_credential(&item);
        if credential.is_none() {
            tracing::warn!("a stored credential cannot be decoded and authorizes nothing");
        }
        Ok(credential)
    }

    /// Returns how many pages of a project's response records a request may read at the same time, after the
    /// first of each shard.
    pub fn concurrent_pages(&self) -> usize {
        self.0.concurrent_pages()
    }

    /// Opens this many connections ahead of the first request, with a read on each. Ignores
    /// failures, and takes at most a second.
    pub async fn warm_up(&self, connections: u8) {
        const LIMIT: Duration = Duration::from_secs(1);
        let reads = (0..connections).map(|_| self.0.credential(Digest::ABSENT));
        let _ = timeout(LIMIT, join_all(reads)).await;
    }
}

/// The read of a credential, in errors.
const READ_CREDENTIAL: &str = "GetItem credentials";

/// Ends a read that takes longer than [`READ_TIMEOUT`], for an adapter that has no timeouts of its own.
pub fn in_time<T: 'static>(operation: &'static str, read: Reading<T>) -> Reading<T> {
    let late = move || Error::new(ErrorKind::Unavailable, operation, "timeout");
    Box::pin(async move {
        timeout(READ_TIMEOUT, read)
            .await
            .unwrap_or_else(|_| Err(late()))
    })
}

/// What a request has read from the store so far. Concurrent reads of a request share it.
#[derive(Debug, Default)]
pub struct Usage(Mutex<Totals>);

/// The totals of a [`Usage`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// Pages of query results.
    pub pages: u64,
    /// Records on these pages, including the skipped ones.
    pub records: u64,
    /// Response records that could not be decoded, so that no figure counts them.
    pub skipped: u64,
    /// Users without a `created`, or with a damaged attribute, in whose place a default was returned.
    pub defaulted: u64,
    /// Read capacity units.
    pub capacity_units: f64,
}

impl Usage {
    fn so_far(&self) -> MutexGuard<'_, Totals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds to the totals.
    pub fn add(&self, add: impl FnOnce(&mut Totals)) {
        add(&mut self.so_far());
    }

    /// Returns the totals so far.
    pub fn totals(&self) -> Totals {
        *self.so_far()
    }
}

/// How long a request that has no deadline, or a long one, waits for its first page, or the next one, while
/// the store throttles; also how long it waits for the permit of another.
pub const PATIENCE: Duration = Duration::from_secs(25);

/// Returns how long to wait after a read that was throttled for this time in a row, the first being 1.
pub fn pause(throttled: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(50);
    FIRST * (1 << throttled.saturating_sub(1).min(4))
}
