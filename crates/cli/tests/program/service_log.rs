//! What an operator sees of `feedback serve`: its log, its metrics, and its health.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use test_support::rows;

use crate::http::{
    DEMO_PASSWORD, get, put_demo_credentials, put_user, send, status, store_request,
};
use crate::outcome::only_line;
use crate::place::Place;
use crate::process::{SERVE, Served, feedback, run, run_with_input, wait_for};

const USERS: &str = "/api/users?project=demo";

/// Parses the lines of a log, each of which must be JSON.
fn parsed(log: &str) -> Vec<Value> {
    let lines = log.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect(log)
}

#[test]
fn each_line_is_json_with_the_start_the_requests_but_no_check_of_health_and_the_stop() {
    let place = Place::new();
    std::fs::create_dir(place.data()).unwrap();
    let mut served = place.serve();
    put_demo_credentials(&served);
    for target in [
        "/health",
        "/",
        USERS,
        "/api/users?project=other",
        "/nowhere",
    ] {
        get(&served.api, target, DEMO_PASSWORD);
    }
    served.signal("TERM");
    served.wait();
    let lines = parsed(&format!("{}{}", served.greeting, served.log(5)));
    let start = &lines[0];
    assert_eq!(start["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(start["api"], format!("http://{}", served.api));
    assert_eq!(start["folder"], place.data().display().to_string());
    let operations = lines
        .iter()
        .map(|line| (&line["message"], &line["operation"], &line["status"]));
    let expected = json!([
        ["started", null, null],
        ["request", "page", 200],
        ["request", "users", 200],
        ["request", "users", 403],
        ["request", "other", 404],
        ["stopped", null, null],
    ]);
    assert_eq!(json!(operations.collect::<Vec<_>>()), expected);
    assert_eq!(lines[5]["dropped_lines"], 0);
}

#[test]
fn a_log_that_nobody_reads_stops_neither_requests_nor_the_end() {
    let place = Place::new();
    let line = format!("{SERVE} --data {}", place.data().display());
    let mut process = feedback(&line).spawn().unwrap();
    let mut stdout = BufReader::new(process.stdout.take().unwrap());
    let mut address = String::new();
    stdout.read_line(&mut address).unwrap();
    let api = address.trim().rsplit('/').next().unwrap();
    let request = format!("GET /nowhere HTTP/1.1\r\nHost: {api}\r\n\r\n").repeat(1_999)
        + "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let mut client = TcpStream::connect(api).unwrap();
    let mut writer = client.try_clone().unwrap();
    let writing = std::thread::spawn(move || {
        std::io::Write::write_all(&mut writer, request.as_bytes()).unwrap();
    });
    let responses = std::io::read_to_string(&mut client).unwrap();
    writing.join().unwrap();
    assert!(responses.ends_with(r#"{"status":"ok"}"#));
    crate::process::send_signal(process.id(), "TERM");
    let started = Instant::now();
    assert!(process.wait().unwrap().success());
    assert!(started.elapsed() < Duration::from_secs(30));
}

/// Returns the value of a metric.
fn metric(metrics: &str, name: &str) -> f64 {
    let value = metrics.lines().find_map(|line| line.strip_prefix(name));
    value.expect(metrics).trim().parse().unwrap()
}

#[test]
fn the_metrics_count_requests_and_say_what_the_process_takes_and_promtool_accepts_them() {
    let served = Served::without_records("--metrics-listen 127.0.0.1:0");
    put_user(served.dynamodb(), "a");
    let mut open = TcpStream::connect(&served.api).unwrap();
    for target in ["/health", USERS, USERS, "/"] {
        get(&served.api, target, DEMO_PASSWORD);
    }
    // A request is counted, and its connection gone, shortly after its response is read.
    let settled = ["seconds_count 3\n", "listener=\"api\"} 1\n"];
    let response = wait_for("such metrics", || {
        let response = served.metrics();
        settled
            .iter()
            .all(|line| response.contains(line))
            .then_some(response)
    });
    let (head, text) = response.split_once("\r\n\r\n").unwrap();
    let media_type = "content-type: text/plain; version=0.0.4";
    assert!(head.contains(media_type), "{head}");
    let exact = r#"
        feedback_http_requests_total{operation="users",code="200"} | 2
        feedback_http_request_duration_seconds_count | 3
        feedback_records_read_total | 2
        feedback_records_skipped_total | 0
        feedback_connections{listener="api"} | 1
        feedback_response_memory_bytes | 0
        feedback_write_failures_total | 0
        feedback_build_info{version="VERSION"} | 1
    "#
    .replace("VERSION", env!("CARGO_PKG_VERSION"));
    for [name, expected] in rows(&exact) {
        let off = (metric(text, name) - expected.parse::<f64>().unwrap()).abs();
        assert!(off < 0.5, "{name}: {text}");
    }
    let least = "
        feedback_database_bytes | 3e4
        feedback_disk_free_bytes | 1e6
        process_resident_memory_bytes | 1e7
        process_virtual_memory_bytes | 1e7
        process_open_fds | 10
        process_max_fds | 128
        process_start_time_seconds | 1.7e9
        process_cpu_seconds_total | 0.01
    ";
    for [name, least] in rows(least) {
        let least = least.parse::<f64>().unwrap();
        assert!(metric(text, name) >= least, "{name}: {text}");
    }
    std::io::Write::write_all(&mut open, b"x").unwrap();
    if Command::new("promtool")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok()
    {
        let mut promtool = Command::new("promtool");
        promtool
            .args(["check", "metrics"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let checked = run_with_input(&mut promtool, text);
        assert!(checked.status.success(), "{checked:?}");
    }
    // The API's address does not have them.
    assert_eq!(status(&served.api, "/metrics", "Accept: */*"), 404);
}

#[test]
fn writes_that_the_disk_refuses_are_counted_and_logged_once_a_minute() {
    let served = Served::restricted("trap '' XFSZ; exec", "--metrics-listen 127.0.0.1:0");
    let process = served.process.id().to_string();
    let mut prlimit = Command::new("prlimit");
    let limited = prlimit.args(["--pid", &process, "--fsize=1000:"]).status();
    assert!(limited.unwrap().success());
    let item = r#"{"TableName":"users","Item":{"project":{"S":"demo"},"userId":{"S":"1"}}}"#;
    for _ in 0..3 {
        let request = store_request(served.dynamodb(), "PutItem", item)
            .replace("Content-Length", "Connection: close\r\nContent-Length");
        let response = send(served.dynamodb(), &request).unwrap();
        assert!(response.starts_with("HTTP/1.1 500 "), "{response}");
    }
    let metrics = served.metrics();
    let failures = "\nfeedback_write_failures_total 3\n";
    assert!(metrics.contains(failures), "{metrics}");
    let lines = parsed(&served.log(1));
    let errors: Vec<_> = lines
        .iter()
        .filter(|line| line["level"] == "ERROR")
        .collect();
    assert_eq!(errors.len(), 1, "{lines:?}");
    assert_eq!(errors[0]["message"], "a write failed");
    assert_eq!(errors[0]["operation"], "PutItem");
}

#[test]
fn a_service_whose_tables_cannot_be_read_is_unhealthy_and_only_its_log_says_why() {
    let place = Place::new();
    let served = place.serve();
    assert_eq!(status(&served.api, "/health", "Accept: */*"), 200);
    let database = Connection::open(place.path("data/tables.sqlite")).unwrap();
    database.execute_batch("DROP TABLE \"users\"").unwrap();
    let response = get(&served.api, "/health", "Accept: */*");
    assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
    let reason = r#"{"reason":"tables","status":"unavailable"}"#;
    assert!(response.ends_with(reason), "{response}");
    let lines = parsed(&served.log(1));
    let mut levels = lines.iter().map(|line| &line["level"]);
    assert!(levels.any(|level| level == "ERROR"), "{lines:?}");
    let health = run(&format!("health --url http://{}", served.api));
    let reason = "feedback: the service cannot read its tables; its log says why\n";
    assert_eq!(only_line(&health), reason);
}
