//! How `feedback serve` ends: on signals, with requests in flight, and killed.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::http::{DEMO_PASSWORD, get_request, put_item, send_slowly};
use crate::outcome::succeeded;
use crate::place::Place;
use crate::process::Served;

/// The users whose list is larger than the buffers of both sockets: while its client does not read,
/// the service cannot send all of it.
const LARGE_USERS: usize = 2;
/// How long the service waits for responses in flight.
const GRACE: Duration = Duration::from_millis(500);

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
    let is_sent = log.contains(r#""operation":"users""#);
    assert!(!is_sent, "already sent: {log}");
    (client, response)
}

/// Returns how long after a signal the service ends despite stalled clients, one of which does not read its
/// response if `is_unread`.
fn ends_after(signal: &str, is_unread: bool) -> Duration {
    let mut served = serve();
    let _idle = TcpStream::connect(&served.api).unwrap();
    let _half_sent = [served.api.as_str(), served.dynamodb()].map(|address| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            .unwrap();
        stream
    });
    let folder = served.folder.as_ref().unwrap();
    let mut command = UnixStream::connect(folder.path().join("serve.sock")).unwrap();
    command.write_all(&[0]).unwrap();
    let _unread = is_unread.then(|| request_in_flight(&served));
    let signaled = Instant::now();
    served.signal(signal);
    assert!(served.wait().success(), "{signal}");
    signaled.elapsed()
}

#[test]
fn a_signal_ends_the_service_soon_despite_stalled_clients() {
    for signal in ["INT", "TERM"] {
        // Only responses in flight are waited for.
        for (is_unread, limit) in [(false, GRACE), (true, 2 * GRACE)] {
            // Only a busy machine needs longer.
            let is_soon = (0..10).any(|_| ends_after(signal, is_unread) < limit);
            assert!(is_soon, "{signal}, unread: {is_unread}");
        }
    }
}

/// Waits until connections are refused. Any other failure to connect fails the test, but for the reset
/// of a connection that waited while the listener closed.
fn wait_until_refused(address: &str) {
    let started = Instant::now();
    loop {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "still accepted"
        );
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
    assert!(served.wait().success());
    (String::from_utf8(response).unwrap(), elapsed)
}

#[test]
fn a_signal_refuses_new_connections_and_completes_the_request_in_flight() {
    for _ in 0..10 {
        let (response, elapsed) = signal_during_a_request();
        assert!(response.starts_with("HTTP/1.1 200 OK"));
        if response.ends_with("]}\r\n0\r\n\r\n") {
            let received = response.matches(r#""userId":"z"#).count();
            assert_eq!(received, LARGE_USERS);
            return;
        }
        // Only a busy machine needs longer than the service waits.
        assert!(elapsed >= GRACE, "truncated after {elapsed:?}");
    }
    panic!("ten requests took longer than {GRACE:?}");
}

#[test]
fn a_folder_whose_serve_has_ended_is_free_for_commands_at_once() {
    let place = Place::new();
    for signal in ["TERM", "KILL"] {
        let mut served = place.serve();
        assert!(place.data().join("serve.sock").exists());
        served.signal(signal);
        served.wait();
        assert_eq!(place.data().join("serve.sock").exists(), signal == "KILL");
        succeeded(&place.run("credentials list --data data"));
    }
}
