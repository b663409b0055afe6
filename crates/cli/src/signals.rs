//! The signals that end a command.

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

/// Listens for Ctrl-C and SIGTERM; the future ends with the first of them.
pub(crate) fn shutdown() -> anyhow::Result<impl Future<Output = ()>> {
    let listen = |kind| signal(kind).context("cannot listen for signals");
    let (mut interrupt, mut terminate) = (
        listen(SignalKind::interrupt())?,
        listen(SignalKind::terminate())?,
    );
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
