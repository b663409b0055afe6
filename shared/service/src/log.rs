//! Logs one line for every request, when its response has been sent or abandoned. On Lambda the line
//! is a JSON object from which CloudWatch extracts metrics, in its [embedded metric format]; elsewhere it
//! is a line of the process's log.
//!
//! [embedded metric format]: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use http::StatusCode;
use model::{Digest, ProjectId, Timestamp};
use serde::Serialize;
use store::Usage;

use crate::call::Call;
use crate::error::Cause;

/// The namespace of the metrics in CloudWatch; set on Lambda only.
static NAMESPACE: OnceLock<String> = OnceLock::new();

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

/// The content of the line. Dropping it writes the line, so a request that its client abandons is
/// logged too, at any point.
///
/// It holds no header, query or path, because they may contain secrets and personal data.
#[derive(Debug)]
pub(crate) struct LogEntry {
    pub(crate) arrived: Timestamp,
    pub(crate) request_id: String,
    pub(crate) operation: &'static str,
    pub(crate) project: Arc<OnceLock<ProjectId>>,
    pub(crate) credential: Arc<OnceLock<Digest>>,
    pub(crate) started: Instant,
    pub(crate) usage: Arc<Usage>,
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
}

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
        let written = serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|text| io::stdout().write_all((text + "\n").as_bytes()));
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

/// The members that are metrics, with their units.
const METRICS: [Metric; 11] = [
    Metric::in_unit("Duration", "Milliseconds"),
    Metric::count("ServerErrors"),
    Metric::count("Throttled"),
    Metric::count("TooLarge"),
    Metric::count("Incomplete"),
    Metric::count("Pages"),
    Metric::count("Records"),
    Metric::count("Skipped"),
    Metric::count("Defaulted"),
    Metric::count("CapacityUnits"),
    Metric::count("ColdStart"),
];

/// The line. Texts are properties of it; numbers are metrics.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct MetricsLine<'a> {
    #[serde(rename = "_aws")]
    metadata: Metadata<'a>,
    duration: f64,
    server_errors: u8,
    // Throttled requests are server errors, too: an alarm subtracts them from those of the same minute.
    throttled: u8,
    too_large: u8,
    incomplete: u8,
    pages: u64,
    records: u64,
    skipped: u64,
    defaulted: u64,
    capacity_units: f64,
    cold_start: u8,
    operation: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credential: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metadata<'a> {
    cloud_watch_metrics: [Directive<'a>; 1],
    /// In milliseconds since 1970.
    timestamp: i64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Directive<'a> {
    namespace: &'a str,
    dimensions: [[&'static str; 1]; 1],
    metrics: &'static [Metric],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metric {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
}

impl Metric {
    const fn count(name: &'static str) -> Self {
        Self { name, unit: None }
    }

    const fn in_unit(name: &'static str, unit: &'static str) -> Self {
        let unit = Some(unit);
        Self { name, unit }
    }
}

/// Whether this process has handled a request.
static WARM: AtomicBool = AtomicBool::new(false);

impl<'a> MetricsLine<'a> {
    /// Makes the line of a request that ends now, whose metrics have this namespace in CloudWatch.
    fn new(entry: &'a LogEntry, namespace: &'a str) -> Self {
        let totals = entry.usage.totals();
        let is_too_large = entry.cause == Some(Cause::TooLarge);
        let is_server_error = entry.status.is_some_and(|status| status.is_server_error());
        Self {
            metadata: Metadata {
                cloud_watch_metrics: [Directive {
                    namespace,
                    dimensions: [["Operation"]],
                    metrics: &METRICS,
                }],
                timestamp: entry.arrived.millis_since(Timestamp::EPOCH),
            },
            duration: entry.started.elapsed().as_secs_f64() * 1000.0,
            server_errors: (is_server_error && !is_too_large).into(),
            throttled: (entry.cause == Some(Cause::Throttled)).into(),
            too_large: is_too_large.into(),
            incomplete: (!entry.complete).into(),
            pages: totals.pages,
            records: totals.records,
            skipped: totals.skipped,
            defaulted: totals.defaulted,
            capacity_units: totals.capacity_units,
            cold_start: (!WARM.swap(true, Ordering::Relaxed)).into(),
            operation: entry.operation,
            request_id: &entry.request_id,
            project: entry.project.get().map(ProjectId::as_str),
            credential: entry.credential.get().map(Digest::short_id),
            status: entry.status.as_ref().map(StatusCode::as_str),
        }
    }
}
