//! One line for every request, written when its answer has been sent or given up: on Lambda a JSON
//! object that CloudWatch also reads metrics from (its embedded metric format), elsewhere a line of
//! the process's log.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use http::StatusCode;
use metrique_writer_core::format::Format;
use metrique_writer_core::{Entry as MetricEntry, EntryWriter};
use metrique_writer_format_emf::Emf;

use crate::model::{ProjectId, Timestamp, Totals, Usage};

/// The namespace of the metrics in CloudWatch; their one dimension is `Operation`.
const NAMESPACE: &str = "SurveyFeedback";

/// Set on Lambda.
static METRICS: OnceLock<Mutex<Emf>> = OnceLock::new();
/// Whether this process has answered a request.
static WARM: AtomicBool = AtomicBool::new(false);

/// What the line will say. It is written when this is dropped, so a client that leaves early is
/// logged too.
///
/// It holds no header, no query and no path: they may carry secrets and personal data.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) arrived: Timestamp,
    pub(super) request_id: String,
    pub(super) operation: &'static str,
    pub(super) project: Option<ProjectId>,
    pub(super) status: StatusCode,
    pub(super) started: Instant,
    pub(super) usage: Arc<Usage>,
    /// Whether the whole answer was handed over.
    pub(super) complete: bool,
}

/// An entry whose figures are final.
struct Line<'a> {
    entry: &'a Entry,
    totals: Totals,
    duration: Duration,
    cold_start: bool,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let line = Line {
            entry: self,
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

impl Line<'_> {
    fn write_json(&self, metrics: &Mutex<Emf>) {
        let mut text = Vec::new();
        let mut metrics = metrics.lock().unwrap_or_else(PoisonError::into_inner);
        let written = metrics.format(self, &mut text).is_ok();
        // Whole, so that lines of other threads do not mix with it.
        if !written || std::io::stdout().write_all(&text).is_err() {
            tracing::error!(
                request_id = self.entry.request_id,
                "a request could not be logged"
            );
        }
    }

    fn trace(&self) {
        let Entry {
            request_id,
            operation,
            project,
            status,
            complete,
            ..
        } = self.entry;
        tracing::info!(
            request_id,
            operation,
            project = project.as_ref().map(ProjectId::as_str),
            status = status.as_u16(),
            complete,
            duration_ms = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX),
            pages = self.totals.pages,
            records = self.totals.records,
            skipped = self.totals.skipped,
            capacity_units = self.totals.capacity_units,
            "request"
        );
    }
}

/// Texts are properties of the line, numbers are metrics too.
impl MetricEntry for Line<'_> {
    fn write<'a>(&'a self, writer: &mut impl EntryWriter<'a>) {
        writer.timestamp(self.entry.arrived.into());
        writer.value("Operation", self.entry.operation);
        writer.value("RequestId", &self.entry.request_id);
        writer.value(
            "Project",
            &self.entry.project.as_ref().map(ProjectId::as_str),
        );
        writer.value("Status", self.entry.status.as_str());
        writer.value("Duration", &self.duration);
        writer.value("Incomplete", &!self.entry.complete);
        writer.value("Pages", &self.totals.pages);
        writer.value("Records", &self.totals.records);
        writer.value("Skipped", &self.totals.skipped);
        writer.value("CapacityUnits", &self.totals.capacity_units);
        writer.value("ColdStart", &self.cold_start);
    }
}

/// Writes the log of a Lambda function as JSON lines to standard output, where Lambda collects it.
pub fn init() {
    tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .init();
    let dimensions = vec![vec!["Operation".to_owned()]];
    METRICS.get_or_init(|| Mutex::new(Emf::builder(NAMESPACE.to_owned(), dimensions).build()));
}
