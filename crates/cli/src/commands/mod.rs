//! The commands of `feedback`, a file or folder each.

pub mod backup;
pub mod check;
mod command_store;
pub mod create_tables;
mod credential_files;
pub mod credentials;
pub mod erase;
pub mod export;
pub mod health;
pub mod import;
pub mod mcp;
mod output_file;
mod record_files;
pub mod serve;
mod standard_input;
pub mod stats;

use std::io::ErrorKind;

use anyhow::{Context as _, anyhow, ensure};
use server::{Listener, NoRoom, Room};
use service::error::Error;

/// Binds the address that was given with `flag`, or with the variable that stands for it; a port alone is one of this
/// machine.
async fn bind(flag: &str, address: &str) -> anyhow::Result<Listener> {
    let option = serve::variable_with(flag, address).unwrap_or(flag);
    let port = address
        .parse::<u16>()
        .map(|port| format!("127.0.0.1:{port}"));
    let address = port.as_deref().unwrap_or(address);
    let has_host = address.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !host.contains('/') && port.parse::<u16>().is_ok()
    });
    ensure!(
        has_host,
        "{option} must be an address and a port, such as 127.0.0.1:3000, or a port alone"
    );
    let bound = Listener::bind(address).await.map_err(|error| {
        let is_taken = error.kind() == ErrorKind::AddrInUse;
        let way = format!("{error}; {flag} 127.0.0.1:0 takes a free port");
        if is_taken { anyhow!(way) } else { error.into() }
    });
    bound.with_context(|| format!("cannot listen on {address} ({option})"))
}

/// The memory of the API's requests. A caller has less than two that count each person once would take, which bounds
/// what slow readers of one key hold, too.
const REQUESTS: Room = Room {
    all: 448,
    of_caller: 96,
};

/// Makes the error of a request that others leave no room for.
fn no_room(_: NoRoom) -> Error {
    Error::busy("Other requests take up all memory at the moment. Try again in a second.")
}
