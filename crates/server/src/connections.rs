//! The open connections of a server: limits their number, and closes the longest-waiting one to make
//! room. A client that does not read its response holds its place for a while only.

use std::collections::{BTreeMap, HashSet};
use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::http::Response;
use hyper::body::{Body, Frame, SizeHint};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::Limits;

/// The connections of a server. When their number reaches the limit, the one that has waited longest
/// for a request makes room for the next. If none waits, it is the one whose response has stalled longest.
pub(crate) struct Connections(Arc<Shared>);

struct Shared {
    limits: Limits,
    state: Mutex<State>,
    /// Notified when a connection ends or begins to wait.
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// The ids of the connections, without those that have to make room.
    open: HashSet<u64>,
    /// The connections without a whole request, in the order in which they began to wait.
    waiting: BTreeMap<u64, Waiting>,
    /// The connections whose client does not accept more of a response, in the same order.
    stalled: BTreeMap<u64, Waiting>,
    /// The next id, or key in `waiting` and `stalled`.
    next: u64,
}

struct Waiting {
    id: u64,
    since: Instant,
    taken: Arc<Notify>,
}

/// A place among the connections, which is free again when its last clone is dropped.
#[derive(Clone)]
pub(crate) struct Slot(Arc<Place>);

struct Place {
    shared: Arc<Shared>,
    id: u64,
    /// Notified when the connection has to make room.
    taken: Arc<Notify>,
    /// The connection's key in `waiting` or `stalled`, or `None` while its response is made and sent.
    ticket: Mutex<Option<u64>>,
    /// Whether a request has a response that has not ended.
    in_request: AtomicBool,
    /// Whether part of a response may still be unsent.
    responding: AtomicBool,
}

/// A request from its head to the end of its response's body.
pub(crate) struct Request(Slot);

/// The body of a response.
pub(crate) struct InFlight<B> {
    body: B,
    _request: Request,
}

impl Connections {
    pub(crate) fn new(limits: Limits) -> Self {
        Self(Arc::new(Shared {
            limits,
            state: Mutex::default(),
            changed: Notify::new(),
        }))
    }

    /// Accepts the next connection, and makes room for it if necessary.
    pub(crate) async fn accept(&self, listener: &TcpListener) -> (TcpStream, Slot) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => return (stream, self.slot().await),
                Err(error) if is_of_client(error.kind()) => {}
                // The process has no files left.
                Err(_) => {
                    self.0.state().make_room(self.0.limits.stall);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    async fn slot(&self) -> Slot {
        loop {
            if let Some(slot) = self.0.try_slot() {
                return slot;
            }
            // Time alone makes a stalled connection one that has to make room.
            let _ = timeout(self.0.limits.stall / 10, self.0.changed.notified()).await;
        }
    }
}

/// Returns whether a client closed the connection before it was accepted.
fn is_of_client(error: ErrorKind) -> bool {
    matches!(
        error,
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused
    )
}

impl Shared {
    /// Locks the state. A panic elsewhere leaves it whole, so a poisoned lock is harmless.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_slot(self: &Arc<Self>) -> Option<Slot> {
        let mut state = self.state();
        let Limits {
            connections, stall, ..
        } = self.limits;
        if state.open.len() >= connections && !state.make_room(stall) {
            return None;
        }
        let id = state.number();
        state.open.insert(id);
        drop(state);
        let slot = Slot(Arc::new(Place {
            shared: self.clone(),
            id,
            taken: Arc::default(),
            ticket: Mutex::default(),
            in_request: AtomicBool::new(false),
            responding: AtomicBool::new(false),
        }));
        slot.0.wait(|state| &mut state.waiting);
        Some(slot)
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Closes the connection that has waited longest for a request, or else the one that has stalled
    /// longest, and for as long as this; returns `false` if there is neither.
    fn make_room(&mut self, stall: Duration) -> bool {
        let oldest = self.waiting.pop_first().or_else(|| {
            let oldest = self.stalled.first_entry()?;
            (oldest.get().since.elapsed() >= stall).then(|| oldest.remove_entry())
        });
        let Some((_, oldest)) = oldest else {
            return false;
        };
        oldest.taken.notify_one();
        self.open.remove(&oldest.id)
    }
}

impl Slot {
    /// Completes when the connection has to make room for another.
    pub(crate) async fn taken(&self) {
        self.0.taken.notified().await;
    }

    /// Marks the connection as one with a request, until the response's body is dropped.
    pub(crate) fn request(&self) -> Request {
        self.0.stop_waiting();
        self.0.in_request.store(true, Relaxed);
        self.0.responding.store(true, Relaxed);
        Request(self.clone())
    }

    /// Notes whether the client accepts more of a response at the moment.
    pub(crate) fn sending(&self, is_accepted: bool) {
        let place = &self.0;
        match (is_accepted, place.is_waiting()) {
            (true, true) => place.stop_waiting(),
            (false, false) => place.wait(|state| &mut state.stalled),
            _ => {}
        }
    }

    /// Notes that all bytes so far have been sent. Once the response has ended, the connection waits
    /// for the next request.
    pub(crate) fn flushed(&self) {
        let place = &self.0;
        if !place.in_request.load(Relaxed) && place.responding.swap(false, Relaxed) {
            place.wait(|state| &mut state.waiting);
        }
    }
}

impl Place {
    fn is_waiting(&self) -> bool {
        self.ticket().is_some()
    }

    fn ticket(&self) -> MutexGuard<'_, Option<u64>> {
        self.ticket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins a queue of connections that may have to make room.
    fn wait(&self, queue: impl FnOnce(&mut State) -> &mut BTreeMap<u64, Waiting>) {
        let mut state = self.shared.state();
        if !state.open.contains(&self.id) {
            return;
        }
        let ticket = state.number();
        let waiting = Waiting {
            id: self.id,
            since: Instant::now(),
            taken: self.taken.clone(),
        };
        queue(&mut state).insert(ticket, waiting);
        *self.ticket() = Some(ticket);
        self.shared.changed.notify_one();
    }

    fn stop_waiting(&self) {
        let ticket = self.ticket().take();
        if let Some(ticket) = ticket {
            let mut state = self.shared.state();
            state.waiting.remove(&ticket);
            state.stalled.remove(&ticket);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.stop_waiting();
        self.shared.state().open.remove(&self.id);
        self.shared.changed.notify_one();
    }
}

impl Request {
    /// Makes the request last as long as the response's body.
    pub(crate) fn with<B>(self, response: Response<B>) -> Response<InFlight<B>> {
        response.map(|body| InFlight {
            body,
            _request: self,
        })
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // The last bytes of the body may still be unsent.
        self.0.0.in_request.store(false, Relaxed);
    }
}

impl<B: Body + Unpin> Body for InFlight<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
