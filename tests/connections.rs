//! What `serve` does with bytes that are no request.

use crate::support::{send_raw, service};

/// Splits a response into its head, in lower case, and its body.
fn parts(response: &str) -> (String, &str) {
    let (head, body) = response.split_once("\r\n\r\n").expect(response);
    (head.to_ascii_lowercase(), body)
}

/// Bytes that are no request, with the status that refuses them.
fn no_requests() -> [(String, u16); 9] {
    let rest = "HTTP/1.1\r\nHost: localhost\r\n";
    [
        (format!("GET /api/users?userId=a b {rest}\r\n"), 400),
        (format!("GET /api/users?userId=\"a\" {rest}\r\n"), 400),
        (format!("GET /{} {rest}\r\n", "x".repeat(70_000)), 414),
        (
            format!("GET /health {rest}X: {}\r\n\r\n", "x".repeat(500_000)),
            431,
        ),
        (format!("GET /health {rest}no header\r\n\r\n"), 400),
        ("\0\0\0\0\r\n\r\n".to_owned(), 400),
        ("GET /health HTTP/1.1\r\n\r\n".to_owned(), 400),
        (format!("GET /health {rest}Host: localhost\r\n\r\n"), 400),
        (
            "GET /health HTTP/1.1\r\nHost: localhost, b\r\n\r\n".to_owned(),
            400,
        ),
    ]
}

#[tokio::test]
async fn bytes_that_are_no_request_get_a_bare_refusal() {
    for address in [
        service().api_address(),
        service().dynamodb_address().unwrap(),
    ] {
        for (bytes, status) in no_requests() {
            let response = send_raw(address, bytes.as_bytes()).await;
            let (head, body) = parts(&response);
            assert!(head.starts_with(&format!("http/1.1 {status} ")), "{head}");
            assert_eq!(body, "");
        }
    }
}
