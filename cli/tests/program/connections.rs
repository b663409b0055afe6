//! `feedback serve` with few files to open, and clients that do not complete their requests.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::http::{DEMO_ACCOUNT, get};
use crate::process::Served;

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
    let others: Vec<_> = (0..31).map(|_| connect()).collect();
    let mut newest = connect();
    let request = b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    newest.write_all(request).unwrap();
    assert_eq!(
        std::io::read_to_string(newest).unwrap()[..13],
        *"HTTP/1.1 200 "
    );
    oldest
        .set_read_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    let _ = oldest.write_all(request);
    let end = std::io::read_to_string(oldest);
    assert!(end.is_err() || end.unwrap().is_empty());
    for mut other in others {
        other.write_all(request).unwrap();
        assert_eq!(
            std::io::read_to_string(other).unwrap()[..13],
            *"HTTP/1.1 200 "
        );
    }
}
