//! An HTTP server that can be stopped.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A bound address that is not served yet.
pub(crate) struct Listener {
    inner: TcpListener,
    address: SocketAddr,
}

/// A running server.
pub(crate) struct Server {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Listener {
    /// Binds the address that was given with `flag`.
    pub(crate) async fn bind(flag: &str, address: &str) -> anyhow::Result<Self> {
        let failed = || format!("cannot listen on {address} ({flag})");
        let inner = TcpListener::bind(address).await.with_context(failed)?;
        let address = inner.local_addr().with_context(failed)?;
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
    /// Returns the address at which clients on this machine reach the server.
    pub(crate) fn address(&self) -> SocketAddr {
        reachable(self.address)
    }

    /// Stops accepting requests, and waits at most `limit` for those in flight.
    pub(crate) async fn stop(self, limit: Duration) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(limit, self.task).await;
    }
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
