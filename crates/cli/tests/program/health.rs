//! `feedback health`.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::http::ClosedPort;
use crate::outcome::{only_line, printed};
use crate::process::{Served, run};

/// Answers one request with these bytes; returns the URL.
fn answering(response: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let _ = stream.read(&mut head);
        let _ = stream.write_all(response);
        // A connection that is open and silent, if nothing was written.
        let _ = stream.read(&mut head);
    });
    url
}

#[test]
fn health_succeeds_in_silence_while_the_service_answers() {
    let served = Served::without_records("");
    let output = run(&format!("health --url http://{}", served.api));
    assert!(output.status.success(), "{output:?}");
    assert_eq!(printed(&output), "");
}

#[test]
fn health_fails_with_the_reason_if_the_service_does_not_answer_as_it_should() {
    let closed = ClosedPort::reserve();
    let unexpected = "the service returned an unexpected response";
    let failed = b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{\"status\":\"failed\"}";
    for (url, reason) in [
        (format!("http://{}", closed.address()), "cannot reach"),
        (
            answering(b"HTTP/1.1 503 Gone\r\nContent-Length: 0\r\n\r\n"),
            "503",
        ),
        (
            answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello"),
            unexpected,
        ),
        (answering(failed), unexpected),
    ] {
        let line = only_line(&run(&format!("health --url {url}")));
        assert!(line.contains(reason), "{line}");
    }
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn health_fails_with_the_reason_if_the_service_is_silent() {
    let line = only_line(&run(&format!("health --url {}", answering(b""))));
    assert!(line.contains("does not answer within 4 seconds"), "{line}");
}
