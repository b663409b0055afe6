//! The commands of `feedback`, a file or folder each.

pub mod backup;
pub mod completions;
mod confirm;
pub mod credentials;
pub mod dashboard;
pub mod erase;
pub mod export;
pub mod health;
pub mod import;
mod link;
pub mod manual;
pub mod mcp;
mod progress;
pub mod serve;
pub mod stats;
mod stdin;
pub mod tables;
mod target;
pub mod users;

use std::io::ErrorKind;

use anyhow::{Context as _, anyhow};
use axum::http::Uri;
use server::Listener;

/// Binds the address that was given with `flag`.
async fn bind(flag: &str, address: &str) -> anyhow::Result<Listener> {
    let bound = Listener::bind(address).await.map_err(|error| {
        let is_taken = error.kind() == ErrorKind::AddrInUse;
        let way = format!("{error}; {flag} 127.0.0.1:0 takes a free port");
        if is_taken { anyhow!(way) } else { error.into() }
    });
    bound.with_context(|| format!("cannot listen on {address} ({flag})"))
}

/// Returns whether a request is one to the API. What else is served is part of the program, and takes no memory.
fn is_of_api(uri: &Uri) -> bool {
    uri.path().starts_with("/api/")
}
