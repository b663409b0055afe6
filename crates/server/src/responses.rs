//! Bounds the memory of responses: each holds its share until the system has taken its last byte.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::Response;
use axum::http::header::CONTENT_ENCODING;
use http_body_util::BodyExt as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connections::InFlight;

/// What a response holds that is produced while it is sent, in kilobytes.
const STREAMED: u64 = 256;

/// The same of a response that is compressed, whose compressor has a window and tables of its own.
const COMPRESSED: u64 = 640;

/// The memory of large responses.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Semaphore>);

/// What a response takes of the memory, in its extensions.
type Room = Arc<OwnedSemaphorePermit>;

/// Bytes of a response that are not sent yet.
struct Unsent {
    bytes: Bytes,
    _until_sent: Arc<(InFlight, Option<Room>)>,
}

impl Memory {
    /// Allows large responses to hold this many megabytes in all.
    pub fn new(megabytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(megabytes << 10)))
    }

    /// Waits until there is room for the largest response that this may be, in megabytes, before it is made.
    /// The response keeps what it needs of the room until all of it is sent.
    pub async fn bound(
        &self,
        largest: u32,
        response: impl Future<Output = Response<Body>>,
    ) -> Response<Body> {
        // The semaphore is never closed.
        let room = self.0.clone().acquire_many_owned(largest << 10).await.ok();
        let mut response = response.await;
        let size = response.body().size_hint().exact();
        let kilobytes = match size {
            Some(bytes) => bytes.div_ceil(1 << 10),
            None if response.headers().contains_key(CONTENT_ENCODING) => COMPRESSED,
            None => STREAMED,
        };
        let room = room.and_then(|mut room| {
            let kilobytes = usize::try_from(kilobytes).ok()?.min(room.num_permits());
            room.split(kilobytes)
        });
        if let Some(room) = room {
            response.extensions_mut().insert(Room::new(room));
        }
        response
    }
}

/// Returns the response, which is in flight, and has its room, until all of it is sent.
pub(crate) fn hold(mut response: Response<Body>, request: InFlight) -> Response<Body> {
    let room = response.extensions_mut().remove::<Room>();
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
