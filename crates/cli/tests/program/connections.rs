//! `feedback serve` with few files to open, and clients that do not complete their requests.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::{get, get_request, put_item, store_request};
use crate::process::Served;

#[test]
fn half_open_connections_keep_nobody_out() {
    let served = Served::restricted("ulimit -n 128 && exec", "");
    let mut half_open = Vec::new();
    for address in [served.dynamodb(), served.api.as_str()] {
        for _ in 0..150 {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /health HT").unwrap();
            half_open.push(stream);
        }
    }
    let started = Instant::now();
    let statistics = "/api/v2/response-statistics?project=demo";
    for target in ["/", "/dashboard/settings.json", statistics] {
        let answer = get(&served.api, target, "AuthKey: demo-read-key-0000");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        let answer = get(served.dynamodb(), "/", "Accept: */*");
        assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(30), "{took:?}");
}

#[test]
fn a_client_of_the_store_that_ends_its_side_after_a_request_gets_its_response() {
    let served = Served::without_records("");
    let user = r#"{"TableName":"users","Item":{"project":{"S":"demo"},"userId":{"S":"half"}}}"#;
    for (operation, input) in [("PutItem", user), ("Scan", r#"{"TableName":"responses"}"#)] {
        let mut client = TcpStream::connect(served.dynamodb()).unwrap();
        let request = store_request(served.dynamodb(), operation, input);
        client.write_all(request.as_bytes()).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let response = std::io::read_to_string(client).unwrap();
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn serve_raises_its_limit_of_open_files() {
    let served = Served::restricted("ulimit -Sn 256 && exec", "");
    let limits = format!("/proc/{}/limits", served.process.id());
    let limits = std::fs::read_to_string(limits).unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let limits: Vec<u64> = line
        .unwrap()
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    assert_eq!(limits[0], limits[1].min(16_000), "{limits:?}");
}

#[test]
fn reading_for_a_request_ends_when_its_client_leaves() {
    const RECORDS: usize = 20;
    let served = Served::without_records("");
    // So that a page of the store has two of them.
    let text = "x".repeat(380_000);
    for n in 0..RECORDS {
        let at = format!("1999-01-01T00:00:00.000Z#{n:02}");
        let item = json!({"shard": {"S": "demo#0"}, "at": {"S": at}, "traits": {"M": {"note": {"S": text}}}});
        put_item(served.dynamodb(), "responses", &item.to_string());
    }
    let target = "/api/v2/response-statistics?project=demo&startDate=1999-01-01&endDate=2000-01-01&groupBy=user.traits.string.plan";
    let request = get_request("localhost", target, "AuthKey: demo-read-key-0000");
    // A client that leaves before its request is handled leaves no line in the log.
    let abandoned = (0..200).find_map(|wait| {
        let mut client = TcpStream::connect(&served.api).unwrap();
        client.write_all(request.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        drop(client);
        std::thread::sleep(Duration::from_millis(20));
        let log = served.log(0);
        log.lines()
            .find(|line| line.contains(r#""complete":false"#))
            .map(str::to_owned)
    });
    let abandoned = abandoned.unwrap();
    let records = abandoned.split(r#""records":"#).nth(1).unwrap();
    let records = records.split(',').next().unwrap().parse::<usize>();
    assert!(records.unwrap() < RECORDS, "{abandoned}");
}
