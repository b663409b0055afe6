//! What the tests of several crates and the benchmarks put in the places of AWS: [`stub`] is a DynamoDB that
//! answers as a script says, over HTTP or in the process of its client, [`responses`] is one that reads the
//! records of a project with DynamoDB's limits, [`Bootstrap`] plays Lambda's Runtime API for one of the
//! functions' programs, and [`Project`] writes items to any store as another program would, with the SDK
//! alone. Nothing here uses the project's own code, so that what it proves does not depend on what it tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::format_push_string,
    clippy::missing_panics_doc
)]

mod project;
mod random;
mod reply;
pub mod responses;
mod runtime_api;
pub mod stub;
pub mod transcript;

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Handle};
use tokio::time::sleep;

pub use project::{
    Project, client_of, credential_attributes, map, n, null, s, sha256, shard_of, ss,
};
pub use random::Random;
pub use reply::Reply;
pub use runtime_api::{Bootstrap, Outcome};

/// Tries this for a minute, until there is a result.
pub async fn eventually<T>(attempt: impl Fn() -> Option<T>) -> Option<T> {
    for _ in 0..6000 {
        if let Some(result) = attempt() {
            return Some(result);
        }
        sleep(Duration::from_millis(10)).await;
    }
    None
}

/// Returns the rows of a table: a line each, with `|` between its cells.
pub fn rows<const CELLS: usize>(table: &str) -> impl Iterator<Item = [&str; CELLS]> {
    table.trim().lines().map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        cells.try_into().expect(line)
    })
}

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
