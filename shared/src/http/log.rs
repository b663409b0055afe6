//! Logs one line for every request, when its response has been sent or abandoned. On Lambda the line
//! is a JSON object from which CloudWatch extracts metrics (its embedded metric format); elsewhere it
//! is a line of the process's log.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use http::StatusCode;
use metrique_writer_core::format::Format;
use metrique_writer_core::{Entry, EntryWriter};
use metrique_writer_format_emf::Emf;

use super::Call;
use crate::error::Cause;
use crate::model::{Digest, ProjectId, Timestamp, Totals, Usage};

/// The metrics writer; set on Lambda only.
static METRICS: OnceLock<Mutex<Emf>> = OnceLock::new();
/// Whether this process has handled a request.
static WARM: AtomicBool = AtomicBool::new(false);

/// The content of the line. Dropping it writes the line, so a request that its client abandons is
/// logged too, at any point.
///
/// It holds no header, query or path, because they may contain secrets and personal data.
#[derive(Debug)]
pub(super) struct LogEntry {
    arrived: Timestamp,
    request_id: String,
    operation: &'static str,
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
    fn is_server_error(&self) -> bool {
        self.cause != Some(Cause::TooLarge)
            && self.status.is_some_and(|status| status.is_server_error())
    }

    fn project(&self) -> Option<&str> {
        self.project.get().map(ProjectId::as_str)
    }
}

/// An entry whose figures are final.
struct LogLine<'a> {
    entry: &'a LogEntry,
    /// The short id of the credential.
    credential: Option<String>,
    totals: Totals,
    duration: Duration,
    cold_start: bool,
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
        match METRICS.get() {
            Some(metrics) => line.write_json(metrics),
            None => line.trace(),
        }
    }
}

impl LogLine<'_> {
    fn write_json(&self, metrics: &Mutex<Emf>) {
        let mut text = Vec::new();
        let mut metrics = metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let written = metrics.format(self, &mut text).is_ok();
        // In one write, so that lines of other threads do not interleave.
        if !written || std::io::stdout().write_all(&text).is_err() {
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

/// Texts are properties of the line; numbers are also metrics.
impl Entry for LogLine<'_> {
    fn write<'a>(&'a self, writer: &mut impl EntryWriter<'a>) {
        writer.timestamp(self.entry.arrived.into());
        writer.value("Operation", self.entry.operation);
        writer.value("RequestId", &self.entry.request_id);
        writer.value("Project", &self.entry.project());
        writer.value("Credential", &self.credential);
        writer.value(
            "Status",
            &self.entry.status.as_ref().map(StatusCode::as_str),
        );
        writer.value("Duration", &self.duration);
        writer.value("ServerErrors", &self.entry.is_server_error());
        // Among the server errors, so that the same minute has both and an alarm can subtract these.
        writer.value("Throttled", &(self.entry.cause == Some(Cause::Throttled)));
        writer.value("TooLarge", &(self.entry.cause == Some(Cause::TooLarge)));
        writer.value("Incomplete", &!self.entry.complete);
        writer.value("Pages", &self.totals.pages);
        writer.value("Records", &self.totals.records);
        writer.value("Skipped", &self.totals.skipped);
        writer.value("Defaulted", &self.totals.defaulted);
        writer.value("CapacityUnits", &self.totals.capacity_units);
        writer.value("ColdStart", &self.cold_start);
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
    let dimensions = vec![vec!["Operation".to_owned()]];
    METRICS.get_or_init(|| Mutex::new(Emf::builder(namespace, dimensions).build()));
}
