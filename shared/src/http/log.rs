//! Logs one line for every request, when its response has been sent or abandoned. On Lambda the line
//! is a JSON object from which CloudWatch extracts metrics (its embedded metric format); elsewhere it
//! is a line of the process's log.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use http::StatusCode;

use super::Call;
use super::metrics::MetricsLine;
use crate::error::Cause;
use crate::model::{Digest, ProjectId, Timestamp, Totals, Usage};

/// The namespace of the metrics in CloudWatch; set on Lambda only.
static NAMESPACE: OnceLock<String> = OnceLock::new();
/// Whether this process has handled a request.
static WARM: AtomicBool = AtomicBool::new(false);

/// The content of the line. Dropping it writes the line, so a request that its client abandons is
/// logged too, at any point.
///
/// It holds no header, query or path, because they may contain secrets and personal data.
#[derive(Debug)]
pub(super) struct LogEntry {
    pub(super) arrived: Timestamp,
    pub(super) request_id: String,
    pub(super) operation: &'static str,
    project: Arc<OnceLock<ProjectId>>,
    credential: Arc<OnceLock<Digest>>,
    started: Instant,
    usage: Arc<Usage>,
    /// The status of the response; `None` if the request was abandoned before there was one.
    pub(super) status: Option<StatusCode>,
    /// Whether the whole response was sent.
    pub(super) complete: bool,
    /// What made the operation fail, if it is what clients cause.
    pub(super) cause: Option<Cause>,
}

impl LogEntry {
    pub(super) fn new(call: &Call, operation: &'static str) -> Self {
        Self {
            arrived: call.now,
            request_id: call.id.clone(),
            operation,
            project: call.project.clone(),
            credential: call.credential.clone(),
            started: Instant::now(),
            usage: call.usage.clone(),
            status: None,
            complete: false,
            cause: None,
        }
    }

    /// Returns whether the response is an error of the service, be it for lack of capacity.
    pub(super) fn is_server_error(&self) -> bool {
        self.cause != Some(Cause::TooLarge)
            && self.status.is_some_and(|status| status.is_server_error())
    }

    pub(super) fn project(&self) -> Option<&str> {
        self.project.get().map(ProjectId::as_str)
    }
}

/// An entry whose figures are final.
pub(super) struct LogLine<'a> {
    pub(super) entry: &'a LogEntry,
    /// The short id of the credential.
    pub(super) credential: Option<String>,
    pub(super) totals: Totals,
    pub(super) duration: Duration,
    pub(super) cold_start: bool,
}

impl Drop for LogEntry {
    fn drop(&mut self) {
        let line = LogLine {
            entry: self,
            credential: self.credential.get().map(Digest::short_id),
            totals: self.usage.totals(),
            duration: self.started.elapsed(),
            cold_start: !WARM.swap(true, Ordering::Relaxed),
        };
        match NAMESPACE.get() {
            Some(namespace) => line.write_json(namespace),
            None => line.trace(),
        }
    }
}

impl LogLine<'_> {
    fn write_json(&self, namespace: &str) {
        let line = serde_json::to_string(&MetricsLine::new(self, namespace));
        // In one write, so that lines of other threads do not interleave.
        let written = line.map_err(io::Error::from).and_then(|line| {
            let line = line + "\n";
            io::stdout().write_all(line.as_bytes())
        });
        if written.is_err() {
            tracing::error!(
                request_id = self.entry.request_id,
                "a request could not be logged"
            );
        }
    }

    fn trace(&self) {
        let LogEntry {
            request_id,
            operation,
            status,
            complete,
            ..
        } = self.entry;
        tracing::info!(
            request_id,
            operation,
            project = self.entry.project(),
            credential = self.credential,
            status = status.map(|status| status.as_u16()),
            complete,
            duration_ms = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX),
            pages = self.totals.pages,
            records = self.totals.records,
            skipped = self.totals.skipped,
            defaulted = self.totals.defaulted,
            capacity_units = self.totals.capacity_units,
            "request"
        );
    }
}

/// Starts the log of a Lambda function: JSON lines on standard output, where Lambda collects them.
/// `namespace` is that of the metrics in CloudWatch. Their only dimension is `Operation`.
pub fn init(namespace: String) {
    tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .init();
    NAMESPACE.get_or_init(|| namespace);
}
