//! An HTTP server that can be stopped, for any router.
//!
//! It is an accept loop over hyper, because axum's has no limits. This one bounds what clients take up:
//!
//! - Places: an eighth of the files that the process may open, and 2,000 connections at most. When all are taken,
//!   the one that has been idle longest is closed for the next; if none is, the next one waits.
//! - Patience: a connection may have no complete head for 75 seconds, because proxies keep idle ones for a minute. A
//!   response has ten seconds, spent only while bytes wait for the client; each 16 KB that the system takes add a
//!   second, up to sixty.
//! - Memory: a request waits for room before it computes ([`Memory`]).
//!
//! Bytes that are no request get hyper's own refusal, a bare status, and so does a request of HTTP/1.1 without a
//! `Host`, or with two.

mod memory;
mod patience;
mod places;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::{CONNECTION, HOST};
use axum::http::{HeaderName, HeaderValue, StatusCode, Version};
use axum::response::{IntoResponse as _, Response};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

pub use memory::{Memory, NoRoom, Room};
use patience::PatientWriter;
pub use places::InFlight;
use places::{Connection, ConnectionPlaces};

/// How long a connection may have no complete head: longer than a proxy's may, so that none is closed just when the
/// proxy uses it again.
const IDLE: Duration = Duration::from_secs(75);

/// Says [`IDLE`] to clients, of which some close a connection before that, rather than send a request that is lost.
const KEEP_ALIVE: (HeaderName, HeaderValue) = (
    HeaderName::from_static("keep-alive"),
    HeaderValue::from_static("timeout=75"),
);

/// How much patience a response has at first.
const PATIENCE: Duration = Duration::from_secs(10);

/// The bytes of a response that the system keeps for a client. They add to its patience before it has read any,
/// so several megabytes, which the system would choose, would add all of it.
const SEND_BUFFER: usize = 64 << 10;

/// The bytes of a connection that are kept here: the head of a request, and unsent bytes of a response, to
/// which one piece is added.
const BUFFER: usize = 72 << 10;

/// A bound address that is not served yet.
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
    places: Arc<ConnectionPlaces>,
    /// How long a connection may have no complete head.
    head: Duration,
    /// The patience that a response has at first. Each 16 KB add a tenth of it, up to six times.
    patience: Duration,
    half_close: bool,
}

pub struct Server {
    address: SocketAddr,
    places: Arc<ConnectionPlaces>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Listener {
    /// Binds an address; port 0 picks a free port.
    ///
    /// # Errors
    ///
    /// Fails if the address is malformed, in use or not this machine's.
    pub async fn bind(address: &str) -> io::Result<Self> {
        let inner = TcpListener::bind(address).await?;
        Ok(Self {
            address: inner.local_addr()?,
            inner,
            places: ConnectionPlaces::new(max_connections()),
            head: IDLE,
            patience: PATIENCE,
            half_close: false,
        })
    }

    /// Responds to clients that end their side of the connection after a request, too. Requests of clients
    /// that leave then run to their end.
    #[must_use]
    pub fn with_half_close(self) -> Self {
        Self {
            half_close: true,
            ..self
        }
    }

    pub fn serve(self, router: Router) -> Server {
        let (stop, stopped) = oneshot::channel();
        Server {
            address: self.address,
            places: self.places.clone(),
            stop,
            task: tokio::spawn(self.run(TowerToHyperService::new(router), stopped)),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves connections until it is stopped, then waits for the requests in flight. Dropping the future
    /// closes the connections.
    async fn run(self, router: TowerToHyperService<Router>, mut stopped: oneshot::Receiver<()>) {
        let graceful = GracefulShutdown::new();
        let mut tasks = JoinSet::new();
        loop {
            let (stream, connection, unseen) = tokio::select! {
                // A dropped sender stops it as well.
                _ = &mut stopped => break,
                accepted = self.accept() => accepted,
            };
            let requests = self.requests(stream, connection.clone(), router.clone());
            let requests = graceful.watch(requests);
            let limit = self.head;
            tasks.spawn(async move {
                tokio::select! {
                    biased;
                    () = connection.closing.notified() => {}
                    // Before the limit: a busy machine may find both a head and that its time is over.
                    _ = requests => {}
                    () = async {
                        drop(unseen);
                        connection.is_idle_for(limit).await;
                    } => {}
                }
            });
            while tasks.try_join_next().is_some() {}
        }
        drop((self, router));
        graceful.shutdown().await;
    }

    /// Accepts the next connection once there is a place for it. It is not idle while the third value lives.
    async fn accept(&self) -> (TcpStream, Arc<Connection>, Arc<InFlight>) {
        loop {
            match self.inner.accept().await {
                Ok((stream, _)) => {
                    let (connection, unseen) = self.places.take().await;
                    return (stream, connection, unseen);
                }
                // Mostly, the process has no files left.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// Serves the requests of a connection, one after the other.
    fn requests(
        &self,
        stream: TcpStream,
        connection: Arc<Connection>,
        router: TowerToHyperService<Router>,
    ) -> impl GracefulConnection + Send + use<> {
        let _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER);
        let (reader, writer) = stream.into_split();
        let writer = PatientWriter::new(writer, self.patience);
        let begin = writer.beginning();
        let service = service_fn(move |mut request: hyper::Request<_>| {
            begin();
            let in_flight = connection.request();
            request.extensions_mut().insert(in_flight.clone());
            let response = has_valid_host(&request).then(|| router.call(request));
            async move {
                let response = match response {
                    Some(response) => {
                        let mut response = response.await?;
                        response.headers_mut().extend([KEEP_ALIVE]);
                        response
                    }
                    None => invalid(),
                };
                Ok::<_, Infallible>(memory::hold(response, in_flight))
            }
        });
        http1::Builder::new()
            .max_buf_size(BUFFER)
            .half_close(self.half_close)
            .serve_connection(TokioIo::new(tokio::io::join(reader, writer)), service)
    }
}

impl Server {
    /// Returns the address at which clients on this machine reach the server: none can connect to the unspecified one.
    pub fn address(&self) -> SocketAddr {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        SocketAddr::new(ip, self.address.port())
    }

    /// Returns the number of its connections, whenever it is called.
    pub fn connections(&self) -> impl Fn() -> usize + Send + Sync + use<> {
        let places = self.places.clone();
        move || places.taken()
    }

    /// Stops accepting requests, waits at most `limit` for those in flight, and closes all
    /// connections.
    pub async fn stop(mut self, limit: Duration) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(limit, &mut self.task).await;
        self.task.abort();
    }
}

/// Returns an eighth of the files that the process may open: it may have several listeners, and needs files for its
/// database, too.
fn max_connections() -> usize {
    const MOST: u64 = 2_000;
    /// What most systems allow, where the limit cannot be read.
    const USUAL: u64 = 1_024;
    let files = rlimit::increase_nofile_limit(8 * MOST).unwrap_or(USUAL);
    usize::try_from((files / 8).clamp(1, MOST)).unwrap_or(1)
}

/// Returns whether a request has one `Host`, which HTTP/1.1 requires: of two, in one line or in two, a proxy may have
/// read the other one.
fn has_valid_host<B>(request: &hyper::Request<B>) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => !host.as_bytes().contains(&b','),
        (None, _) => request.version() < Version::HTTP_11,
        _ => false,
    }
}

/// Makes the response to an invalid request, which ends the connection.
fn invalid() -> Response {
    (StatusCode::BAD_REQUEST, [(CONNECTION, "close")]).into_response()
}

/// Returns whether an address leads to this machine alone. An IPv6 address that stands for an IPv4 one, such as
/// `::ffff:127.0.0.1`, does if that one does.
pub fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests;
