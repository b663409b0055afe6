//! The metrics of `serve`, at an address of their own: behind a proxy every client is this machine, so the API's
//! address would show them to everyone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use folder::FolderStore;
use model::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::prometheus_text::{self, encode};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use service::Finished;

use super::api::ApiSite;

/// The bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 10] = [0.005, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 25.0, 60.0];

pub(super) struct RequestMetrics {
    requests: Family<RequestLabels, Counter>,
    duration: Histogram,
    records: Counter,
    skipped: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    /// The status, or `none` if the client left before there was one.
    code: String,
}

impl Default for RequestMetrics {
    fn default() -> Self {
        Self {
            requests: Family::default(),
            duration: Histogram::new(BUCKETS),
            records: Counter::default(),
            skipped: Counter::default(),
        }
    }
}

impl RequestMetrics {
    /// Counts a request that has ended.
    pub(super) fn count(&self, request: &Finished) {
        let code = request.status.map(|status| status.as_u16().to_string());
        let labels = RequestLabels {
            operation: request.operation,
            code: code.unwrap_or_else(|| "none".to_owned()),
        };
        self.requests.get_or_create(&labels).inc();
        self.duration.observe(request.duration.as_secs_f64());
        self.records.inc_by(request.records);
        self.skipped.inc_by(request.skipped);
    }
}

/// What is read whenever the metrics are asked for.
pub(super) struct Watched {
    pub(super) site: Arc<ApiSite>,
    pub(super) store: FolderStore,
    pub(super) database: PathBuf,
    /// The number of connections of each listener.
    pub(super) connections: [(&'static str, Connections); 2],
    pub(super) started: Timestamp,
}

pub(super) type Connections = Box<dyn Fn() -> usize + Send + Sync>;

/// Returns the router of the address, which serves `/metrics` alone.
pub(super) fn router(watched: Watched) -> Router {
    Router::new()
        .route("/metrics", get(respond))
        .with_state(Arc::new(watched))
}

async fn respond(State(watched): State<Arc<Watched>>) -> impl IntoResponse {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = encode(&mut text, &registry(&watched));
    ([(CONTENT_TYPE, prometheus_text::CONTENT_TYPE)], text)
}

/// Makes the registry of what is known at this moment.
fn registry(watched: &Watched) -> Registry {
    let mut registry = Registry::default();
    let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("feedback_build", "The version of the program", build);
    let RequestMetrics {
        requests,
        duration,
        records,
        skipped,
    } = &watched.site.metrics;
    let help = "Requests that have ended, except those of /health";
    registry.register("feedback_http_requests", help, requests.clone());
    let name = "feedback_http_request_duration_seconds";
    let help = "The time until their responses were sent";
    registry.register(name, help, duration.clone());
    let help = "Records and users that requests have read";
    registry.register("feedback_records_read", help, records.clone());
    let help = "Those that could not be decoded";
    registry.register("feedback_records_skipped", help, skipped.clone());
    let help = "Writes that the database has refused";
    let failures = ConstCounter::new(watched.store.write_failures());
    registry.register("feedback_write_failures", help, failures);
    let open = Family::<[(&str, &str); 1], Gauge>::default();
    for (listener, connections) in &watched.connections {
        let count = i64::try_from(connections()).unwrap_or(i64::MAX);
        open.get_or_create(&[("listener", *listener)]).set(count);
    }
    registry.register("feedback_connections", "Open connections", open);
    let process = Process::read();
    let mut gauge = |name, help, value| registry.register(name, help, ConstGauge::new(value));
    let help = "Memory that responses have reserved or hold";
    let memory = watched.site.memory.taken() as u64;
    gauge("feedback_response_memory_bytes", help, memory);
    let help = "The size of the database and its log";
    let database = &watched.database;
    gauge("feedback_database_bytes", help, database_bytes(database));
    let help = "What is free on the disk of the database";
    let disk = rustix::fs::statvfs(database);
    let free = disk.map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
    gauge("feedback_disk_free_bytes", help, free);
    gauge("process_open_fds", "Open files", process.open_files);
    let max_files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let help = "The limit of open files";
    gauge("process_max_fds", help, max_files.unwrap_or(0));
    let help = "Resident memory";
    gauge(
        "process_resident_memory_bytes",
        help,
        process.resident_bytes,
    );
    let help = "Virtual memory";
    gauge("process_virtual_memory_bytes", help, process.virtual_bytes);
    let help = "When the service started, in seconds since 1970";
    let millis = watched.started.millis_since(Timestamp::EPOCH);
    let started = millis.unsigned_abs() / 1000;
    gauge("process_start_time_seconds", help, started);
    let cpu = ConstCounter::new(process.cpu_seconds);
    registry.register("process_cpu_seconds", "Processor time", cpu);
    registry
}

/// The ticks of a second, in which Linux says times to programs, whatever the processor is.
const TICKS: f64 = 100.0;

/// What Linux says of this process; zeros elsewhere.
struct Process {
    cpu_seconds: f64,
    open_files: u64,
    resident_bytes: u64,
    virtual_bytes: u64,
}

impl Process {
    fn read() -> Self {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        // The name of the program may have spaces, and is in parentheses.
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        let mut fields = fields
            .split(' ')
            .map(|field| field.parse::<u64>().unwrap_or(0));
        // utime, stime, vsize and rss of proc_pid_stat(5), which counts from the process's id.
        let mut field = |skipped| fields.nth(skipped).unwrap_or(0);
        let ticks = field(11) + field(0);
        let [virtual_bytes, pages] = [7, 0].map(field);
        Self {
            cpu_seconds: Duration::from_secs(ticks).as_secs_f64() / TICKS,
            open_files: std::fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64),
            resident_bytes: pages.saturating_mul(rustix::param::page_size() as u64),
            virtual_bytes,
        }
    }
}

/// Returns the bytes of a database and its log.
fn database_bytes(database: &Path) -> u64 {
    let files = [database, &database.with_extension("sqlite-wal")];
    let sizes = files.map(|file| file.metadata().map_or(0, |file| file.len()));
    sizes.iter().sum()
}
