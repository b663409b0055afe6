//! The port through which requests read the tables.

use aws_smithy_types::body::SdkBody;
use futures_util::future::BoxFuture;
use tokio::time::timeout;

use crate::connection::READ_TIMEOUT;
use crate::error::{Error, ErrorKind};
use crate::page_read::PageRead;

/// What requests read of the tables, wherever those are. The adapter for DynamoDB is in this crate, and that of a
/// data folder in `crates/folder`. It cannot write.
pub trait TableReader: Send + Sync {
    /// Reads a page of items. An adapter ends a read that takes longer than [`READ_TIMEOUT`].
    fn page(&self, read: PageRead) -> ReaderFuture<PageBody>;

    /// Reads the item of the credential with this digest, strongly consistent.
    fn credential(&self, digest: String) -> ReaderFuture<CredentialRead>;

    /// Returns how many pages of a project's response records a request may read at the same time, after the
    /// first of each shard.
    fn concurrent_pages(&self) -> usize;

    fn has_index(&self) -> bool;
}

/// A read of a [`TableReader`].
pub type ReaderFuture<T> = BoxFuture<'static, Result<T, Error>>;

/// The body of a Query's response, in DynamoDB's JSON.
#[derive(Debug)]
pub struct PageBody(pub(crate) SdkBody);

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
    pub capacity_units: f64,
}

/// The read of a credential, in errors.
pub(crate) const READ_CREDENTIAL: &str = "GetItem credentials";

/// Ends a read that takes longer than [`READ_TIMEOUT`], for an adapter that has no timeouts of its own.
pub fn in_time<T: 'static>(operation: &'static str, read: ReaderFuture<T>) -> ReaderFuture<T> {
    let late = move || Error::new(ErrorKind::Unavailable, operation, "timeout");
    Box::pin(async move {
        timeout(READ_TIMEOUT, read)
            .await
            .unwrap_or_else(|_| Err(late()))
    })
}
