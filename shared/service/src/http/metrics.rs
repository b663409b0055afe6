//! The log line of a Lambda function, from which CloudWatch extracts metrics: its
//! [embedded metric format](https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).

use std::sync::atomic::{AtomicBool, Ordering};

use http::StatusCode;
use model::{Digest, ProjectId, Timestamp};
use serde::Serialize;

use super::log_entry::LogEntry;
use crate::error::Cause;

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
pub(super) struct MetricsLine<'a> {
    #[serde(rename = "_aws")]
    metadata: Metadata<'a>,
    duration: f64,
    server_errors: u8,
    // Throttled requests are server errors, too: an alarm subtracts them from those of the same minute.
    throttled: u8,
    too_large: u8,
    incomplete: u8,
    pub(super) pages: u64,
    pub(super) records: u64,
    pub(super) skipped: u64,
    pub(super) defaulted: u64,
    pub(super) capacity_units: f64,
    cold_start: u8,
    operation: &'static str,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) credential: Option<String>,
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
    pub(super) fn new(entry: &'a LogEntry, namespace: &'a str) -> Self {
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
