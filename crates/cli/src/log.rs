//! The log of the program.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

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
