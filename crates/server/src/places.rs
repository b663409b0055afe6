//! The places of connections, and which of them is closed for the next one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long a connection is idle at least before it is closed for another: what its client has sent may be on the
/// way.
const LEAST: Duration = Duration::from_millis(100);

/// The places of all connections of a listener.
pub(crate) struct ConnectionPlaces {
    limit: usize,
    next_number: AtomicU64,
    taken: Mutex<BTreeMap<u64, Taken>>,
    freed: Notify,
}

struct Taken {
    /// The requests whose heads are complete and whose responses are not sent. Pipelined ones may be several. One that
    /// has not been looked at yet counts as one with a request.
    requests: usize,
    /// When that number last became, or ceased to be, zero.
    since: Instant,
    closing: Arc<Notify>,
}

/// A connection, which has its place until this is dropped, or another takes it.
pub(crate) struct Connection {
    places: Arc<ConnectionPlaces>,
    number: u64,
    /// Notified when another connection has taken the place.
    pub(crate) closing: Arc<Notify>,
}

/// A request whose response is not sent yet, in the extensions of the request.
pub struct InFlight {
    connection: Arc<Connection>,
    pub(crate) room: Mutex<Vec<OwnedSemaphorePermit>>,
}

impl ConnectionPlaces {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            next_number: AtomicU64::default(),
            taken: Mutex::default(),
            freed: Notify::new(),
        })
    }

    pub(crate) fn taken(&self) -> usize {
        lock(&self.taken).len()
    }

    /// Takes a free place, or that of the connection that has been idle longest, if one has been for long enough.
    /// Otherwise, waits for either. The connection is not idle before the second value is dropped, for which it has
    /// to be looked at: on a busy machine, that may be long after its request has arrived.
    pub(crate) async fn take(self: &Arc<Self>) -> (Arc<Connection>, Arc<InFlight>) {
        loop {
            if let Some(connection) = self.try_take() {
                let connection = Arc::new(connection);
                let unseen = connection.request();
                return (connection, unseen);
            }
            let _ = timeout(LEAST / 5, self.freed.notified()).await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Connection> {
        let mut taken = lock(&self.taken);
        if taken.len() >= self.limit {
            let idle = taken.iter().filter(|(_, place)| place.requests == 0);
            let (number, longest) = idle.min_by_key(|(_, place)| place.since)?;
            if longest.since.elapsed() < LEAST {
                return None;
            }
            let number = *number;
            taken.remove(&number)?.closing.notify_one();
        }
        // No number is taken twice, because a connection whose place was taken still has its own.
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let closing = Arc::<Notify>::default();
        let place = Taken {
            requests: 0,
            since: Instant::now(),
            closing: closing.clone(),
        };
        taken.insert(number, place);
        Some(Connection {
            places: self.clone(),
            number,
            closing,
        })
    }
}

impl Connection {
    /// Adds a request whose head is complete.
    pub(crate) fn request(self: &Arc<Self>) -> Arc<InFlight> {
        self.count(|requests| requests + 1);
        Arc::new(InFlight {
            connection: self.clone(),
            room: Mutex::default(),
        })
    }

    /// Waits until the connection has been idle for so long.
    pub(crate) async fn is_idle_for(&self, limit: Duration) {
        let state = || {
            let taken = lock(&self.places.taken);
            let place = taken.get(&self.number)?;
            Some((place.requests, place.since + limit))
        };
        loop {
            match state() {
                Some((0, end)) if end > Instant::now() => sleep_until(end).await,
                // It cannot have been idle for so long any sooner.
                Some((1.., _)) => sleep(limit).await,
                _ => return,
            }
        }
    }

    fn count(&self, change: impl FnOnce(usize) -> usize) {
        if let Some(place) = lock(&self.places.taken).get_mut(&self.number) {
            place.requests = change(place.requests);
            place.since = Instant::now();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.places.taken).remove(&self.number);
        self.places.freed.notify_one();
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.connection.count(|requests| requests - 1);
    }
}

/// Locks what a panic elsewhere leaves whole, so a poisoned lock is harmless.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
