//! `feedback health`.

use crate::http::{ClosedPort, sending};
use crate::outcome::{only_line, printed};
use crate::process::{Served, run};

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
    let failed = "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n{\"status\":\"failed\"}";
    let gone = "HTTP/1.1 503 Gone\r\nContent-Length: 0\r\n\r\n";
    let other = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello";
    for (url, reason) in [
        (format!("http://{}", closed.address()), "cannot reach"),
        (sending(gone, false), "503"),
        (sending(other, false), unexpected),
        (sending(failed, false), unexpected),
    ] {
        let line = only_line(&run(&format!("health --url {url}")));
        assert!(line.contains(reason), "{line}");
    }
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn health_fails_with_the_reason_if_the_service_is_silent() {
    let line = only_line(&run(&format!("health --url {}", sending("", false))));
    assert!(line.contains("does not answer within 4 seconds"), "{line}");
}
