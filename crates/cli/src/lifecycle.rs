//! How the process begins and ends: the threads on which a command runs, its log, and the signals that end it.

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

/// Makes the runtime of a command, with a thread that may block for each reader of the embedded store and
/// four more: each thread keeps memory.
///
/// # Errors
///
/// Fails if the system provides no threads or events.
pub fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(folder::max_readers() + 4)
        .build()
}

/// Starts the log on standard error: a line for each request, and warnings and errors.
pub fn init_log() {
    let ours = [
        "folder",
        "feedback",
        "response_statistics",
        "model",
        "service",
        "store",
        "users",
    ]
    .map(|name| (name, LevelFilter::INFO));
    let filter = Targets::new()
        .with_targets(ours)
        .with_default(LevelFilter::ERROR);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false);
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .init();
}

/// Listens for Ctrl-C and SIGTERM; the future ends with the first of them.
pub(crate) fn shutdown() -> anyhow::Result<impl Future<Output = ()>> {
    let listen = |kind| signal(kind).context("cannot listen for signals");
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
