//! The DynamoDB address, whose operations dynoxide implements and tests: they are reached, and what no SDK
//! sends is refused.

use std::net::SocketAddr;

use feedback::commands::serve::Service;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{options, send_raw, start};

/// The header lines of a signed request.
const HEADERS: &str = "content-type: application/x-amz-json-1.0\r\n\
    authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c\r\n\
    x-amz-date: 20260101T000000Z\r\n";

const USER: &str = r#""TableName":"users","Key":{"project":{"S":"p"},"userId":{"S":"u"}}"#;

/// Starts a service whose store accepts every access key.
async fn service() -> Service {
    start(&options()).await
}

/// Returns the head of a request for an operation, up to its last lines.
fn head(operation: &str) -> String {
    let target = format!("DynamoDB_20120810.{operation}");
    format!("POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: {target}\r\n{HEADERS}")
}

/// Requests an operation with this body; returns the status and the body of the response.
async fn post(address: SocketAddr, operation: &str, body: &[u8]) -> (u16, String) {
    let (head, length) = (head(operation), body.len());
    let end = format!("Connection: close\r\nContent-Length: {length}\r\n\r\n");
    let request = [head.as_bytes(), end.as_bytes(), body].concat();
    let response = send_raw(address, &request).await;
    let (head, body) = response.split_once("\r\n\r\n").expect(&response);
    (status(head), body.to_owned())
}

fn status(response: &str) -> u16 {
    let status = response.strip_prefix("HTTP/1.1 ").expect(response);
    status[..3].parse().unwrap()
}

/// Checks that the response is one that a program expects: an output or an error, as JSON.
#[track_caller]
fn assert_orderly((status, body): &(u16, String), request: &str) {
    let is_document = serde_json::from_str(body).is_ok_and(|body: Value| body.is_object());
    let is_orderly = is_document && matches!(status, 200 | 400..500);
    assert!(is_orderly, "{status} {body:.300} of {request:.300}");
}

/// Returns operations with inputs that are no JSON, or lead into a depth or a size that no SDK sends.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let with = |rest: &str| format!("{{{USER},{rest}}}").into_bytes();
    let nested = |open: &str, close: &str| {
        let value = open.repeat(100_000) + r#"{"S":"x"}"# + &close.repeat(100_000);
        let item = r#""project":{"S":"p"},"userId":{"S":"u"}"#;
        format!(r#"{{"TableName":"users","Item":{{{item},"v":{value}}}}}"#).into_bytes()
    };
    let condition = "NOT ".repeat(100_000) + "a = b";
    let condition = format!(r#""ConditionExpression":"{condition}""#);
    vec![
        ("GetItem", vec![]),
        ("GetItem", vec![b'"', 0xFF, b'"']),
        ("Unknown", b"{}".to_vec()),
        ("UpdateTable", br#"{"TableName":"users"}"#.to_vec()),
        ("", b"{}".to_vec()),
        ("GetItem", b"[1]".to_vec()),
        ("GetItem", with("")),
        ("GetItem", with(r#""ProjectionExpression":{"x":7}"#)),
        ("GetItem", "[".repeat(100_000).into_bytes()),
        ("GetItem", r#"{"a":"#.repeat(100_000).into_bytes()),
        ("PutItem", nested(r#"{"L":["#, "]}")),
        ("PutItem", nested(r#"{"M":{"a":"#, "}}")),
        ("DeleteItem", with(&condition)),
        (
            "ExecuteStatement",
            br#"{"Statement":"SELECT * FROM users"}"#.to_vec(),
        ),
    ]
}

#[tokio::test]
async fn operations_are_answered_and_hostile_requests_refused_and_the_next_ones_served() {
    let service = service().await;
    let address = service.dynamodb_address().unwrap();
    // An input of each operation.
    for line in include_str!("operations.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let input = line["body"].to_string();
        let response = post(address, line["op"].as_str().unwrap(), input.as_bytes()).await;
        assert_orderly(&response, &input);
    }
    for (operation, input) in hostile() {
        let request = format!("{operation} {:.300}", String::from_utf8_lossy(&input));
        let response = post(address, operation, &input).await;
        assert_ne!(response.0, 200, "{request}");
        assert_orderly(&response, &request);
        let (status, body) = post(address, "GetItem", format!("{{{USER}}}").as_bytes()).await;
        assert_eq!((status, body.as_str()), (200, "{}"), "after {request}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_end_is_refused_before_it_fills_the_memory() {
    let service = service().await;
    let stream = TcpStream::connect(service.dynamodb_address().unwrap()).await;
    let (mut reader, mut writer) = stream.unwrap().into_split();
    let head = head("GetItem") + "Transfer-Encoding: chunked\r\n\r\n";
    writer.write_all(head.as_bytes()).await.unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let sending = tokio::spawn(async move {
        // 64 MB, unless the connection is closed.
        let mut sent = 0;
        while sent < 1024 && writer.write_all(chunk.as_bytes()).await.is_ok() {
            sent += 1;
        }
        sent
    });
    let mut response = [0; 12];
    let refused = reader.read_exact(&mut response).await;
    if refused.is_ok() {
        assert_eq!(&response, b"HTTP/1.1 413");
    }
    drop(reader);
    assert!(sending.await.unwrap() < 1024, "everything was read");
}
