//! What a server does with clients that are slow, under limits that are short.

mod memory;

use std::time::Instant;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::Response;
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::get;
use futures_util::stream::{self, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use super::*;

/// More than the buffers of both sockets hold, and as much as a response counts at most.
const LARGE: usize = 6 << 20;

/// So many large responses fill the memory of a server.
const MANY: usize = 32;

/// Few connections, which nothing ends within a test but a full house.
const PATIENT: ClientLimits = ClientLimits {
    connections: 3,
    head: Duration::from_mins(1),
    least: Duration::from_mins(1),
    stall: Duration::from_mins(1),
};

async fn bound(
    State(memory): State<Memory>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    if request.headers().contains_key(AUTHORIZATION) {
        in_flight.authenticated();
    }
    memory.room(&in_flight).await;
    next.run(request).await
}

/// Makes a stream that begins with a megabyte, and never ends.
fn endless() -> Body {
    let first: Result<_, Infallible> = Ok(vec![b'x'; 1 << 20]);
    Body::from_stream(stream::iter([first]).chain(stream::pending()))
}

async fn start(limits: ClientLimits) -> Server {
    start_with_memory(limits, Memory::new(MANY * 6, 6)).await
}

async fn start_with_memory(limits: ClientLimits, memory: Memory) -> Server {
    let mut listener = Listener::bind("127.0.0.1:0").await.unwrap();
    listener.limits = limits;
    let large = Bytes::from(vec![b'x'; LARGE]);
    let compressed = async || ([(CONTENT_ENCODING, "gzip")], endless());
    let router = Router::new()
        .route("/large", get(async move || Body::from(large)))
        .route("/large/small", get(async || Body::from("small")))
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
    send(server, &format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")).await
}

#[tokio::test]
async fn a_head_that_is_not_complete_in_time_is_closed() {
    let limits = ClientLimits {
        connections: 9,
        head: Duration::from_millis(200),
        ..PATIENT
    };
    let server = start(limits).await;
    for bytes in ["", "GET /small HTTP/1.1\r\nHost: x"] {
        let started = Instant::now();
        let mut client = send(&server, bytes).await;
        client.read_to_end(&mut Vec::new()).await.unwrap();
        assert!(started.elapsed() >= limits.head, "{bytes}");
    }
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

#[tokio::test]
async fn a_full_house_closes_the_oldest_client_that_never_sent_a_request_and_no_response() {
    let server = start(PATIENT).await;
    let mut kept = request(&server, "/small").await;
    let mut response = [0; 256];
    assert!(kept.read(&mut response).await.unwrap() > 0);
    let mut unread = request(&server, "/large").await;
    unread.read_exact(&mut [0; 15]).await.unwrap();
    let mut unused = Vec::new();
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        unused.push(send(&server, "GET /small").await);
    }
    assert_eq!(unused[0].read(&mut response).await.unwrap(), 0);
    let rest: &[u8] = b" HTTP/1.1\r\nHost: x\r\n\r\n";
    for (client, bytes) in [
        (&mut kept, [b"GET /small", rest].concat()),
        (&mut unused[3], rest.to_vec()),
    ] {
        client.write_all(&bytes).await.unwrap();
        assert!(client.read(&mut response).await.unwrap() > 0);
    }
    let mut body = vec![0; LARGE];
    unread.read_exact(&mut body).await.unwrap();
}

/// Returns how long it takes until a response begins.
async fn wait_for(server: &Server, path: &str) -> Duration {
    let started = Instant::now();
    let mut client = request(server, path).await;
    let mut start = [0; 15];
    client.read_exact(&mut start).await.unwrap();
    assert_eq!(start, *b"HTTP/1.1 200 OK");
    started.elapsed()
}

#[tokio::test]
async fn clients_that_acknowledge_nothing_are_closed_and_slow_ones_are_not() {
    let limits = ClientLimits {
        connections: 9,
        stall: Duration::from_millis(500),
        ..PATIENT
    };
    let server = start(limits).await;
    let mut slow = request(&server, "/large").await;
    let mut unread = request(&server, "/large").await;
    let mut part = vec![0; 64 << 10];
    let mut length = 0;
    while length < LARGE {
        tokio::time::sleep(Duration::from_millis(10)).await;
        match slow.read(&mut part).await {
            Ok(more @ 1..) => length += more,
            end => panic!("{end:?} after {length} bytes"),
        }
    }
    let mut rest = Vec::new();
    let _ = unread.read_to_end(&mut rest).await;
    assert!(rest.len() < LARGE);
}

#[tokio::test]
async fn a_full_house_of_slow_readers_closes_the_longest_served_and_authenticated_ones_last() {
    let least = Duration::from_millis(800);
    let server = start(ClientLimits { least, ..PATIENT }).await;
    let started = Instant::now();
    let authenticated = "GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\n\r\n";
    let mut slow = vec![send(&server, authenticated).await];
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(100)).await;
        slow.push(request(&server, "/large").await);
    }
    wait_for(&server, "/large/small").await;
    assert!(started.elapsed() > least, "nobody gave way early");
    // The place of the one that was answered is free, but for its connection.
    let mut response = [0; 256];
    let mut fourth = request(&server, "/small").await;
    assert!(fourth.read(&mut response).await.unwrap() > 0);
    let [first, second, third] = slow.try_into().unwrap();
    for (mut client, is_closed) in [(second, true), (first, false), (third, false)] {
        let mut body = vec![0; LARGE];
        let read = client.read_exact(&mut body).await;
        assert_eq!(read.is_err(), is_closed);
    }
}

#[tokio::test]
async fn those_with_credentials_give_way_when_nobody_else_is_left() {
    let least = Duration::from_millis(500);
    let server = start(ClientLimits { least, ..PATIENT }).await;
    let authenticated = "GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\n\r\n";
    let mut slow = Vec::new();
    for _ in 0..3 {
        slow.push(send(&server, authenticated).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let waited = wait_for(&server, "/small").await;
    assert!(waited > least / 2 && waited < 3 * least, "{waited:?}");
    assert!(
        slow.first_mut()
            .unwrap()
            .read_exact(&mut vec![0; LARGE])
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_client_that_hardly_pauses_between_requests_spares_nobody_else() {
    let least = Duration::from_millis(500);
    let server = start(ClientLimits { least, ..PATIENT }).await;
    let slow = [
        request(&server, "/large").await,
        request(&server, "/large").await,
    ];
    let mut busy = request(&server, "/small").await;
    let pauses = async {
        loop {
            let _ = busy.read(&mut [0; 256]).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            busy.write_all(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
                .await
                .unwrap();
        }
    };
    tokio::select! {
        waited = wait_for(&server, "/small") => assert!(waited < 3 * least, "{waited:?}"),
        () = pauses => {}
    }
    drop(slow);
}

#[tokio::test]
async fn clients_that_never_pause_between_requests_give_way_between_two_of_them() {
    let least = Duration::from_millis(500);
    let server = start(ClientLimits { least, ..PATIENT }).await;
    let busy = async || {
        let mut client = request(&server, "/small").await;
        // It ends when the server closes the connection, after a whole response.
        while client
            .read(&mut [0; 256])
            .await
            .is_ok_and(|length| length > 0)
        {
            let next = b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
            let _ = client.write_all(next).await;
        }
    };
    let all_busy = async {
        loop {
            tokio::join!(busy(), busy(), busy());
        }
    };
    let wait = async {
        tokio::time::sleep(least / 5).await;
        tokio::time::timeout(3 * least, wait_for(&server, "/small")).await
    };
    tokio::select! {
        waited = wait => {
            let waited = waited.expect("somebody gives way");
            assert!(waited > least / 2, "nobody gives way early: {waited:?}");
        }
        () = all_busy => {}
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
