//! Logs one line for every request, when its response has been sent or abandoned. On Lambda the line
//! is a JSON object from which CloudWatch extracts metrics (its embedded metric format); elsewhere it
//! is a line of the process's log.

use std::io::{self, Write as _};
use std::sync::OnceLock;

use super::log_entry::LogEntry;
use super::metrics::MetricsLine;

/// The namespace of the metrics in CloudWatch; set on Lambda only.
static NAMESPACE: OnceLock<String> = OnceLock::new();

impl Drop for LogEntry {
    fn drop(&mut self) {
        let namespace = NAMESPACE.get();
        let line = MetricsLine::new(self, namespace.map_or("", String::as_str));
        match namespace {
            Some(_) => self.write_json(&line),
            None => self.trace(&line),
        }
    }
}

impl LogEntry {
    fn write_json(&self, line: &MetricsLine<'_>) {
        // In one write, so that lines of other threads do not interleave.
        let written = serde_json::to_string(line).map_err(io::Error::from);
        let written = written.and_then(|line| {
            let line = line + "\n";
            io::stdout().write_all(line.as_bytes())
        });
        if written.is_err() {
            tracing::error!(
                request_id = self.request_id,
                "a request could not be logged"
            );
        }
    }

    fn trace(&self, line: &MetricsLine<'_>) {
        tracing::info!(
            request_id = self.request_id,
            operation = self.operation,
            project = line.project,
            credential = line.credential,
            status = self.status.map(|status| status.as_u16()),
            complete = self.complete,
            duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            pages = line.pages,
            records = line.records,
            skipped = line.skipped,
            defaulted = line.defaulted,
            capacity_units = line.capacity_units,
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
