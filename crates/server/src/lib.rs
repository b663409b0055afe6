//! An HTTP server that can be stopped, for any router.
//!
//! It is an accept loop over hyper, because axum's has no time limit for the head of a request: one that is
//! not complete after ten seconds closes its connection. Connections are limited to an eighth of the files that the process
//! may open. When there are too many, the one that has waited longest for a request makes room, or else the one
//! whose client has not read its response for longest, so that clients that never complete a request keep nobody out.
//! Bytes that are no request get hyper's own refusal, a bare status.

mod connections;
mod stream;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use connections::{Connections, Slot};
use stream::ObservedStream;

/// What clients may take up.
#[derive(Clone, Copy)]
struct Limits {
    /// The number of connections.
    connections: usize,
    /// The time in which a client must send the whole head of a request.
    head: Duration,
    /// The time in which a client must accept part of its response, or the connection may have to make room.
    stall: Duration,
}

impl Limits {
    /// Limits the connections to an eighth of the files that the process may open: there are two
    /// servers, and one of them forwards each connection to the store, which takes two files more.
    fn within_file_limit() -> Self {
        const MAX: u64 = 10_000;
        #[cfg(unix)]
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        #[cfg(not(unix))]
        let files = None;
        let connections = (files.unwrap_or(8 * MAX) / 8).clamp(1, MAX);
        Self {
            connections: usize::try_from(connections).unwrap_or(1),
            head: Duration::from_secs(10),
            stall: Duration::from_secs(10),
        }
    }
}

/// The bytes of a response that the system keeps for a client. The several megabytes that it would choose make
/// slow clients expensive, and look for a long time like clients that read nothing.
#[cfg(unix)]
const SEND_BUFFER: usize = 256 << 10;

/// A bound address that is not served yet.
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
    limits: Limits,
}

/// A running server.
pub struct Server {
    address: SocketAddr,
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
        let address = inner.local_addr()?;
        Ok(Self {
            inner,
            address,
            limits: Limits::within_file_limit(),
        })
    }

    /// Serves the router in tasks of this runtime.
    pub fn serve(self, router: Router) -> Server {
        let (stop, stopped) = oneshot::channel();
        Server {
            address: self.address,
            stop,
            task: tokio::spawn(serve(self.inner, self.limits, router, stopped)),
        }
    }

    /// Returns the address that is bound.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Server {
    /// Returns the address at which clients on this machine reach the server.
    pub fn address(&self) -> SocketAddr {
        reachable(self.address)
    }

    /// Stops accepting requests, waits at most `limit` for those in flight, and closes all
    /// connections.
    pub async fn stop(mut self, limit: Duration) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(limit, &mut self.task).await;
        self.task.abort();
    }
}

/// Serves connections until it is stopped, then waits for the requests in flight. Dropping the future
/// closes the connections.
async fn serve(
    listener: TcpListener,
    limits: Limits,
    router: Router,
    mut stopped: oneshot::Receiver<()>,
) {
    let connections = Connections::new(limits);
    let graceful = GracefulShutdown::new();
    let mut tasks = JoinSet::new();
    loop {
        let (stream, slot) = tokio::select! {
            // A dropped sender stops it as well.
            _ = &mut stopped => break,
            accepted = connections.accept(&listener) => accepted,
        };
        let connection = graceful.watch(connection(stream, limits, &slot, &router));
        tasks.spawn(async move {
            tokio::select! {
                _ = connection => {}
                () = slot.taken() => {}
            }
        });
        while tasks.try_join_next().is_some() {}
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Serves the requests of a connection, one after the other.
fn connection(
    stream: TcpStream,
    limits: Limits,
    slot: &Slot,
    router: &Router,
) -> impl GracefulConnection + Send + use<> {
    let router = TowerToHyperService::new(router.clone());
    let in_flight = slot.clone();
    let service = service_fn(move |request: hyper::Request<_>| {
        let in_flight = in_flight.request();
        let response = router.call(request);
        async { response.await.map(|response| in_flight.with(response)) }
    });
    #[cfg(unix)]
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER);
    let stream = ObservedStream::new(stream, slot.clone());
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(stream), service)
}

/// Replaces the unspecified address, to which clients cannot connect, by the loopback address.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests;
