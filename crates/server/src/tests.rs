//! What a server does with clients that are slow, under limits that are short.

use std::time::Instant;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING};
use axum::http::{HeaderValue, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse as _;
use axum::routing::get;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use super::*;

/// More than the buffers of both sockets hold, and as much as a response has at most.
const LARGE: usize = 6 << 20;

#[derive(Clone, Copy)]
struct ClientLimits {
    connections: usize,
    head: Duration,
    patience: Duration,
}

/// Few connections, which nothing ends within a test but a full house.
const PATIENT: ClientLimits = ClientLimits {
    connections: 3,
    head: Duration::from_mins(1),
    patience: Duration::from_mins(1),
};

/// Room for four large responses, of which a caller may have two.
const ROOM: Room = Room {
    all: 24,
    of_caller: 12,
};

type ByCredential = Memory<Option<HeaderValue>>;

async fn bound(
    State(memory): State<Arc<ByCredential>>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let caller = request.headers().get(AUTHORIZATION).cloned();
    let megabytes = if request.uri().path().starts_with("/stream") {
        1
    } else {
        6
    };
    match memory.room(&in_flight, caller, megabytes).await {
        Ok(()) => next.run(request).await,
        Err(NoRoom) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// Makes a stream that begins with a megabyte, and never ends.
fn endless() -> Body {
    let first: Result<_, Infallible> = Ok(vec![b'x'; 1 << 20]);
    Body::from_stream(stream::iter([first]).chain(stream::pending()))
}

async fn start(limits: ClientLimits) -> Server {
    start_with_memory(limits, ROOM).await
}

async fn start_with_memory(limits: ClientLimits, room: Room) -> Server {
    let mut listener = Listener::bind("127.0.0.1:0").await.unwrap();
    (listener.head, listener.patience) = (limits.head, limits.patience);
    listener.places = ConnectionPlaces::new(limits.connections);
    let large = Bytes::from(vec![b'x'; LARGE]);
    let memory = Arc::new(ByCredential::new(room));
    let compressed = async || {
        let mut response = Response::new(endless());
        let headers = response.headers_mut();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        response
    };
    let router = Router::new()
        .route("/large", get(async move || large))
        .route("/large/small", get(async || vec![b'x'; 64 << 10]))
        .route("/stream", get(async || endless()))
        .route("/stream/compressed", get(compressed))
        .layer(from_fn_with_state(memory, bound))
        .route("/small", get(async || "small"));
    listener.serve(router)
}

/// Sends these bytes; returns the connection, of which the system keeps few bytes.
async fn send(server: &Server, bytes: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    let mut client = socket.connect(server.address()).await.unwrap();
    client.write_all(bytes.as_bytes()).await.unwrap();
    client
}

async fn request(server: &Server, path: &str) -> TcpStream {
    request_as(server, path, "nobody").await
}

async fn request_as(server: &Server, path: &str, caller: &str) -> TcpStream {
    let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {caller}\r\n\r\n");
    send(server, &head).await
}

/// Returns the status of the response that this client waits for.
async fn status(client: &mut TcpStream) -> String {
    let mut start = [0; 12];
    client.read_exact(&mut start).await.unwrap();
    String::from_utf8_lossy(&start[9..]).into_owned()
}

/// Returns how long it takes until a response begins.
async fn wait_for(server: &Server, path: &str, caller: &str) -> Duration {
    let started = Instant::now();
    let mut client = request_as(server, path, caller).await;
    assert_eq!(status(&mut client).await, "200");
    started.elapsed()
}

#[tokio::test]
async fn a_connection_without_a_complete_head_is_closed_in_time_after_a_response_too() {
    let limits = ClientLimits {
        connections: 9,
        head: Duration::from_millis(200),
        ..PATIENT
    };
    let server = start(limits).await;
    let half = "GET /small HTTP/1.1\r\nHost: x\r\n";
    let heads = [
        "",
        half,
        &format!("{half}\r\n"),
        &format!("{half}\r\n{half}"),
    ];
    let closed = heads.map(async |bytes| {
        let started = Instant::now();
        let mut client = send(&server, bytes).await;
        let mut response = String::new();
        client.read_to_string(&mut response).await.unwrap();
        let is_complete = bytes.contains("\r\n\r\n");
        assert_eq!(
            response.contains("\r\nkeep-alive: timeout=75\r\n"),
            is_complete
        );
        assert!(started.elapsed() >= limits.head, "{bytes}");
        assert!(started.elapsed() < limits.patience, "{bytes}");
    });
    join_all(closed).await;
}

#[tokio::test]
async fn a_kept_connection_may_read_a_response_for_longer_than_a_head_may_take() {
    let limits = ClientLimits {
        head: Duration::from_millis(200),
        ..PATIENT
    };
    let server = start(limits).await;
    let mut client = request(&server, "/large").await;
    tokio::time::sleep(3 * limits.head).await;
    client.read_exact(&mut vec![0; LARGE]).await.unwrap();
}

#[tokio::test]
async fn a_full_house_of_new_clients_that_sent_a_request_serves_all_of_them() {
    let server = start(PATIENT).await;
    // All of them are there before the server accepts the first.
    let clients = std::array::from_fn::<_, 10, _>(|_| {
        let mut client = std::net::TcpStream::connect(server.address()).unwrap();
        let request = b"GET /small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        std::io::Write::write_all(&mut client, request).unwrap();
        client.set_nonblocking(true).unwrap();
        TcpStream::from_std(client).unwrap()
    });
    for mut client in clients {
        let mut response = String::new();
        client.read_to_string(&mut response).await.unwrap();
        assert!(response.ends_with("small"), "{response}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_is_not_idle_before_it_has_been_looked_at() {
    let places = ConnectionPlaces::new(1);
    let (_first, unseen) = places.take().await;
    let next = places.take();
    tokio::pin!(next);
    let minute = Duration::from_mins(1);
    assert!(tokio::time::timeout(minute, &mut next).await.is_err());
    drop(unseen);
    assert!(tokio::time::timeout(minute, next).await.is_ok());
}

#[tokio::test]
async fn a_full_house_closes_the_client_that_has_been_idle_longest_and_no_response() {
    let server = start(PATIENT).await;
    let mut unread = request(&server, "/large").await;
    let mut silent = send(&server, "").await;
    let mut kept = request(&server, "/small").await;
    assert_eq!(status(&mut kept).await, "200");
    tokio::time::sleep(Duration::from_millis(150)).await;
    let mut half = send(&server, "GET /small").await;
    assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
    assert_eq!(server.connections()(), 3);
    tokio::time::sleep(Duration::from_millis(150)).await;
    let _newest = send(&server, "").await;
    kept.read_to_end(&mut Vec::new()).await.unwrap();
    let rest = b" HTTP/1.1\r\nHost: x\r\n\r\n";
    half.write_all(rest).await.unwrap();
    assert_eq!(status(&mut half).await, "200");
    unread.read_exact(&mut vec![0; LARGE]).await.unwrap();
}

#[tokio::test]
async fn clients_that_take_nothing_are_closed_and_slow_ones_are_not() {
    let limits = ClientLimits {
        connections: 9,
        patience: Duration::from_millis(500),
        ..PATIENT
    };
    let server = start(limits).await;
    let started = Instant::now();
    let mut slow = request(&server, "/large").await;
    let mut unread = request(&server, "/large").await;
    let mut length = 0;
    while started.elapsed() < 2 * limits.patience {
        tokio::time::sleep(Duration::from_millis(10)).await;
        length += slow.read(&mut [0; 8 << 10]).await.unwrap();
    }
    let mut rest = vec![0; LARGE - length];
    slow.read_exact(&mut rest).await.unwrap();
    let mut rest = Vec::new();
    let _ = unread.read_to_end(&mut rest).await;
    assert!(rest.len() < LARGE);
}

#[tokio::test]
async fn patience_is_spent_only_while_bytes_wait_and_anew_for_each_response() {
    let limits = ClientLimits {
        patience: Duration::from_millis(600),
        ..PATIENT
    };
    let server = start(limits).await;
    let mut client = request(&server, "/stream").await;
    let mut first = vec![0; 1 << 20];
    client.read_exact(&mut first).await.unwrap();
    // The stream has no more for now, which is not the client's fault.
    let more = tokio::time::timeout(limits.patience * 5 / 4, client.read(&mut first));
    assert!(!matches!(more.await, Ok(Ok(0) | Err(_))));
    let mut client = request(&server, "/large").await;
    for _ in 0..2 {
        // Longer together than one response has.
        tokio::time::sleep(limits.patience * 2 / 3).await;
        let mut body = vec![0; LARGE];
        client.read_exact(&mut body).await.unwrap();
        let next = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
        client.write_all(next).await.unwrap();
    }
}

#[tokio::test]
async fn a_full_house_of_clients_that_take_nothing_keeps_others_out_until_their_patience_is_spent()
{
    let limits = ClientLimits {
        patience: Duration::from_millis(500),
        ..PATIENT
    };
    let server = start_with_memory(
        limits,
        Room {
            all: 99,
            of_caller: 99,
        },
    )
    .await;
    let mut unread = Vec::new();
    for _ in 0..limits.connections {
        unread.push(request(&server, "/large").await);
    }
    let waited = wait_for(&server, "/small", "").await;
    assert!(waited >= limits.patience / 2, "{waited:?}");
    assert!(waited < PATIENT.patience, "{waited:?}");
}

#[tokio::test]
async fn a_large_request_waits_for_memory_until_others_are_closed_and_a_small_one_does_not() {
    let limits = ClientLimits {
        connections: 99,
        patience: Duration::from_secs(1),
        ..PATIENT
    };
    let server = start(limits).await;
    let mut unread = Vec::new();
    for caller in ["one", "one", "two", "two"] {
        let waited = wait_for(&server, "/large/small", caller).await;
        assert!(waited < limits.patience / 2, "{waited:?}");
        let mut client = request_as(&server, "/large", caller).await;
        assert_eq!(status(&mut client).await, "200");
        unread.push(client);
    }
    let large = wait_for(&server, "/large/small", "three");
    tokio::pin!(large);
    tokio::select! {
        early = &mut large => panic!("there was room after {early:?}"),
        _ = wait_for(&server, "/small", "three") => {}
    }
    assert!(large.await > limits.patience / 2);
}

#[tokio::test]
async fn a_caller_that_holds_its_share_waits_alone() {
    let limits = ClientLimits {
        connections: 99,
        ..PATIENT
    };
    let server = start(limits).await;
    let mut unread = Vec::new();
    for _ in 0..9 {
        unread.push(request_as(&server, "/large", "one").await);
    }
    for _ in 0..4 {
        wait_for(&server, "/large/small", "two").await;
    }
    let own = wait_for(&server, "/large/small", "one");
    let own = tokio::time::timeout(Duration::from_millis(300), own);
    assert!(own.await.is_err(), "there was room for a third response");
}

#[tokio::test]
async fn a_compressed_stream_takes_more_memory_than_a_plain_one() {
    let limits = ClientLimits {
        connections: 9,
        ..PATIENT
    };
    let room = Room {
        all: 2,
        of_caller: 2,
    };
    let cases = [("/stream", 5), ("/stream/compressed", 2)].map(async |(path, streams)| {
        let server = start_with_memory(limits, room).await;
        let mut held = Vec::new();
        for _ in 0..streams {
            let mut client = request(&server, path).await;
            assert_eq!(status(&mut client).await, "200");
            held.push(client);
        }
        let mut more = request(&server, path).await;
        let more = tokio::time::timeout(Duration::from_millis(300), status(&mut more));
        assert!(more.await.is_err(), "{path}");
    });
    join_all(cases).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_finds_no_room_for_25_seconds_is_refused() {
    let (connection, _) = ConnectionPlaces::new(1).take().await;
    let [first, second] = [connection.request(), connection.request()];
    let memory = Memory::new(Room { all: 6, ..ROOM });
    memory.room(&first, 1, 6).await.unwrap();
    let started = tokio::time::Instant::now();
    assert!(memory.room(&second, 2, 6).await.is_err());
    assert_eq!(started.elapsed().as_secs(), 25);
    assert_eq!(memory.taken(), 6 << 20);
    drop(first);
    memory.room(&second, 2, 6).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn large_requests_wait_for_one_another_and_keep_no_small_one_waiting() {
    let (connection, _) = ConnectionPlaces::new(1).take().await;
    let memory = Memory::new(Room {
        all: 448,
        of_caller: 96,
    });
    let requests: Vec<_> = (0..100).map(|_| connection.request()).collect();
    let room = async |number: usize, caller: &'static str, megabytes| {
        let taken = memory.room(&requests[number], caller, megabytes);
        tokio::time::timeout(Duration::from_secs(1), taken).await
    };
    assert!(room(0, "one", 110).await.is_ok());
    let mut waiting: Vec<_> = (1..80)
        .map(|number| Box::pin(room(number, "one", 110)))
        .collect();
    for (number, caller) in (80..).zip(["two", "three"]) {
        assert!(room(number, caller, 110).await.is_ok());
    }
    for (number, caller) in (82..).zip(["four", "five", "six"]) {
        waiting.push(Box::pin(room(number, caller, 110)));
    }
    for request in &mut waiting {
        assert!(request.as_mut().now_or_never().is_none());
    }
    // Also of callers whose large requests have room, or wait for it.
    for (number, caller) in (85..).zip(["one", "four", "seven"]) {
        assert!(room(number, caller, 6).await.is_ok(), "{caller}");
    }
}

#[test]
fn every_form_of_an_address_of_this_machine_alone_is_recognized() {
    for (ip, is_expected) in [
        ("127.0.0.1", true),
        ("127.1.2.3", true),
        ("::1", true),
        ("::ffff:127.0.0.1", true),
        ("0.0.0.0", false),
        ("192.0.2.1", false),
        ("::ffff:192.0.2.1", false),
    ] {
        assert_eq!(is_loopback(ip.parse().unwrap()), is_expected, "{ip}");
    }
}
