//! The open connections of a server, and their requests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::shares::{Purpose, Share, Shares, lock};

/// How long a connection waits at least for a head: its task has to find what the client has sent already.
const LEAST: Duration = Duration::from_millis(100);

/// A connection, which has its place until this is dropped.
pub(crate) struct Connection {
    place: Share,
    /// Notified when the connection has to make room for another.
    pub(crate) closing: Arc<Notify>,
    /// How long a request has the place at least, and a response its memory.
    pub(crate) least: Duration,
    /// Since when its requests have followed each other without a pause.
    busy_since: Mutex<Instant>,
}

/// A request whose response is not sent yet, in the extensions of the request.
pub struct InFlight {
    pub(crate) connection: Arc<Connection>,
    pub(crate) room: Mutex<Option<Share>>,
}

impl Connection {
    /// Accepts the next connection, and makes room for it if necessary.
    pub(crate) async fn accept(
        listener: &TcpListener,
        places: &Arc<Shares>,
        least: Duration,
    ) -> (TcpStream, Arc<Self>) {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                // Mostly, the process has no files left.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        };
        let closing = Arc::default();
        let place = places
            .take(1, Purpose::NewConnection, LEAST, &closing)
            .await;
        let connection = Self {
            place,
            closing,
            least,
            busy_since: Mutex::new(Instant::now()),
        };
        (stream, Arc::new(connection))
    }

    /// Marks the connection as one with a request.
    pub(crate) fn request(self: &Arc<Self>) -> Arc<InFlight> {
        if self.place.hold(1, Purpose::Request, self.least) {
            *lock(&self.busy_since) = Instant::now();
        }
        Arc::new(InFlight {
            connection: self.clone(),
            room: Mutex::default(),
        })
    }
}

impl InFlight {
    /// Marks the request as one whose credentials are valid: others give way first.
    pub fn authenticated(&self) {
        let Connection { place, least, .. } = &*self.connection;
        place.hold(1, Purpose::AuthenticatedRequest, *least);
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        let connection = &self.connection;
        let place = &connection.place;
        place.hold(1, Purpose::KeptConnection, LEAST);
        // Those who wait might otherwise never find it without a request.
        let busy = lock(&connection.busy_since).elapsed();
        if busy >= connection.least && place.gives_way() {
            connection.closing.notify_one();
        }
    }
}
