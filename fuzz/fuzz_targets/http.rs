#![no_main]
//! Checks that `feedback serve` responds to arbitrary bytes without an error of its own, and ends the
//! connection.

use std::sync::LazyLock;
use std::time::Duration;

use clap::Parser;
use feedback::commands::serve::{Options, Service};
use fuzz::assert_no_server_error;
use libfuzzer_sys::fuzz_target;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

/// Ends a request that the bytes leave open, and makes the server close the connection.
const LAST: &[u8] = b"\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

#[derive(Parser)]
struct CommandLine {
    #[command(flatten)]
    options: Options,
}

/// The demo project, served on a free port.
static SERVER: LazyLock<(Runtime, Service)> = LazyLock::new(|| {
    feedback::init_log();
    let free = "127.0.0.1:0";
    let arguments = ["serve", "--listen", free, "--dynamodb-listen", free];
    let options = CommandLine::parse_from(arguments).options;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let service = runtime.block_on(Service::start(&options, "2025-04-01".parse().unwrap()));
    (runtime, service.expect("the service starts"))
});

fuzz_target!(|bytes: &[u8]| {
    let (runtime, service) = &*SERVER;
    let exchange = exchange(service.api_address(), bytes);
    let responses = runtime.block_on(async {
        let limited = tokio::time::timeout(Duration::from_secs(8), exchange);
        limited.await.expect("the server closes the connection")
    });
    for status in statuses(&responses) {
        assert_no_server_error(status);
    }
});

/// Sends the bytes, and returns everything that the server sends until it closes the connection.
async fn exchange(address: std::net::SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let stream = TcpStream::connect(address).await.expect("it is served");
    let (mut reader, mut writer) = stream.into_split();
    let (sent, mut received) = ([bytes, LAST].concat(), Vec::new());
    // The server may refuse the request, and close the connection, before it has read everything.
    let (_, _) = tokio::join!(writer.write_all(&sent), reader.read_to_end(&mut received));
    received
}

/// Returns the statuses of the responses. A body cannot be mistaken for the head of another response:
/// no body of the service has this text before the end of a line of HTTP.
fn statuses(responses: &[u8]) -> impl Iterator<Item = u16> {
    const START: &[u8] = b"HTTP/1.1 ";
    let starts = responses.windows(START.len()).enumerate();
    let starts = starts.filter(|(_, window)| *window == START);
    starts.filter_map(|(at, _)| {
        let line = responses[at + START.len()..].split(|byte| *byte == b'\r');
        let line = std::str::from_utf8(line.into_iter().next()?).ok()?;
        let (status, reason) = line.split_once(' ')?;
        let is_reason = reason
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b' ');
        status.parse().ok().filter(|_| is_reason)
    })
}
