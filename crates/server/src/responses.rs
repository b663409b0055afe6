//! Bounds the memory of responses: each holds its share until the system has taken its last byte.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::Response;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connections::InFlight;

/// What the responses of a server hold in all, in kilobytes.
const TOTAL: usize = 256 << 10;

/// The largest whole response, in kilobytes.
const LARGEST: u32 = 6 << 10;

/// What a response holds that is produced while it is sent, in kilobytes.
const STREAMED: u64 = 256;

/// The memory of the responses of a server.
#[derive(Clone)]
pub(crate) struct Memory(Arc<Semaphore>);

/// Bytes of a response that are not sent yet.
struct Unsent {
    bytes: Bytes,
    _until_sent: Arc<(InFlight, Option<OwnedSemaphorePermit>)>,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TOTAL)))
    }

    /// Waits until there is room for the largest response.
    pub(crate) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        // It is never closed.
        self.0.clone().acquire_many_owned(LARGEST).await.ok()
    }
}

/// Returns the response, which is in flight, and has what it needs of the room, until all of it is sent.
pub(crate) fn hold(
    response: Response<Body>,
    request: InFlight,
    room: Option<OwnedSemaphorePermit>,
) -> Response<Body> {
    let size = response.body().size_hint().exact();
    let kilobytes = size.map_or(STREAMED, |bytes| bytes.div_ceil(1 << 10));
    let room = room.and_then(|mut room| {
        let kilobytes = usize::try_from(kilobytes).ok()?.min(room.num_permits());
        room.split(kilobytes)
    });
    let until_sent = Arc::new((request, room));
    let unsent = move |bytes| Unsent {
        bytes,
        _until_sent: until_sent.clone(),
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
