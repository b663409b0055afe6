//! Requests that no SDK sends, at the DynamoDB address: each is refused, and the next one is served.

use std::net::SocketAddr;
use std::time::Duration;

use feedback::commands::serve::Service;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{options, send_raw, start};

/// The headers of a signed request.
const HEADERS: [(&str, &str); 3] = [
    ("content-type", "application/x-amz-json-1.0"),
    (
        "authorization",
        "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c",
    ),
    ("x-amz-date", "20260101T000000Z"),
];

const USER: &str = r#""TableName":"users","Key":{"project":{"S":"p"},"userId":{"S":"u"}}"#;

/// Starts a service whose store accepts every access key.
async fn service() -> Service {
    start(&options()).await
}

/// Returns the head of a request for an operation, up to its last lines.
fn head(operation: &str) -> String {
    let target = format!("DynamoDB_20120810.{operation}");
    let mut head = format!("POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: {target}\r\n");
    for (name, value) in HEADERS {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head
}

/// Requests an operation with this body; returns the status and the body of the response.
async fn post(address: SocketAddr, operation: &str, body: &[u8]) -> (u16, String) {
    let head = head(operation);
    let length = format!(
        "Connection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let request = [head.as_bytes(), length.as_bytes(), body].concat();
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

/// Returns inputs with another value in the place of one, for each of them.
fn mutants(input: &Value) -> Vec<Value> {
    let others = [
        json!(null),
        json!(true),
        json!(7),
        json!("x"),
        json!(["x"]),
        json!({"x": 7}),
    ];
    let mutant = |pointer: &String, other: &Value| {
        let mut mutant = input.clone();
        *mutant.pointer_mut(pointer).unwrap() = other.clone();
        mutant
    };
    let pointers = pointers(input).into_iter();
    pointers
        .flat_map(|pointer| others.each_ref().map(|other| mutant(&pointer, other)))
        .collect()
}

/// Returns the JSON pointers of all values in a value.
fn pointers(value: &Value) -> Vec<String> {
    let members: Vec<(String, &Value)> = match value {
        Value::Array(elements) => (0..).map(|n: usize| n.to_string()).zip(elements).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, it)| (name.clone(), it))
            .collect(),
        _ => Vec::new(),
    };
    let inner = members.into_iter().flat_map(|(name, value)| {
        let inner = pointers(value).into_iter();
        inner.map(move |rest| format!("/{name}{rest}"))
    });
    [String::new()].into_iter().chain(inner).collect()
}

#[tokio::test]
async fn a_value_of_a_wrong_type_is_refused_wherever_it_is() {
    let service = service().await;
    let address = service.dynamodb_address();
    // An input of each operation.
    for line in include_str!("operations.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let operation = line["op"].as_str().unwrap();
        for mutant in mutants(&line["body"]) {
            let mutant = mutant.to_string();
            let response = post(address, operation, mutant.as_bytes()).await;
            assert_orderly(&response, &format!("{operation} {mutant}"));
        }
    }
}

/// Returns operations with inputs that are no JSON, or lead into a depth or a size that no SDK sends.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let nested = |open: &str, close: &str, levels| {
        let value = open.repeat(levels) + r#"{"S":"x"}"# + &close.repeat(levels);
        let item = r#""project":{"S":"p"},"userId":{"S":"u"}"#;
        format!(r#"{{"TableName":"users","Item":{{{item},"v":{value}}}}}"#)
    };
    let condition = |condition: &str| format!(r#"{{{USER},"ConditionExpression":"{condition}"}}"#);
    let projection = |paths: &str| format!(r#"{{{USER},"ProjectionExpression":"{paths}"}}"#);
    let statement = |value: &str| {
        let statement =
            format!("INSERT INTO users VALUE {{'project':'p','userId':'u','v':{value}}}");
        json!({"Statement": statement}).to_string()
    };
    let number = |digits: &str| {
        let item = json!({"project": {"S": "p"}, "userId": {"S": "u"}, "v": {"N": digits}});
        json!({"TableName": "users", "Item": item}).to_string()
    };
    let mut hostile = vec![
        ("GetItem", vec![]),
        ("GetItem", vec![b'"', 0xFF, b'"']),
        ("Unknown", b"{}".to_vec()),
        ("", b"{}".to_vec()),
    ];
    let texts = [
        ("GetItem", "{".to_owned()),
        ("GetItem", "[1]".to_owned()),
        ("GetItem", format!("{{{USER},}}")),
        (
            "GetItem",
            r#"{"TableName":"users","Key":{"project":{"S":"\ud800"}}}"#.to_owned(),
        ),
        ("GetItem", "[".repeat(100_000)),
        ("GetItem", r#"{"a":"#.repeat(100_000)),
        ("GetItem", "x".repeat(1_000_000)),
        ("GetItem", projection(&"(".repeat(1_000_000))),
        (
            "GetItem",
            projection(&("a".to_owned() + &".a".repeat(100_000))),
        ),
        ("DeleteItem", condition(&("NOT ".repeat(100_000) + "a = b"))),
        ("DeleteItem", condition(&("(".repeat(4000) + "a = b"))),
        ("ExecuteStatement", statement(&"[".repeat(100_000))),
        (
            "ExecuteStatement",
            statement(&("{'a':".repeat(1500) + "1" + &"}".repeat(1500))),
        ),
    ];
    hostile.extend(texts.map(|(operation, text)| (operation, text.into_bytes())));
    for levels in [33, 1000, 100_000] {
        let lists = nested(r#"{"L":["#, "]}", levels);
        let maps = nested(r#"{"M":{"a":"#, "}}", levels);
        hostile.extend([lists, maps].map(|item| ("PutItem", item.into_bytes())));
    }
    let numbers = [
        "1e1000000000",
        "-1e-2147483648",
        "1_000",
        "\u{663}",
        "NaN",
        "",
    ];
    hostile.extend(numbers.map(|digits| ("PutItem", number(digits).into_bytes())));
    hostile
}

#[tokio::test]
async fn hostile_requests_are_refused_and_the_next_ones_served() {
    let service = service().await;
    let address = service.dynamodb_address();
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
    let stream = TcpStream::connect(service.dynamodb_address()).await;
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

#[tokio::test]
async fn long_bodies_are_read_a_few_at_a_time_and_short_ones_meanwhile() {
    let service = service().await;
    let address = service.dynamodb_address();
    let mut unfinished = Vec::new();
    for _ in 0..4 {
        let mut client = TcpStream::connect(address).await.unwrap();
        let request = head("GetItem") + "Content-Length: 1000000\r\n\r\n{";
        client.write_all(request.as_bytes()).await.unwrap();
        unfinished.push(client);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let long = format!("{{{USER}{}}}", " ".repeat(100_000));
    let waiting = tokio::spawn(async move { post(address, "GetItem", long.as_bytes()).await });
    let short = format!("{{{USER}}}");
    assert_eq!(post(address, "GetItem", short.as_bytes()).await.0, 200);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!waiting.is_finished());
    drop(unfinished);
    assert_eq!(waiting.await.unwrap().0, 200);
}
