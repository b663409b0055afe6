//! Bounds the memory of responses: each has its room until the system has taken its last byte.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::Response;
use axum::http::header::CONTENT_ENCODING;
use http_body_util::BodyExt as _;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::places::{InFlight, lock};

/// The kilobytes of a response for which it needs no room: the system takes as much at once.
const SMALL: u64 = 64;

/// What a response holds that is produced while it is sent, in kilobytes.
const STREAMED: u64 = 256;

/// The same of a response that is compressed, whose compressor has a window and tables of its own.
const COMPRESSED: u64 = 640;

/// A request for more kilobytes than these is large.
const LARGE: u32 = 16 << 10;

const PATIENCE: Duration = Duration::from_secs(25);

/// What responses may hold together that are computed or not sent yet, in megabytes.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub all: u32,
    pub of_caller: u32,
}

/// The memory that responses share, whose callers are told apart by a `K`.
pub struct Memory<K> {
    room: Room,
    of_all: Share,
    of_callers: Mutex<HashMap<K, Share>>,
}

/// What requests share, in kilobytes. They get it in the order in which they came, but large ones have five sixths of
/// it, for which they wait by themselves, so that small ones always have the rest.
#[derive(Clone)]
struct Share {
    all: Arc<Semaphore>,
    large: Arc<Semaphore>,
    of_large: u32,
}

impl Share {
    fn new(megabytes: u32) -> Self {
        let of_large = (megabytes << 10) / 6 * 5;
        Self {
            all: Arc::new(Semaphore::new((megabytes as usize) << 10)),
            large: Arc::new(Semaphore::new(of_large as usize)),
            of_large,
        }
    }

    /// Waits for so many kilobytes, or for all that large requests have.
    async fn take(&self, kilobytes: u32) -> Result<Vec<OwnedSemaphorePermit>, AcquireError> {
        let of_all = |kilobytes| self.all.clone().acquire_many_owned(kilobytes);
        if kilobytes <= LARGE {
            return Ok(vec![of_all(kilobytes).await?]);
        }
        let kilobytes = kilobytes.min(self.of_large);
        let of_large = self.large.clone().acquire_many_owned(kilobytes).await?;
        Ok(vec![of_large, of_all(kilobytes).await?])
    }
}

/// There was no room for 25 seconds.
#[derive(Debug)]
pub struct NoRoom;

impl<K: Eq + Hash> Memory<K> {
    pub fn new(room: Room) -> Self {
        Self {
            room,
            of_all: Share::new(room.all),
            of_callers: Mutex::default(),
        }
    }

    /// Waits until there is room for what the request holds while it computes, in megabytes. It has the room from then
    /// on, and its response what it needs of it until all of it is sent.
    ///
    /// # Errors
    ///
    /// Fails if there is none in 25 seconds.
    pub async fn room(&self, request: &InFlight, caller: K, megabytes: u32) -> Result<(), NoRoom> {
        let of_caller = {
            let mut callers = lock(&self.of_callers);
            // Each permit, and each request that waits, has the semaphore, too.
            callers.retain(|_, share| Arc::strong_count(&share.all) > 1);
            let share = callers.entry(caller);
            share
                .or_insert_with(|| Share::new(self.room.of_caller))
                .clone()
        };
        let kilobytes = megabytes << 10;
        let take = async {
            // In this order, because whoever waits for room of its own must not keep any from others.
            let mut taken = of_caller.take(kilobytes).await?;
            taken.extend(self.of_all.take(kilobytes).await?);
            Ok::<_, AcquireError>(taken)
        };
        let taken = timeout(PATIENCE, take).await;
        *lock(&request.room) = taken.map_err(|_| NoRoom)?.map_err(|_| NoRoom)?;
        Ok(())
    }

    /// Returns the memory that is taken, in bytes.
    pub fn taken(&self) -> usize {
        ((self.room.all as usize) << 20).saturating_sub(self.of_all.all.available_permits() << 10)
    }
}

/// Bytes of a response that are not sent yet.
struct Unsent {
    bytes: Bytes,
    _until_sent: Arc<InFlight>,
}

/// Returns the response, which is in flight, and has its room, until all of it is sent.
pub(crate) fn hold(response: Response<Body>, request: Arc<InFlight>) -> Response<Body> {
    let kilobytes = match response.body().size_hint().exact() {
        Some(bytes) if bytes <= SMALL << 10 => 0,
        Some(bytes) => bytes.div_ceil(1 << 10),
        None if response.headers().contains_key(CONTENT_ENCODING) => COMPRESSED,
        None => STREAMED,
    };
    let kilobytes = usize::try_from(kilobytes).unwrap_or(usize::MAX);
    for room in &mut *lock(&request.room) {
        drop(room.split(room.num_permits().saturating_sub(kilobytes)));
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
