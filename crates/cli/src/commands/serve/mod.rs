//! `feedback serve`: serves the API, and the store that it reads, in one process.

mod api;
mod demo;
mod docs;
mod files;
mod greeting;
mod options;
mod running;
mod sample;

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;

use crate::signals;
pub use options::{FileOptions, Options};
use running::GRACE;
pub use running::Service;

/// Runs the command until Ctrl-C or SIGTERM.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let mut signal = std::pin::pin!(signals::shutdown()?);
    let now = service::now();
    if !options.files.files.is_empty() {
        let api = tokio::select! {
            api = files::start(&options, now) => api?,
            () = &mut signal => return Ok(ExitCode::SUCCESS),
        };
        announce(api.address());
        signal.await;
        api.stop(GRACE).await;
        return Ok(ExitCode::SUCCESS);
    }
    let mut service = tokio::select! {
        service = Service::start(&options, now) => service?,
        () = &mut signal => return Ok(ExitCode::SUCCESS),
    };
    greeting::print(&service, &options);
    announce(service.api_address());
    let ended = tokio::select! {
        () = signal => Ok(ExitCode::SUCCESS),
        error = service.damage() => Err(error),
    };
    service.stop().await;
    ended
}

/// Prints the address of the API. The service continues if the reader closes the pipe.
fn announce(address: SocketAddr) {
    let _ = writeln!(std::io::stdout(), "listening on http://{address}");
}
