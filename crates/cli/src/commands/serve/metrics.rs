//! The metrics of `serve`, at an address of their own: behind a proxy every client is this machine, so the API's
//! address would show them to everyone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::prometheus_text::{self, encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use service::Finished;

/// The bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 10] = [0.005, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 25.0, 60.0];

#[derive(Default)]
pub(super) struct RequestMetrics {
    requests: Family<RequestLabels, Counter>,
    duration: DurationMetric,
    records: Counter,
    skipped: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    /// The status, or `none` if the client left before there was one.
    code: String,
}

struct DurationMetric(Histogram);

impl Default for DurationMetric {
    fn default() -> Self {
        Self(Histogram::new(BUCKETS))
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
        self.duration.0.observe(request.duration.as_secs_f64());
        self.records.inc_by(request.records);
        self.skipped.inc_by(request.skipped);
    }
}

/// What is read whenever the metrics are asked for.
pub(super) struct Watched {
    /// The number of connections of each listener.
    pub(super) connections: [(&'static str, Connections); 2],
    /// The bytes that responses take.
    pub(super) response_memory: Box<dyn Fn() -> usize + Send + Sync>,
    /// The number of writes that the store has refused.
    pub(super) write_failures: Box<dyn Fn() -> u64 + Send + Sync>,
    pub(super) database: PathBuf,
}

pub(super) type Connections = Box<dyn Fn() -> usize + Send + Sync>;

/// What is set whenever the metrics are asked for, in the order of [`Metrics::gauges`].
const GAUGES: [(&str, &str); 8] = [
    (
        "feedback_response_memory_bytes",
        "Memory that responses have reserved or hold",
    ),
    (
        "feedback_database_bytes",
        "The size of the database and its log",
    ),
    (
        "feedback_disk_free_bytes",
        "What is free on the disk of the database",
    ),
    ("process_open_fds", "Open files"),
    ("process_max_fds", "The limit of open files"),
    ("process_resident_memory_bytes", "Resident memory"),
    ("process_virtual_memory_bytes", "Virtual memory"),
    (
        "process_start_time_seconds",
        "When the service started, in seconds since 1970",
    ),
];

struct Metrics {
    registry: Registry,
    watched: Watched,
    started: u64,
    connections: Family<[(&'static str, &'static str); 1], Gauge>,
    gauges: [Gauge; GAUGES.len()],
    write_failures: Counter,
    cpu: Counter<f64, AtomicU64>,
}

/// Returns the router of the address, which serves `/metrics` alone.
pub(super) fn router(requests: &RequestMetrics, watched: Watched) -> Router {
    let metrics = Metrics::new(requests, watched);
    Router::new()
        .route("/metrics", get(respond))
        .with_state(Arc::new(metrics))
}

async fn respond(State(metrics): State<Arc<Metrics>>) -> impl IntoResponse {
    metrics.read();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = encode(&mut text, &metrics.registry);
    ([(CONTENT_TYPE, prometheus_text::CONTENT_TYPE)], text)
}

impl Metrics {
    fn new(requests: &RequestMetrics, watched: Watched) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut metrics = Self {
            registry: Registry::default(),
            watched,
            started: now.unwrap_or_default().as_secs(),
            connections: Family::default(),
            gauges: Default::default(),
            write_failures: Counter::default(),
            cpu: Counter::default(),
        };
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        let registry = &mut metrics.registry;
        registry.register("feedback_build", "The version of the program", build);
        let help = "Requests that have ended, except those of /health";
        registry.register("feedback_http_requests", help, requests.requests.clone());
        let help = "The time until their responses were sent";
        let duration = requests.duration.0.clone();
        registry.register("feedback_http_request_duration_seconds", help, duration);
        let failures = metrics.write_failures.clone();
        for (name, help, counter) in [
            (
                "feedback_records_read",
                "Records and users that requests have read",
                requests.records.clone(),
            ),
            (
                "feedback_records_skipped",
                "Those that could not be decoded",
                requests.skipped.clone(),
            ),
            (
                "feedback_write_failures",
                "Writes that the database has refused",
                failures,
            ),
        ] {
            registry.register(name, help, counter);
        }
        registry.register(
            "feedback_connections",
            "Open connections",
            metrics.connections.clone(),
        );
        for ((name, help), gauge) in GAUGES.iter().zip(&metrics.gauges) {
            registry.register(*name, *help, gauge.clone());
        }
        registry.register("process_cpu_seconds", "Processor time", metrics.cpu.clone());
        metrics
    }

    fn read(&self) {
        let watched = &self.watched;
        for (listener, connections) in &watched.connections {
            let gauge = self.connections.get_or_create(&[("listener", *listener)]);
            gauge.set(i64::try_from(connections()).unwrap_or(i64::MAX));
        }
        let failures = (watched.write_failures)();
        self.write_failures
            .inner()
            .store(failures, Ordering::Relaxed);
        let process = Process::read();
        self.cpu
            .inner()
            .store(process.cpu_seconds.to_bits(), Ordering::Relaxed);
        let values = self.gauges(&process);
        for (gauge, value) in self.gauges.iter().zip(values) {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
    }

    fn gauges(&self, process: &Process) -> [u64; GAUGES.len()] {
        let database = &self.watched.database;
        let disk = rustix::fs::statvfs(database);
        let max_files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        [
            (self.watched.response_memory)() as u64,
            database_bytes(database),
            disk.map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize)),
            process.open_files,
            max_files.unwrap_or(0),
            process.resident_bytes,
            process.virtual_bytes,
            self.started,
        ]
    }
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
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let files = [database, Path::new(&log)];
    let sizes = files.map(|file| file.metadata().map_or(0, |file| file.len()));
    sizes.iter().sum()
}
