//! What a server does with clients that are slow, under limits that are short.

use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::Response;
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::get;
use http_body_util::BodyExt as _;
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
    stall: Duration::from_mins(1),
};

async fn bound(State(memory): State<Memory>, request: Request, next: Next) -> Response<Body> {
    memory.bound(6, next.run(request)).await
}

async fn start(limits: ClientLimits) -> Server {
    let mut listener = Listener::bind("127.0.0.1:0").await.unwrap();
    listener.limits = limits;
    let large = Bytes::from(vec![b'x'; LARGE]);
    let router = Router::new()
        .route("/large", get(async move || Body::from(large)))
        .route("/large/small", get(async || Body::from("small")))
        .layer(from_fn_with_state(Memory::new(MANY * 6), bound))
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
        stall: Duration::MAX,
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
async fn requests_wait_for_memory_until_others_are_closed_and_small_ones_do_not() {
    let limits = ClientLimits {
        connections: 99,
        stall: Duration::from_secs(1),
        ..PATIENT
    };
    let server = start(limits).await;
    let mut unread = Vec::new();
    for _ in 0..MANY {
        let waited = wait_for(&server, "/large/small").await;
        assert!(waited < limits.stall / 2, "{waited:?}");
        let mut client = request(&server, "/large").await;
        client.read_exact(&mut [0; 15]).await.unwrap();
        unread.push(client);
    }
    let [small, large] = ["/small", "/large/small"].map(|path| wait_for(&server, path));
    let (small, large) = tokio::join!(small, large);
    assert!(small < limits.stall / 2, "{small:?}");
    assert!(large > limits.stall / 2, "{large:?}");
}

/// Returns how many streams have room at once in two megabytes.
async fn streams_at_once(encoding: Option<&'static str>) -> usize {
    let memory = Memory::new(2);
    let mut held = Vec::new();
    loop {
        // Its size is unknown.
        let stream = Body::new(Body::empty().map_frame(|frame| frame));
        let mut response = Response::new(stream);
        if let Some(encoding) = encoding {
            let encoding = axum::http::HeaderValue::from_static(encoding);
            response.headers_mut().insert("content-encoding", encoding);
        }
        let bound = memory.bound(1, async { response });
        match tokio::time::timeout(Duration::from_millis(10), bound).await {
            Ok(response) => held.push(response),
            Err(_) => return held.len(),
        }
    }
}

#[tokio::test]
async fn a_compressed_stream_takes_more_memory_than_a_plain_one() {
    assert_eq!(streams_at_once(None).await, 5);
    assert_eq!(streams_at_once(Some("gzip")).await, 2);
}
