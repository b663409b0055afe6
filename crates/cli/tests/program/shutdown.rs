//! How `feedback serve` ends: on signals, with requests in flight, and killed.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use crate::http::{DEMO_PASSWORD, get_request, put_item, send_slowly};
use crate::outcome::succeeded;
use crate::process::{SERVE, Served, feedback, output};

/// The users whose list is larger than the buffers of both sockets: while its client does not read,
/// the service cannot send all of it.
const LARGE_USERS: usize = 4;

/// Serves large users.
fn serve() -> Served {
    let served = Served::without_records("");
    let name = "x".repeat(380_000);
    for n in 0..LARGE_USERS {
        let item = format!(
            r#"{{"project":{{"S":"demo"}},"userId":{{"S":"z{n:02}"}},"name":{{"S":"{name}"}}}}"#
        );
        put_item(served.dynamodb(), "users", &item);
    }
    served
}

/// Requests all users and reads the first bytes of the response.
fn request_in_flight(served: &Served) -> (TcpStream, Vec<u8>) {
    let request = get_request("localhost", "/api/users?project=demo", DEMO_PASSWORD);
    let mut client = send_slowly(&served.api, &request);
    let mut response = vec![0; 15];
    client.read_exact(&mut response).unwrap();
    // A request is logged when its response has been sent.
    let log = served.log(0);
    assert!(!log.contains("operation=\"users\""), "already sent: {log}");
    (client, response)
}

#[test]
fn a_signal_ends_the_service_within_a_second_despite_stalled_clients() {
    for signal in ["INT", "TERM"] {
        let mut served = serve();
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
    let mut served = serve();
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

/// Makes the folders in this one a minute old: whoever has just created one may not have locked it yet.
fn age(parent: &Path) {
    let minute_ago = SystemTime::now() - Duration::from_mins(1);
    for entry in std::fs::read_dir(parent).unwrap() {
        let folder = File::open(entry.unwrap().path()).unwrap();
        folder.set_modified(minute_ago).unwrap();
    }
}

#[test]
fn a_temporary_folder_is_deleted_at_the_end_or_after_a_kill_by_the_next_command_that_opens_a_folder()
 {
    let parent = tempfile::tempdir().unwrap();
    let folders = || -> BTreeSet<_> {
        let entries = std::fs::read_dir(parent.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let serve = || {
        let mut serve = feedback(SERVE);
        serve.env("TMPDIR", parent.path()).spawn().unwrap()
    };
    // The sample data take most of the time of a start, and come after the folder.
    let created_beside = |others: &BTreeSet<_>| {
        let started = Instant::now();
        loop {
            let new = &folders() - others;
            if new.iter().any(|new| new.join("tables.sqlite").exists()) {
                return new;
            }
            assert!(started.elapsed() < Duration::from_secs(10), "no folder");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut killed = serve();
    let abandoned = created_beside(&BTreeSet::new());
    let living = serve();
    let used = created_beside(&abandoned);
    killed.kill().unwrap();
    killed.wait().unwrap();
    let living = Served::ready(living);
    age(parent.path());
    let data = tempfile::tempdir().unwrap();
    let mut create = feedback(&format!("tables create --data {}", data.path().display()));
    succeeded(&output(create.env("TMPDIR", parent.path())));
    assert_eq!([abandoned.len(), used.len()], [1, 1]);
    assert!(folders().is_superset(&used) && folders().is_disjoint(&abandoned));
    living.end();
    assert_eq!(folders(), BTreeSet::new());
}

#[test]
fn what_others_leave_beside_temporary_folders_is_neither_waited_for_nor_followed() {
    let parent = tempfile::tempdir().unwrap();
    let path = |name: &str| parent.path().join(name);
    for folder in ["feedback-data-a", "feedback-data-b", "elsewhere"] {
        std::fs::create_dir(path(folder)).unwrap();
    }
    let pipe = path("feedback-data-a/lock");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
    std::fs::write(path("elsewhere/lock"), "").unwrap();
    std::os::unix::fs::symlink("elsewhere", path("feedback-data-c")).unwrap();
    // Only a privileged user can give a folder away.
    let is_foreign = std::os::unix::fs::chown(path("feedback-data-b"), Some(1), None).is_ok();
    age(parent.path());
    Served::start_with_env("", &[("TMPDIR", parent.path().to_str().unwrap())]).end();
    assert!(!path("feedback-data-a").exists(), "it is abandoned");
    assert_eq!(path("feedback-data-b").exists(), is_foreign);
    assert!(path("elsewhere/lock").exists() && path("feedback-data-c").is_symlink());
}
