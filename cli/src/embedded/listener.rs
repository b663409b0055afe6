//! An HTTP server on an address, that can be told to stop.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// An address that has been taken, but is not served yet.
pub(crate) struct Listener {
    inner: TcpListener,
    address: SocketAddr,
}

/// A server that runs.
pub(crate) struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Listener {
    /// Takes the address that was given with `flag`.
    pub(crate) async fn bind(flag: &str, address: &str) -> Result<Self, String> {
        let error = |error| format!("cannot listen on {address} ({flag}): {error}");
        let inner = TcpListener::bind(address).await.map_err(error)?;
        let address = inner.local_addr().map_err(error)?;
        Ok(Self { inner, address })
    }

    pub(crate) fn serve(self, router: Router) -> Server {
        let (stop, stopped) = oneshot::channel();
        let serving = axum::serve(self.inner, router).with_graceful_shutdown(async {
            // A dropped sender stops it as well.
            let _ = stopped.await;
        });
        let task = tokio::spawn(async move { serving.await.unwrap_or_default() });
        Server {
            address: self.address,
            stop,
            task,
        }
    }

    pub(crate) fn into_inner(self) -> TcpListener {
        self.inner
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Server {
    /// Where clients on this machine reach it.
    pub(crate) fn address(&self) -> SocketAddr {
        reachable(self.address)
    }

    /// Stops accepting and waits for the requests under way, but no longer than `patience`.
    pub(crate) async fn stop(self, patience: Duration) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(patience, self.task).await;
    }
}

/// The loopback address instead of "every address", which is not one that a client can ask.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
