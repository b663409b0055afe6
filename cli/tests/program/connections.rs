//! `feedback serve` with few files to open, and clients that do not complete their requests.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::http::{DEMO_ACCOUNT, get, get_request, operate, put_item, put_user, store_request};
use crate::process::Served;
use crate::shutdown::put_large_users;

#[test]
fn half_open_connections_keep_nobody_out() {
    let served = Served::start_with_file_limit(128);
    let mut half_open = Vec::new();
    for address in [served.dynamodb(), served.api.as_str()] {
        for _ in 0..150 {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /health HT").unwrap();
            half_open.push(stream);
        }
    }
    let started = Instant::now();
    for _ in 0..20 {
        let answer = get(&served.api, "/api/users?project=demo&limit=1", DEMO_ACCOUNT);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        let answer = get(served.dynamodb(), "/", "Accept: */*");
        assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn the_oldest_of_too_many_goes_first() {
    let served = Served::start_with_file_limit(128);
    let connect = || TcpStream::connect(&served.api).unwrap();
    let mut oldest = connect();
    std::thread::sleep(Duration::from_millis(100));
    let others: Vec<_> = (0..15).map(|_| connect()).collect();
    let mut newest = connect();
    let request = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    newest.write_all(request).unwrap();
    assert_eq!(
        std::io::read_to_string(newest).unwrap()[..13],
        *"HTTP/1.1 200 "
    );
    oldest
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    // Without a request: one that arrives before the connection is closed is answered.
    assert_eq!(oldest.read(&mut [0]).unwrap(), 0);
    for mut other in others {
        other.write_all(request).unwrap();
        assert_eq!(
            std::io::read_to_string(other).unwrap()[..13],
            *"HTTP/1.1 200 "
        );
    }
}

#[test]
fn a_response_that_is_being_sent_is_never_cut_off_to_make_room() {
    let served = Served::start_with_file_limit(128);
    put_user(served.dynamodb(), "first");
    put_large_users(&served);
    // A page is sent in one piece, of which the buffers of both sockets take a part.
    let target = "/api/users?project=demo&limit=14&cursor=";
    let first = get(&served.api, "/api/users?project=demo&limit=1", DEMO_ACCOUNT);
    let link = first.split("cursor=").nth(1).unwrap();
    let cursor = link.split('>').next().unwrap();
    let mut client = TcpStream::connect(&served.api).unwrap();
    let request = get_request("localhost", &format!("{target}{cursor}"), DEMO_ACCOUNT);
    client.write_all(request.as_bytes()).unwrap();
    let mut start = [0; 15];
    client.read_exact(&mut start).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let half_open: Vec<_> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(&served.api).unwrap();
            stream.write_all(b"GET /health HT").unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let mut rest = String::new();
    client
        .set_read_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    let _ = client.read_to_string(&mut rest);
    assert!(rest.ends_with("]}"), "{} bytes", rest.len());
    drop(half_open);
}

#[test]
fn the_page_opens_within_two_seconds_beside_a_thousand_idle_connections() {
    let files = rustix::process::Resource::Nofile;
    let mut limit = rustix::process::getrlimit(files);
    limit.current = limit.maximum;
    rustix::process::setrlimit(files, limit).unwrap();
    let served = Served::start_with_file_limit(1024);
    let idle: Vec<_> = (0..1_000)
        .map(|_| TcpStream::connect(&served.api).unwrap())
        .collect();
    let started = Instant::now();
    let statistics = "/api/v2/response-statistics?project=demo";
    for target in ["/", "/dashboard/settings.json", statistics] {
        let response = get(&served.api, target, "AuthKey: demo-read-key-0000");
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
    let took = started.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
    drop(idle);
}

#[test]
fn a_client_of_the_store_that_ends_its_side_after_a_request_gets_its_response() {
    let served = Served::without_records();
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

#[test]
fn requests_whose_body_never_comes_keep_neither_the_api_nor_others_from_the_store() {
    let served = Served::start_with_file_limit(1024);
    let stalled: Vec<_> = (0..60)
        .map(|_| {
            let mut stream = TcpStream::connect(served.dynamodb()).unwrap();
            let head = store_request(served.dynamodb(), "Scan", "{}");
            stream
                .write_all(head.strip_suffix('}').unwrap().as_bytes())
                .unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(200));
    let started = Instant::now();
    let response = get(&served.api, "/api/users?project=demo&limit=1", DEMO_ACCOUNT);
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    operate(served.dynamodb(), "Scan", r#"{"TableName":"users"}"#);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
    drop(stalled);
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn a_head_that_is_not_complete_after_ten_seconds_is_closed() {
    let served = Served::without_records();
    let addresses = [served.api.as_str(), served.dynamodb()];
    let started = Instant::now();
    let opened = addresses.into_iter().flat_map(|address| {
        ["", "GET /health HTTP/1.1\r\nHost: local"].map(|bytes| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(bytes.as_bytes()).unwrap();
            stream
        })
    });
    let closed = opened.map(|mut stream| {
        std::thread::spawn(move || {
            let _ = stream.read_to_end(&mut Vec::new());
            started.elapsed()
        })
    });
    // All of them are open before the first is waited for.
    for closed in closed.collect::<Vec<_>>() {
        let took = closed.join().unwrap();
        let expected = Duration::from_millis(9_500)..Duration::from_secs(13);
        assert!(expected.contains(&took), "{took:?}");
    }
}

#[test]
fn reading_for_a_request_ends_when_its_client_leaves() {
    const RECORDS: usize = 20;
    let served = Served::without_records();
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
    let abandoned = (0..50).find_map(|wait| {
        let mut client = TcpStream::connect(&served.api).unwrap();
        client.write_all(request.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        drop(client);
        std::thread::sleep(Duration::from_millis(20));
        let log = served.log(0);
        log.lines()
            .find(|line| line.contains("complete=false"))
            .map(str::to_owned)
    });
    let abandoned = abandoned.unwrap();
    let records = abandoned.split("records=").nth(1).unwrap();
    let records = records.split(' ').next().unwrap().parse::<usize>();
    assert!(records.unwrap() < RECORDS, "{abandoned}");
}
