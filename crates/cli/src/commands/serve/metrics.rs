//! The metrics of `serve`, at an address of their own: behind a proxy every client is this machine, so the API's
//! address would show them to everyone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

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
use service::log::Finished;

/// The bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 10] = [0.005, 0.02, 0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 25.0, 60.0];

/// What requests count.
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
    /// The file of the database.
    pub(super) database: PathBuf,
}

/// Returns the number of connections.
pub(super) type Connections = Box<dyn Fn() -> usize + Send + Sync>;

struct Metrics {
    registry: Registry,
    watched: Watched,
    connections: Family<[(&'static str, &'static str); 1], Gauge>,
    response_memory: Gauge,
    write_failures: Counter,
    database_bytes: Gauge,
    disk_free: Gauge,
    process: ProcessMetrics,
}

#[derive(Default, Clone)]
struct ProcessMetrics {
    cpu: Counter<f64, AtomicU64>,
    open_files: Gauge,
    resident: Gauge,
    virtual_memory: Gauge,
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
        let mut registry = Registry::default();
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("feedback_build", "The version of the program", build);
        let RequestMetrics {
            requests,
            duration: DurationMetric(duration),
            records,
            skipped,
        } = requests;
        let help = "Requests that have ended, except those of /health";
        registry.register("feedback_http_requests", help, requests.clone());
        let help = "The time until their responses were sent";
        registry.register(
            "feedback_http_request_duration_seconds",
            help,
            duration.clone(),
        );
        let help = "Records and users that requests have read";
        registry.register("feedback_records_read", help, records.clone());
        let help = "Those of them that could not be decoded";
        registry.register("feedback_records_skipped", help, skipped.clone());
        let metrics = Self {
            watched,
            connections: Family::default(),
            response_memory: Gauge::default(),
            write_failures: Counter::default(),
            database_bytes: Gauge::default(),
            disk_free: Gauge::default(),
            process: ProcessMetrics::default(),
            registry: Registry::default(),
        };
        let help = "Open connections";
        registry.register("feedback_connections", help, metrics.connections.clone());
        let help = "Memory that responses have reserved or hold, in bytes";
        registry.register(
            "feedback_response_memory_bytes",
            help,
            metrics.response_memory.clone(),
        );
        let help = "Writes that the store has refused, such as on a full disk";
        registry.register(
            "feedback_write_failures",
            help,
            metrics.write_failures.clone(),
        );
        let help = "The size of the database and its log";
        registry.register(
            "feedback_database_bytes",
            help,
            metrics.database_bytes.clone(),
        );
        let help = "What is free on the disk of the database";
        registry.register("feedback_disk_free_bytes", help, metrics.disk_free.clone());
        metrics.process.register(&mut registry);
        Self {
            registry,
            ..metrics
        }
    }

    fn read(&self) {
        let watched = &self.watched;
        for (listener, connections) in &watched.connections {
            let gauge = self.connections.get_or_create(&[("listener", *listener)]);
            set(&gauge, connections());
        }
        set(&self.response_memory, (watched.response_memory)());
        let failures = (watched.write_failures)();
        self.write_failures
            .inner()
            .store(failures, Ordering::Relaxed);
        set(&self.database_bytes, database_bytes(&watched.database));
        if let Ok(disk) = rustix::fs::statvfs(&watched.database) {
            set(&self.disk_free, disk.f_bavail.saturating_mul(disk.f_frsize));
        }
        self.process.read();
    }
}

impl ProcessMetrics {
    fn register(&self, registry: &mut Registry) {
        let help = "Processor time, in seconds";
        registry.register("process_cpu_seconds", help, self.cpu.clone());
        let help = "Open files";
        registry.register("process_open_fds", help, self.open_files.clone());
        let help = "Resident memory, in bytes";
        registry.register("process_resident_memory_bytes", help, self.resident.clone());
        let help = "Virtual memory, in bytes";
        registry.register(
            "process_virtual_memory_bytes",
            help,
            self.virtual_memory.clone(),
        );
        let limit = Gauge::<i64>::default();
        set(
            &limit,
            rustix::process::getrlimit(rustix::process::Resource::Nofile)
                .current
                .unwrap_or(0),
        );
        registry.register("process_max_fds", "The limit of open files", limit);
        let start = Gauge::<i64>::default();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        set(&start, now.unwrap_or_default().as_secs());
        let help = "When the process started, in seconds since 1970";
        registry.register("process_start_time_seconds", help, start);
    }

    /// Reads what Linux says of this process; elsewhere, nothing changes.
    fn read(&self) {
        let page = rustix::param::page_size();
        let ticks = rustix::param::clock_ticks_per_second();
        if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
            set(&self.open_files, files.count());
        }
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        // The name of the program may have spaces, and is in parentheses.
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        let fields: Vec<u64> = fields
            .split(' ')
            .map(|it| it.trim().parse().unwrap_or(0))
            .collect();
        // utime, stime, vsize and rss of proc_pid_stat(5).
        if let [user, system, .., virtual_memory, resident] =
            *fields.get(11..22).unwrap_or_default()
        {
            let seconds = (user + system) as f64 / ticks as f64;
            self.cpu.inner().store(seconds.to_bits(), Ordering::Relaxed);
            set(&self.virtual_memory, virtual_memory);
            set(&self.resident, resident.saturating_mul(page as u64));
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

fn set(gauge: &Gauge, value: impl TryInto<i64>) {
    gauge.set(value.try_into().unwrap_or(i64::MAX));
}
