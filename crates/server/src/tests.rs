//! What a server does with clients that are slow, under limits that are short.

use std::time::Instant;

use axum::body::Bytes;
use axum::routing::get;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use super::*;

/// More than the buffers of both sockets hold.
const LARGE: usize = 2 << 20;

async fn start(limits: Limits) -> Server {
    let mut listener = Listener::bind("127.0.0.1:0").await.unwrap();
    listener.limits = limits;
    let large = Bytes::from(vec![b'x'; LARGE]);
    let router = Router::new()
        .route("/large", get(async move || large))
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
    let limits = Limits {
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
async fn clients_that_do_not_read_their_responses_make_room_and_slow_ones_do_not() {
    let limits = Limits {
        connections: 4,
        head: Duration::from_mins(1),
        stall: Duration::from_millis(500),
    };
    let server = start(limits).await;
    let mut slow = request(&server, "/large").await;
    let slowly = tokio::spawn(async move {
        let (mut part, mut length) = (vec![0; 64 << 10], 0);
        while length < LARGE {
            tokio::time::sleep(Duration::from_millis(10)).await;
            match slow.read(&mut part).await {
                Ok(more @ 1..) => length += more,
                end => panic!("{end:?} after {length} bytes"),
            }
        }
    });
    let started = Instant::now();
    let mut unread = Vec::new();
    for _ in 0..3 {
        unread.push(request(&server, "/large").await);
    }
    // Until its request is read, a connection waits for one.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut next = request(&server, "/small").await;
    let mut start = [0; 15];
    next.read_exact(&mut start).await.unwrap();
    assert_eq!(start, *b"HTTP/1.1 200 OK");
    assert!(started.elapsed() >= limits.stall);
    slowly.await.unwrap();
    // The one that stalled first made room.
    let mut ends = Vec::new();
    for mut client in unread {
        let mut rest = Vec::new();
        let end = client.read_to_end(&mut rest);
        let end = tokio::time::timeout(Duration::from_millis(200), end).await;
        ends.push(end.is_ok());
    }
    assert_eq!(ends, [true, false, false]);
}
