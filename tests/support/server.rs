//! The service that all tests share, its projects, its functions, and its log.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use feedback::commands::serve::{FileOptions, Options, Service};
use serde_json::Value;
use test_support::{Bootstrap, Project, eventually};
use tokio::runtime::Runtime;
use tracing_subscriber::fmt::MakeWriter;

/// The program of the function `users`.
pub(crate) const USERS_PROGRAM: &str = env!("CARGO_BIN_EXE_bootstrap-users");
/// The program of the function `response-statistics`.
pub(crate) const STATISTICS_PROGRAM: &str = env!("CARGO_BIN_EXE_bootstrap-response-statistics");
/// The variables of a host that accepts buffered responses only.
pub(crate) const BUFFERED: [(&str, &str); 1] = [("AWS_SAM_LOCAL", "true")];

/// Starts a function's program over the shared service's store.
pub(crate) fn bootstrap(program: &str, variables: &[(&str, &str)]) -> Bootstrap {
    let endpoint = format!("http://{}", service().dynamodb_address().unwrap());
    Bootstrap::start(&endpoint, program, variables)
}

/// Makes a project that no other test uses, in the shared service's store.
pub(crate) async fn new_project() -> Project {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    named_project(&format!("project-{count}")).await
}

/// Makes a project with this id in the shared service's store.
pub(crate) async fn named_project(id: &str) -> Project {
    Project::at(service().dynamodb_address().unwrap(), id).await
}

/// Returns the service that all tests share, with the demo project. It runs as long as the
/// test program.
pub(crate) fn service() -> &'static Service {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(|| {
        let log = tracing_subscriber::fmt().json();
        log.with_writer(|| LOG.make_writer()).init();
        // Tests call this from their own runtimes, which must not block.
        std::thread::spawn(|| {
            let runtime = RUNTIME.get_or_init(|| Runtime::new().unwrap());
            runtime.block_on(start(&options()))
        })
        .join()
        .unwrap()
    })
}

/// Starts a service whose sample data end with March 2025.
pub(crate) async fn start(options: &Options) -> Service {
    let now = "2025-04-01".parse().unwrap();
    Service::start(options, now).await.unwrap()
}

/// Returns the options of `serve` on free ports.
pub(crate) fn options() -> Options {
    let any = "127.0.0.1:0".to_owned();
    Options {
        listen: any.clone(),
        dynamodb_listen: vec![any],
        data: None,
        demo: false,
        url: None,
        metrics_listen: None,
        private_traits: None,
        files: FileOptions::default(),
    }
}

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Returns everything that the process has logged.
pub(crate) fn logs() -> String {
    String::from_utf8(LOG.lock().unwrap().clone()).unwrap()
}

/// Returns the log line of the request with this id, which is written just after its response is
/// read.
pub(crate) async fn log_line(request_id: &str) -> Value {
    let line = || {
        let logs = logs();
        let fields = |line| serde_json::from_str::<Value>(line).unwrap()["fields"].take();
        let mut lines = logs.lines().map(fields);
        lines.find(|fields| fields["request_id"] == request_id)
    };
    eventually(line).await.expect("a log line of the request")
}
