//! How the process begins and ends: the threads on which a command runs, its log, the signals that end it, and its exit
//! code.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::prelude::*;

use crate::client::Refused;

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

/// Starts the log of a command on standard error: warnings and errors, as text.
pub fn init_log() {
    init(std::io::stderr, true);
}

/// The log of the service on standard error, in which lines wait for who reads it, and are dropped if too many do:
/// a pipe that nobody reads must not stop the service.
pub(crate) struct ServiceLog {
    /// Whether lines are text for a person.
    pub(crate) is_text: bool,
    dropped: ErrorCounter,
    _until_written: WorkerGuard,
}

impl ServiceLog {
    /// Starts it: text on a terminal, and JSON elsewhere, as that of the functions.
    pub(crate) fn start() -> Self {
        /// Some four megabytes.
        const WAITING: usize = 10_000;
        let is_text = std::io::stderr().is_terminal();
        let waiting = NonBlockingBuilder::default().buffered_lines_limit(WAITING);
        let (writer, guard) = waiting.finish(std::io::stderr());
        let dropped = writer.error_counter();
        init(writer, is_text);
        Self {
            is_text,
            dropped,
            _until_written: guard,
        }
    }

    pub(crate) fn dropped(&self) -> usize {
        self.dropped.dropped_lines()
    }
}

/// Starts a log of text, or of JSON.
fn init(writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static, is_text: bool) {
    let lines = fmt::layer()
        .with_writer(writer)
        .with_ansi(false)
        .with_target(false);
    let lines = if is_text {
        lines.boxed()
    } else {
        let json = lines.json().flatten_event(true);
        json.with_span_list(false).boxed()
    };
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
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .init();
}

/// Runs a command until it ends, or until Ctrl-C or SIGTERM, so that its temporary files are deleted in either case.
pub(crate) async fn interruptible(
    command: impl Future<Output = anyhow::Result<ExitCode>>,
) -> anyhow::Result<ExitCode> {
    let signal = shutdown()?;
    tokio::select! {
        ended = command => ended,
        () = signal => Ok(ExitCode::from(130)),
    }
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

/// What is wrong with how a command was called: a value that is mistyped, or names what there is not.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// Returns the exit code of a command that did all of its work, or left something out.
pub(crate) fn done(is_whole: bool) -> ExitCode {
    ExitCode::from(if is_whole { 0 } else { 2 })
}

/// Returns the exit code of a command that fails with this error.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    let refused = error.downcast_ref::<Refused>();
    if error.is::<Usage>() || refused.is_some_and(Refused::is_of_parameters) {
        2
    } else {
        1
    }
}
