//! `feedback serve` and many clients that read their responses slowly, or not at all. Meanwhile others, with
//! another key, get their responses.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};

use crate::http::{
    DEMO_PASSWORD, get_request, put_credentials, put_items, send, send_slowly, status,
};
use crate::outcome::succeeded;
use crate::process::{Served, run};

/// Held by each of these tests: an attack measures nothing beside another one.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const STATISTICS: &str = "/api/v2/response-statistics?project=demo";
const READ_KEY: &str = "AuthKey: demo-read-key-0000";
const USERS: &str = "/api/users?project=demo";

/// The largest file that everyone may read, of 36 KB.
const FILE: &str = "/openapi.yaml";

/// Returns what the system says of the memory of a process under this name, in megabytes.
fn megabytes(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
    kilobytes.parse::<u64>().unwrap() >> 10
}

/// Serves the demo project with large users, and another one.
fn serve_large_users() -> Served {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    let served = Served::without_records("");
    for user in large_users() {
        put_items(served.dynamodb(), "users", &[user]);
    }
    let of_users = ["other", "other-password-000"];
    put_credentials(served.dynamodb(), "other", "other-read-key-000", of_users);
    served
}

/// Makes twelve users, of whom a page has 4.6 MB.
fn large_users() -> Vec<Value> {
    let name = "x".repeat(385_000);
    let user = |n: u32| json!({"project": {"S": "demo"}, "userId": {"S": n.to_string()}, "name": {"S": name}});
    (0..12).map(user).collect()
}

/// Returns the number of files that the service has open.
fn files(served: &Served) -> usize {
    let files = format!("/proc/{}/fd", served.process.id());
    std::fs::read_dir(files).unwrap().count()
}

/// Clients that read so many bytes of their responses a second.
struct SlowClients {
    ending: Arc<AtomicBool>,
    reading: JoinHandle<()>,
}

impl SlowClients {
    /// Starts them, and then so many that send nothing.
    fn start(served: &Served, [count, silent]: [usize; 2], request: &str, rate: usize) -> Self {
        let ending = Arc::new(AtomicBool::new(false));
        let (connected, connections) = mpsc::channel();
        let (address, request) = (served.api.clone(), request.to_owned());
        thread::spawn(move || {
            for n in 0..count + silent {
                let client = send_slowly(&address, if n < count { &request } else { "" });
                client.set_nonblocking(true).unwrap();
                if connected.send(client).is_err() {
                    return;
                }
            }
        });
        let ended = ending.clone();
        let reading = thread::spawn(move || {
            let (mut clients, mut part) = (Vec::new(), vec![0; rate / 4]);
            while !ended.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(250));
                clients.extend(connections.try_iter());
                for client in clients.iter_mut().filter(|_| rate > 0) {
                    let _: io::Result<usize> = client.read(&mut part);
                }
            }
        });
        Self { ending, reading }
    }

    fn end(self) {
        self.ending.store(true, Ordering::Relaxed);
        self.reading.join().unwrap();
    }
}

/// For so many seconds, or until it has 50 files open or fewer, asks the service for what others may ask. Checks that
/// each gets its response within 30 seconds, and that the service has less than 300 MB. Returns when it had so few
/// files open.
fn check_others(what: &str, served: &Served, seconds: u64) -> Option<Duration> {
    let process = served.process.id();
    let (mut most, mut quiet) = (0, None);
    let slowest = AtomicU64::new(0);
    thread::scope(|scope| {
        let started = Instant::now();
        let mut asked = 0;
        while quiet.is_none() && started.elapsed() < Duration::from_secs(seconds) {
            if started.elapsed().as_secs() >= asked {
                asked += 1;
                for (target, header) in [
                    ("/health", "Accept: */*"),
                    (
                        "/api/users?project=other",
                        "Authorization: Bearer other-password-000",
                    ),
                    (
                        "/api/v2/response-statistics?project=other",
                        "AuthKey: other-read-key-000",
                    ),
                ] {
                    let (api, slowest) = (&served.api, &slowest);
                    scope.spawn(move || {
                        let asked = Instant::now();
                        assert_eq!(status(api, target, header), 200, "{target}");
                        let took = u64::try_from(asked.elapsed().as_millis()).unwrap();
                        slowest.fetch_max(took, Ordering::Relaxed);
                    });
                }
            }
            most = most.max(megabytes(process, "VmRSS:"));
            quiet = match files(served) {
                // At first, nobody has connected yet.
                ..=50 if started.elapsed() > Duration::from_secs(5) => {
                    quiet.or(Some(started.elapsed()))
                }
                _ => None,
            };
            thread::sleep(Duration::from_millis(200));
        }
    });
    let slowest = slowest.into_inner();
    eprintln!("{what}: others waited {slowest} ms at most; {most} MB");
    assert!(slowest < 30_000, "{what}: {slowest} ms");
    assert!(most < 300, "{what}: {most} MB");
    quiet
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn readers_below_16_kb_a_second_are_closed_and_none_of_them_keeps_others_out() {
    let _alone = alone();
    let users = |limit: u32| {
        let target = format!("{USERS}&limit={limit}");
        get_request("localhost", &target, DEMO_PASSWORD)
    };
    // One file would fit into what the system keeps for a client; a client may ask for many at once.
    let file = format!("GET {FILE} HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(40);
    for (what, count, request, rate) in [
        (
            "1,900 readers of 0.8 MB with one key",
            1_900,
            users(2),
            2_500,
        ),
        (
            "2,000 readers of files, and 600 silent ones",
            2_000,
            file.clone(),
            2_500,
        ),
        ("128 readers without credentials", 128, file, 2_500),
        ("48 readers of 4.6 MB with one key", 48, users(12), 2_500),
        ("300 clients that read nothing", 300, users(12), 0),
    ] {
        let served = serve_large_users();
        let silent = if count == 2_000 { 600 } else { 0 };
        let slow = SlowClients::start(&served, [count, silent], &request, rate);
        let closed = check_others(what, &served, 150);
        eprintln!("all {count} were closed after {closed:?}");
        assert!(closed.is_some(), "{what}");
        slow.end();
    }
}

/// Serves the demo project and, in it, as many displays in 2010 with a plan of 36 bytes each.
fn serve_many_groups(folder: &Path, count: usize) -> Served {
    let display = |n| {
        let id = format!("display-{n:06}");
        let plan = format!("a plan of thirty-six bytes {n:09}");
        json!({"id": id, "created": "2010-03-01T12:00:00Z", "rating": n % 11, "user": {"traits": {"plan": plan}}})
    };
    let displays: Vec<_> = (0..count).map(|n| display(n).to_string()).collect();
    let file = folder.join("responses.ndjson");
    std::fs::write(&file, displays.join("\n")).unwrap();
    let data = format!("--data {}", folder.join("data").display());
    succeeded(&run(&format!(
        "import responses {} --project demo {data}",
        file.display()
    )));
    Served::start(&format!("{data} --demo"))
}

#[test]
#[ignore = "counts three million displays, which takes long without optimization: just limits"]
fn thirty_two_requests_with_many_groups_are_answered_right_or_refused_in_400_mb() {
    const GROUPS: usize = 100_000;
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let served = serve_many_groups(folder.path(), GROUPS);
    let of_users = ["other", "other-password-000"];
    put_credentials(served.dynamodb(), "other", "other-read-key-000", of_users);
    let of_2010 = format!("{STATISTICS}&startDate=2010-01-01&endDate=2011-01-01");
    let request = get_request(
        "localhost",
        &format!("{of_2010}&groupBy=user.traits.string.plan"),
        READ_KEY,
    );
    let mut answered = 0;
    let mut slowest = Duration::ZERO;
    std::thread::scope(|scope| {
        let large: Vec<_> = (0..32)
            .map(|_| scope.spawn(|| send(&served.api, &request).unwrap()))
            .collect();
        while large.iter().any(|thread| !thread.is_finished()) {
            let started = Instant::now();
            let other = "/api/v2/response-statistics?project=other";
            let status = status(&served.api, other, "AuthKey: other-read-key-000");
            assert_eq!(status, 200);
            slowest = slowest.max(started.elapsed());
            std::thread::sleep(Duration::from_millis(50));
        }
        for thread in large {
            let response = thread.join().unwrap();
            if response.starts_with("HTTP/1.1 503 ") {
                assert!(response.contains("retry-after: 1"), "{response}");
                continue;
            }
            let body = response.split_once("\r\n\r\n").unwrap().1;
            let document: serde_json::Value = serde_json::from_str(body).unwrap();
            let elements = document["data"].as_array().unwrap();
            assert_eq!(elements.len(), 21);
            let displays = elements
                .iter()
                .map(|element| &element["attributes"]["displays"]);
            let displays: u64 = displays.map(|count| count.as_u64().unwrap()).sum();
            assert_eq!(displays, GROUPS as u64);
            answered += 1;
        }
    });
    let peak = megabytes(served.process.id(), "VmHWM:");
    eprintln!(
        "{answered} of 32 requests with {GROUPS} groups were answered, a small one in {slowest:?}; {peak} MB"
    );
    // Without optimization, and beside other tests, it takes longer.
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });
    assert!(slowest < limit, "{slowest:?}");
    assert!(answered > 0);
    assert!(peak < 400, "{peak} MB");
}
