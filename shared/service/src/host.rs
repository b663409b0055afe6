//! The host of requests, where one process answers several at a time.

use std::time::Duration;

use auth::Digest;
use futures_util::future::BoxFuture;
use http::StatusCode;

use crate::error::Error;

/// The megabytes that a request holds while it makes a response.
pub const RESPONSE_ROOM: u32 = 6;

/// The host of a request, which bounds what all of its requests take up, and counts them. Lambda runs one at a
/// time, and has none.
pub trait Host: Send + Sync {
    /// Waits until there are so many megabytes for the request, of what all requests with its credential may have.
    /// Fails if there is no room for too long.
    fn take_room(&self, credential: Digest, megabytes: u32) -> BoxFuture<'_, Result<(), Error>>;

    /// Counts a request that has ended.
    fn finished(&self, request: &Finished);
}

/// A request that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Finished {
    /// The operation.
    pub operation: &'static str,
    /// The status of the response; `None` if the request was abandoned before there was one.
    pub status: Option<StatusCode>,
    /// The time until the response was sent.
    pub duration: Duration,
    /// The records and users that were read.
    pub records: u64,
    /// Those of them that could not be decoded.
    pub skipped: u64,
}
