//! Logs one line for every request, when its response has been sent or abandoned. On Lambda the line
//! is a JSON object from which CloudWatch extracts metrics (its embedded metric format); elsewhere it
//! is a line of the process's log.

use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::log_entry::{LogEntry, LogLine};
use super::metrics::MetricsLine;

/// The namespace of the metrics in CloudWatch; set on Lambda only.
static NAMESPACE: OnceLock<String> = OnceLock::new();
/// Whether this process has handled a request.
static WARM: AtomicBool = AtomicBool::new(false);

impl Drop for LogEntry {
    fn drop(&mut self) {
        let line = self.line(!WARM.swap(true, Ordering::Relaxed));
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
