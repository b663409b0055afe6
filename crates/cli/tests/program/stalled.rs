//! `feedback serve` and clients that do not read their responses.

use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::{DEMO_ACCOUNT, get_request, send, send_slowly};
use crate::outcome::succeeded;
use crate::process::{Served, run};

/// Returns the memory of the service in megabytes.
fn memory(served: &Served) -> u64 {
    let status = format!("/proc/{}/status", served.process.id());
    let status = std::fs::read_to_string(status).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
    kilobytes.parse::<u64>().unwrap() >> 10
}

/// Checks that so many clients that read nothing of this response take up less than this many megabytes, and
/// that they are closed after two minutes: responses are computed one after the other, and each is given up after one.
fn check_stalled(served: &Served, clients: usize, request: &str, megabytes: u64) {
    let whole = send(&served.api, request).unwrap();
    assert!(whole.starts_with("HTTP/1.1 200 "), "{whole}");
    let started = Instant::now();
    let stalled: Vec<_> = (0..clients)
        .map(|_| send_slowly(&served.api, request))
        .collect();
    let mut most = 0;
    while started.elapsed() < Duration::from_mins(2) {
        most = most.max(memory(served));
        std::thread::sleep(Duration::from_millis(500));
    }
    eprintln!(
        "{clients} stalled clients: {most} MB, then {} MB",
        memory(served)
    );
    assert!(most < megabytes, "{most} MB");
    for mut client in stalled {
        let mut part = Vec::new();
        // The system may have given up a connection without a word.
        let patience = Some(Duration::from_secs(1));
        client.set_read_timeout(patience).unwrap();
        let _ = client.read_to_end(&mut part);
        assert!(part.len() < whole.len(), "it was not closed");
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
    let request = get_request("localhost", "/api/users?project=demo", DEMO_ACCOUNT);
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
    check_stalled(&served, 300, &request, 150);
    reading.join().unwrap();
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn statistics_that_nobody_reads_take_little_memory() {
    let served = Served::start("");
    let target = "/api/v2/response-statistics?project=demo&startDate=2024-12-01&endDate=2026-11-01&interval=day&confidence=95\
                  &groupBy=user.traits.string.company&groupLimit=12";
    let request = get_request("localhost", target, "AuthKey: demo-read-key-0000");
    let whole = send(&served.api, &request).unwrap();
    assert!(whole.len() > 3_000_000, "{} bytes", whole.len());
    check_stalled(&served, 60, &request, 350);
}
