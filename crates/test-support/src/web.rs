//! HTTP servers for the time of a test.

use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};

/// Serves this as long as the current runtime, or without one as long as the process. Returns its address.
pub fn listen(router: Router) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let serving = async { axum::serve(TcpListener::from_std(listener).unwrap(), router).await };
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(serving);
    } else {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        std::thread::spawn(move || runtime.block_on(serving));
    }
    address
}

/// Serves this as [`listen`] does, and returns its URL.
pub fn serve(router: Router) -> String {
    format!("http://{}", listen(router))
}
