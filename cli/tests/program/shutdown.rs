//! How `feedback serve` ends: on signals, with requests in flight, and killed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant, SystemTime};

use crate::http::{DEMO_ACCOUNT, get, get_request, put_item, put_user};
use crate::process::{Served, run, succeeded};

/// The users whose list is larger than the buffers of both sockets: while its client does not read,
/// the service cannot send all of it.
const LARGE_USERS: usize = 16;

pub(crate) fn put_large_users(served: &Served) {
    let name = "x".repeat(380_000);
    for n in 0..LARGE_USERS {
        let item = format!(
            r#"{{"project":{{"S":"demo"}},"userId":{{"S":"z{n:02}"}},"name":{{"S":"{name}"}}}}"#
        );
        put_item(served.dynamodb(), "users", &item);
    }
}

/// Requests all users and reads the first bytes of the response. Returns when the service has filled
/// the buffers.
fn request_in_flight(served: &Served) -> (TcpStream, Vec<u8>) {
    let mut client = TcpStream::connect(&served.api).unwrap();
    let request = get_request("localhost", "/api/users?project=demo", DEMO_ACCOUNT);
    client.write_all(request.as_bytes()).unwrap();
    let mut response = vec![0; 15];
    client.read_exact(&mut response).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    // A request is logged when its response has been sent.
    let log = served.log(0);
    assert!(!log.contains("operation=\"users\""), "already sent: {log}");
    (client, response)
}

#[test]
fn a_signal_ends_the_service_within_a_second_despite_stalled_clients() {
    for signal in ["INT", "TERM"] {
        let mut served = Served::without_records();
        put_large_users(&served);
        let idle = TcpStream::connect(&served.api).unwrap();
        let half_sent = [served.api.as_str(), served.dynamodb()].map(|address| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream
                .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
                .unwrap();
            stream
        });
        let unread = request_in_flight(&served);
        served.signal(signal);
        let (status, elapsed) = served.wait();
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(elapsed < Duration::from_secs(1), "{signal}: {elapsed:?}");
        drop((idle, half_sent, unread));
    }
}

/// Waits until connections are refused. Any other failure to connect fails the test, but for the reset
/// of a connection that waited while the listener closed.
fn wait_until_refused(address: &str) {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < Duration::from_secs(5), "still accepted");
        match TcpStream::connect(address).map_err(|error| error.kind()) {
            Err(ErrorKind::ConnectionRefused) => return,
            outcome => assert!(
                matches!(outcome, Ok(_) | Err(ErrorKind::ConnectionReset)),
                "{outcome:?}"
            ),
        }
    }
}

/// Requests all users, signals the service, and returns the response, and when it ended after the
/// signal.
fn signal_during_a_request() -> (String, Duration) {
    let mut served = Served::without_records();
    put_large_users(&served);
    let (mut client, mut response) = request_in_flight(&served);
    let signaled = Instant::now();
    served.signal("TERM");
    wait_until_refused(&served.api);
    client.read_to_end(&mut response).unwrap();
    let elapsed = signaled.elapsed();
    assert!(served.wait().0.success());
    (String::from_utf8(response).unwrap(), elapsed)
}

#[test]
fn a_signal_refuses_new_connections_and_completes_the_request_in_flight() {
    const LIMIT: Duration = Duration::from_millis(500);
    for _ in 0..5 {
        let (response, elapsed) = signal_during_a_request();
        assert!(response.starts_with("HTTP/1.1 200 OK"));
        if response.ends_with("]}\r\n0\r\n\r\n") {
            let received = response.matches(r#""userId":"z"#).count();
            assert_eq!(received, LARGE_USERS);
            return;
        }
        // Only a busy machine needs longer than the service waits.
        assert!(elapsed >= LIMIT, "truncated after {elapsed:?}");
    }
    panic!("five requests took longer than {LIMIT:?}");
}

#[test]
fn a_temporary_folder_is_deleted_at_the_end_or_by_the_next_service_after_a_kill() {
    let parent = tempfile::tempdir().unwrap();
    let folders = || -> BTreeSet<_> {
        let entries = std::fs::read_dir(parent.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let start = || Served::start_with_env(&[], &[("TMPDIR", parent.path().to_str().unwrap())]);
    let mut killed = start();
    let abandoned = folders();
    let mut living = start();
    let used = &folders() - &abandoned;
    assert_eq!([abandoned.len(), used.len()], [1, 1]);
    killed.signal("KILL");
    killed.wait();
    // Whoever has just created a folder may not have locked it yet.
    let minute_ago = SystemTime::now() - Duration::from_mins(1);
    for folder in folders() {
        File::open(folder)
            .unwrap()
            .set_modified(minute_ago)
            .unwrap();
    }
    let mut next = start();
    assert!(folders().is_superset(&used) && folders().is_disjoint(&abandoned));
    for service in [&mut living, &mut next] {
        service.signal("TERM");
        service.wait();
    }
    assert_eq!(folders(), BTreeSet::new());
}

#[test]
fn an_acknowledged_write_survives_a_kill() {
    const USERS: [&str; 3] = ["a-one", "a-two", "a-three"];
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let account = ["credentials", "create-account", "--username", "reports"];
    let password = run(&[&account[..], &["--project", "demo"], &data].concat());
    let account = format!("Authorization: Bearer {}", succeeded(&password).trim());
    let mut served = Served::with_data(folder.path());
    for user_id in USERS {
        put_user(served.dynamodb(), user_id);
    }
    served.process.kill().unwrap();
    served.process.wait().unwrap();
    let served = Served::with_data(folder.path());
    for user_id in USERS {
        let target = format!("/api/users?project=demo&userId={user_id}");
        let response = get(&served.api, &target, &account);
        let user = format!(r#""userId":"{user_id}""#);
        assert!(response.contains(&user), "{response}");
    }
}
