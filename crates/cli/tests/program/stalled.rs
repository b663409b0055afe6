//! `feedback serve` and clients that read their responses slowly, or not at all.

use std::io::Read;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::{DEMO_PASSWORD, get_request, put_items, send, send_slowly, status};
use crate::outcome::succeeded;
use crate::process::{Served, run};

const STATISTICS: &str = "/api/v2/response-statistics?project=demo";
const READ_KEY: &str = "AuthKey: demo-read-key-0000";

/// Returns the memory of the service in megabytes.
fn memory(served: &Served) -> u64 {
    megabytes(served, "VmRSS:")
}

/// Returns what the system says of the memory of the service under this name.
fn megabytes(served: &Served, name: &str) -> u64 {
    let path = format!("/proc/{}/status", served.process.id());
    let status = std::fs::read_to_string(path).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
    kilobytes.parse::<u64>().unwrap() >> 10
}

/// Clients that read nothing of a response.
struct Stalled<'a> {
    served: &'a Served,
    length: usize,
    since: Instant,
    clients: Vec<TcpStream>,
}

impl<'a> Stalled<'a> {
    fn start(served: &'a Served, clients: usize, request: &str) -> Self {
        let whole = send(&served.api, request).unwrap();
        assert!(whole.starts_with("HTTP/1.1 200 "), "{whole}");
        assert!(whole.len() > 3_000_000, "{} bytes", whole.len());
        let since = Instant::now();
        let stalled = (0..clients).map(|_| send_slowly(&served.api, request));
        Self {
            served,
            length: whole.len(),
            since,
            clients: stalled.collect(),
        }
    }

    /// Checks that they take up less than this many megabytes, and that they are closed after two minutes: a
    /// response is given up after one.
    fn check(self, megabytes: u64) {
        let mut most = 0;
        while self.since.elapsed() < Duration::from_mins(2) {
            most = most.max(memory(self.served));
            std::thread::sleep(Duration::from_millis(500));
        }
        let (count, length, left) = (self.clients.len(), self.length, memory(self.served));
        eprintln!("{count} clients that read nothing of {length} bytes: {most} MB, then {left} MB");
        assert!(most < megabytes, "{most} MB");
        for mut client in self.clients {
            let mut part = Vec::new();
            // The system may have given up a connection without a word.
            let patience = Some(Duration::from_secs(1));
            client.set_read_timeout(patience).unwrap();
            let _ = client.read_to_end(&mut part);
            assert!(part.len() < length, "a connection was not closed");
        }
    }
}

/// Serves the demo project with so many users that their list has 7 MB.
fn serve_many_users(folder: &Path) -> Served {
    let user = |n| {
        let email = format!("user{n}@example.com");
        let traits = json!({"plan": "pro", "seats": n % 50, "country": "Czechia"});
        json!({"userId": format!("user-{n:06}"), "email": email, "name": format!("User {n}"), "traits": traits})
    };
    let users: Vec<_> = (0..30_000).map(|n| user(n).to_string()).collect();
    let file = folder.join("users.ndjson");
    std::fs::write(&file, users.join("\n")).unwrap();
    let (file, data) = (file.display(), folder.join("data"));
    let data = format!("--data {}", data.display());
    succeeded(&run(&format!("import users {file} --project demo {data}")));
    Served::start(&format!("{data} --demo"))
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn lists_that_nobody_reads_take_little_memory_and_slow_readers_get_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let served = serve_many_users(folder.path());
    let request = get_request("localhost", "/api/users?project=demo", DEMO_PASSWORD);
    let stalled = Stalled::start(&served, 300, &request);
    // After the others: if they waited for memory for a second, the oldest response would give way to them.
    let mut slow = send_slowly(&served.api, &request);
    let reading = std::thread::spawn(move || {
        let mut part = vec![0; 16 << 10];
        let mut response = Vec::new();
        // For longer than a client may acknowledge nothing.
        while !response.ends_with(b"]}\r\n0\r\n\r\n") {
            std::thread::sleep(Duration::from_millis(250));
            let more = slow.read(&mut part).unwrap();
            assert!(more > 0, "closed after {} bytes", response.len());
            response.extend_from_slice(&part[..more]);
        }
    });
    stalled.check(150);
    reading.join().unwrap();
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn statistics_that_nobody_reads_take_little_memory() {
    let served = Served::start("");
    let target = format!(
        "{STATISTICS}&startDate=2024-12-01&endDate=2026-11-01&interval=day&confidence=95\
         &groupBy=user.traits.string.company&groupLimit=12"
    );
    let request = get_request("localhost", &target, READ_KEY);
    Stalled::start(&served, 60, &request).check(350);
}

/// Reads 2.5 kB of each response a second, until this many seconds have passed.
fn read_slowly(mut clients: Vec<TcpStream>, seconds: u64) {
    std::thread::spawn(move || {
        for _ in 0..seconds {
            for client in &mut clients {
                let _ = client.read(&mut [0; 2_500]);
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    });
}

#[test]
#[ignore = "fills the memory of responses, which takes long without optimization: just limits"]
fn slow_readers_of_large_responses_keep_no_request_waiting() {
    let served = Served::without_records("");
    let name = "x".repeat(385_000);
    let user = |n: u32| json!({"project": {"S": "demo"}, "userId": {"S": n.to_string()}, "name": {"S": name}});
    for n in 0..12 {
        put_items(served.dynamodb(), "users", &[user(n)]);
    }
    let users = "/api/users?project=demo";
    let page = get_request("localhost", &format!("{users}&limit=12"), DEMO_PASSWORD);
    // Two more would not fit.
    let slow = (0..41).map(|_| {
        let mut client = send_slowly(&served.api, &page);
        client.read_exact(&mut [0; 15]).unwrap();
        client
    });
    read_slowly(slow.collect(), 20);
    for (target, header, expected, seconds) in [
        ("/health", "Accept: */*", 200, 1),
        (users, "Authorization: Basic x", 401, 1),
        ("/api/users?project=other", DEMO_PASSWORD, 403, 1),
        (&format!("{users}&userId=1"), DEMO_PASSWORD, 200, 12),
        (STATISTICS, READ_KEY, 200, 1),
    ] {
        let started = Instant::now();
        assert_eq!(status(&served.api, target, header), expected, "{target}");
        let took = started.elapsed();
        assert!(took < Duration::from_secs(seconds), "{target}: {took:?}");
    }
}

/// Returns the largest memory that the service has had, in megabytes.
fn peak_memory(served: &Served) -> u64 {
    megabytes(served, "VmHWM:")
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
    let folder = tempfile::tempdir().unwrap();
    let served = serve_many_groups(folder.path(), GROUPS);
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
            assert_eq!(status(&served.api, STATISTICS, READ_KEY), 200);
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
    let peak = peak_memory(&served);
    eprintln!(
        "{answered} of 32 requests with {GROUPS} groups were answered, a small one in {slowest:?}; {peak} MB"
    );
    // Without optimization, and beside other tests, it takes longer.
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });
    assert!(slowest < limit, "{slowest:?}");
    assert!(answered > 0);
    assert!(peak < 400, "{peak} MB");
}
