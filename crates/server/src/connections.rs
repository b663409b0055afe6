//! The open connections of a server: limits their number, and closes one to make room.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How long a connection waits at least: its task has to find what the client has sent already.
const LEAST: Duration = Duration::from_millis(100);

/// Where the tickets begin of connections that had a request. Their clients may be sending the next one, so
/// they are closed after those that never had any.
const KEPT: u64 = 1 << 63;

/// The connections of a server. When there are as many as may be, the one that has waited longest for the
/// head of a request makes room for the next.
pub(crate) struct Connections {
    places: Arc<Semaphore>,
    waiting: Mutex<Waiting>,
    /// Notified when a connection begins to wait.
    has_waiting: Notify,
}

/// When each connection without a request may be closed, and what closes it, in the order in which they are.
#[derive(Default)]
struct Waiting {
    queue: BTreeMap<u64, (Instant, Arc<Notify>)>,
    last: u64,
}

/// A connection, which has its place until this is dropped.
pub(crate) struct Connection {
    all: Arc<Connections>,
    /// Its key in the queue, or 0 while it has a request.
    ticket: AtomicU64,
    closing: Arc<Notify>,
    /// `None` only if the semaphore were closed.
    _place: Option<OwnedSemaphorePermit>,
}

/// The request of a connection, which waits for the next one when this is dropped.
pub(crate) struct InFlight(Arc<Connection>);

impl Connections {
    /// Allows this many connections.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            places: Arc::new(Semaphore::new(limit)),
            waiting: Mutex::default(),
            has_waiting: Notify::new(),
        })
    }

    /// Accepts the next connection, and makes room for it if necessary.
    pub(crate) async fn accept(
        self: &Arc<Self>,
        listener: &TcpListener,
    ) -> (TcpStream, Arc<Connection>) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => return (stream, self.connection().await),
                // Mostly, the process has no files left.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    async fn connection(self: &Arc<Self>) -> Arc<Connection> {
        let connection = Arc::new(Connection {
            all: self.clone(),
            ticket: AtomicU64::new(0),
            closing: Arc::default(),
            _place: self.place().await,
        });
        connection.wait(0);
        connection
    }

    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            biased;
            place = self.places.clone().acquire_owned() => return place.ok(),
            () = self.close_longest_waiting() => {}
        }
        self.places.clone().acquire_owned().await.ok()
    }

    /// Closes the connection that has waited longest, as soon as one has waited for long enough.
    async fn close_longest_waiting(&self) {
        loop {
            let closable = match self.waiting().close() {
                Ok(()) => return,
                Err(closable) => closable,
            };
            match closable {
                Some(closable) => tokio::time::sleep_until(closable).await,
                None => self.has_waiting.notified().await,
            }
        }
    }

    /// Locks the queue. A panic elsewhere leaves it whole, so a poisoned lock is harmless.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Closes the first connection that may be closed; fails with the time at which one may, if any waits.
    fn close(&mut self) -> Result<(), Option<Instant>> {
        let new = self.queue.iter().next();
        let kept = self.queue.range(KEPT..).next();
        let firsts = || new.into_iter().chain(kept);
        let now = Instant::now();
        let Some((&ticket, _)) = firsts().find(|(_, (closable, _))| *closable <= now) else {
            return Err(firsts().map(|(_, (closable, _))| *closable).min());
        };
        if let Some((_, closing)) = self.queue.remove(&ticket) {
            closing.notify_one();
        }
        Ok(())
    }
}

impl Connection {
    /// Completes when the connection has to make room for another.
    pub(crate) async fn must_close(&self) {
        self.closing.notified().await;
    }

    /// Marks the connection as one with a request.
    pub(crate) fn request(self: &Arc<Self>) -> InFlight {
        self.stop_waiting();
        InFlight(self.clone())
    }

    /// Waits for the head of a request, with a ticket above this one.
    fn wait(&self, after: u64) {
        let mut waiting = self.all.waiting();
        waiting.last += 1;
        let ticket = after + waiting.last;
        let closable = Instant::now() + LEAST;
        waiting
            .queue
            .insert(ticket, (closable, self.closing.clone()));
        self.ticket.store(ticket, Relaxed);
        drop(waiting);
        self.all.has_waiting.notify_one();
    }

    fn stop_waiting(&self) {
        let ticket = self.ticket.swap(0, Relaxed);
        self.all.waiting().queue.remove(&ticket);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop_waiting();
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.wait(KEPT);
    }
}
