//! Bounds the memory of responses: each holds its share until the system has taken its last byte.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::Response;
use axum::http::header::CONTENT_ENCODING;
use http_body_util::BodyExt as _;

use super::connections::InFlight;
use super::shares::{Purpose, Shares, lock};

/// What a response holds that is produced while it is sent, in kilobytes.
const STREAMED: u64 = 256;

/// The same of a response that is compressed, whose compressor has a window and tables of its own.
const COMPRESSED: u64 = 640;

/// The kilobytes of a large response.
const LARGE: u64 = 1 << 10;

/// How long those who wait for room spare responses that are sent, because others may soon need less.
const SHORT: Duration = Duration::from_secs(1);

/// The memory of large responses.
#[derive(Clone)]
pub struct Memory {
    shares: Arc<Shares>,
    /// The kilobytes of the largest response.
    largest: usize,
}

/// Bytes of a response that are not sent yet.
struct Unsent {
    bytes: Bytes,
    _until_sent: Arc<InFlight>,
}

impl Memory {
    /// Allows responses, none of which has more than `largest` megabytes, to hold this many in all.
    pub fn new(megabytes: usize, largest: usize) -> Self {
        Self {
            shares: Shares::new(megabytes << 10),
            largest: largest << 10,
        }
    }

    /// Waits until there is room for the largest response. The request has the room from then on, and its
    /// response what it needs of it until all of it is sent.
    ///
    /// If that takes longer than a second, the responses give way that have been sent for longest: small and
    /// streamed ones only if there is no other.
    pub async fn room(&self, request: &InFlight) {
        let closing = &request.connection.closing;
        let room = self
            .shares
            .take(self.largest, Purpose::Reading, SHORT, closing)
            .await;
        *lock(&request.room) = Some(room);
    }
}

/// Returns the response, which is in flight, and has its room, until all of it is sent.
pub(crate) fn hold(response: Response<Body>, request: Arc<InFlight>) -> Response<Body> {
    let kilobytes = match response.body().size_hint().exact() {
        Some(bytes) => bytes.div_ceil(1 << 10),
        None if response.headers().contains_key(CONTENT_ENCODING) => COMPRESSED,
        None => STREAMED,
    };
    if let Some(room) = &*lock(&request.room) {
        let purpose = match kilobytes {
            LARGE.. => Purpose::LargeResponse,
            _ => Purpose::OtherResponse,
        };
        let kilobytes = usize::try_from(kilobytes).unwrap_or(usize::MAX);
        room.hold(kilobytes, purpose, request.connection.least);
    }
    let unsent = move |bytes| Unsent {
        bytes,
        _until_sent: request.clone(),
    };
    response.map(|body| {
        Body::new(
            body.map_frame(move |frame| frame.map_data(|bytes| Bytes::from_owner(unsent(bytes)))),
        )
    })
}

impl AsRef<[u8]> for Unsent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
