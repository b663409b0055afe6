//! Logs one line for every request, when its response has been sent or abandoned. The process decides where
//! lines go and which form they have; those of a Lambda function are JSON, of which `monitoring.yaml` counts
//! some.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use auth::Digest;
use http::StatusCode;
use model::ProjectId;
use store::ReadUsage;

use crate::call::Call;
use crate::error::Cause;
use crate::host::{Finished, Host};

/// Starts the log of a Lambda function: JSON lines on standard output, where Lambda collects them.
pub fn init() {
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_span_list(false) // the runtime's only span names the invocation, also of a fault
        .with_target(false)
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .init();
}

/// The content of the line. Dropping it writes the line, so a request that its client abandons is
/// logged too, at any point.
///
/// It holds no header, query or path, because they may contain secrets and personal data.
pub(crate) struct LogEntry {
    /// Counts the request, too.
    host: Option<Arc<dyn Host>>,
    pub(crate) request_id: String,
    pub(crate) operation: &'static str,
    pub(crate) project: Arc<OnceLock<ProjectId>>,
    pub(crate) credential: Arc<OnceLock<Digest>>,
    pub(crate) started: Instant,
    pub(crate) usage: Arc<ReadUsage>,
    /// The status of the response; `None` if the request was abandoned before there was one.
    pub(crate) status: Option<StatusCode>,
    /// Whether the whole response was sent.
    pub(crate) complete: bool,
    /// What made the operation fail, if it is what clients cause.
    pub(crate) cause: Option<Cause>,
}

impl LogEntry {
    pub(crate) fn new(call: &Call, operation: &'static str) -> Self {
        Self {
            host: call.host.clone(),
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
}

impl Drop for LogEntry {
    fn drop(&mut self) {
        let totals = self.usage.totals();
        let duration = self.started.elapsed();
        if let Some(host) = &self.host {
            host.finished(&Finished {
                operation: self.operation,
                status: self.status,
                duration,
                records: totals.records,
                skipped: totals.skipped,
            });
        }
        tracing::info!(
            request_id = self.request_id,
            operation = self.operation,
            project = self.project.get().map(ProjectId::as_str),
            credential = self.credential.get().map(Digest::short_id),
            status = self.status.map(|status| status.as_u16()),
            cause = self.cause.map(Cause::as_str),
            complete = self.complete,
            duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            pages = totals.pages,
            records = totals.records,
            skipped = totals.skipped,
            defaulted = totals.defaulted,
            capacity_units = totals.capacity_units,
            "request"
        );
    }
}
