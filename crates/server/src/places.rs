//! The places of connections, and which of them is closed for the next one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long a connection is idle at least before it is closed for another: its task has to find what the client
/// has sent already.
const LEAST: Duration = Duration::from_millis(100);

/// The places of all connections of a listener.
pub(crate) struct Places {
    limit: usize,
    free: Arc<Semaphore>,
    /// The connections without a complete head, in the order in which they have waited for one. The number tells
    /// those of one instant apart.
    idle: Mutex<BTreeMap<(Instant, usize), Arc<Notify>>>,
}

/// A connection, which has its place until this is dropped.
pub(crate) struct Connection {
    places: Arc<Places>,
    _place: OwnedSemaphorePermit,
    /// Notified when the connection has to make room for another.
    pub(crate) closing: Arc<Notify>,
    requests: Mutex<Requests>,
}

/// The requests of a connection whose responses are not sent yet.
struct Requests {
    /// Pipelined requests may be several.
    count: usize,
    /// Since when there are none, or some.
    since: Instant,
}

/// A request whose response is not sent yet, in the extensions of the request.
pub struct InFlight {
    connection: Arc<Connection>,
    /// The memory that it has.
    pub(crate) room: Mutex<Vec<OwnedSemaphorePermit>>,
}

impl Places {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            free: Arc::new(Semaphore::new(limit)),
            idle: Mutex::default(),
        })
    }

    /// Returns the number of connections.
    pub(crate) fn taken(&self) -> usize {
        self.limit.saturating_sub(self.free.available_permits())
    }

    /// Waits for a place; the connection that has been idle longest is closed for it, if one has been for long
    /// enough. Only one may wait at a time.
    pub(crate) async fn take(self: &Arc<Self>) -> Arc<Connection> {
        let free = || self.free.clone().acquire_owned();
        loop {
            let wait = if self.taken() == self.limit && !self.close_one() {
                LEAST / 5
            } else {
                // One is free, or about to be.
                Duration::MAX
            };
            // The semaphore is never closed.
            let Ok(Ok(place)) = timeout(wait, free()).await else {
                continue;
            };
            let connection = Connection {
                places: self.clone(),
                _place: place,
                closing: Arc::default(),
                requests: Mutex::new(Requests {
                    count: 0,
                    since: Instant::now(),
                }),
            };
            connection.idle(&lock(&connection.requests));
            return Arc::new(connection);
        }
    }

    /// Returns whether a connection was idle for long enough, and closes the one that was longest.
    fn close_one(&self) -> bool {
        let mut idle = lock(&self.idle);
        let longest = idle.first_entry();
        let longest = longest.filter(|entry| entry.key().0.elapsed() >= LEAST);
        let closed = longest.map(|entry| entry.remove().notify_one());
        closed.is_some()
    }
}

impl Connection {
    /// Adds a request whose head is complete.
    pub(crate) fn request(self: &Arc<Self>) -> Arc<InFlight> {
        let mut requests = lock(&self.requests);
        if requests.count == 0 {
            lock(&self.places.idle).remove(&self.key(&requests));
            requests.since = Instant::now();
        }
        requests.count += 1;
        Arc::new(InFlight {
            connection: self.clone(),
            room: Mutex::default(),
        })
    }

    /// Waits until the connection has been idle for so long.
    pub(crate) async fn is_idle_for(&self, limit: Duration) {
        loop {
            let (is_idle, until) = {
                let requests = lock(&self.requests);
                (requests.count == 0, requests.since + limit)
            };
            match is_idle {
                true if until <= Instant::now() => return,
                true => sleep_until(until).await,
                // It cannot be idle for so long any sooner.
                false => sleep(limit).await,
            }
        }
    }

    fn idle(&self, requests: &Requests) {
        lock(&self.places.idle).insert(self.key(requests), self.closing.clone());
    }

    fn key(&self, requests: &Requests) -> (Instant, usize) {
        (requests.since, Arc::as_ptr(&self.closing).addr())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let requests = lock(&self.requests);
        lock(&self.places.idle).remove(&self.key(&requests));
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut requests = lock(&self.connection.requests);
        requests.count -= 1;
        if requests.count == 0 {
            requests.since = Instant::now();
            self.connection.idle(&requests);
        }
    }
}

/// Locks what a panic elsewhere leaves whole, so a poisoned lock is harmless.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
