//! What `serve` does with bytes that are no request.

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Project, USERS, basic, send_raw, service};

/// Splits a response into its head, in lower case, and its body.
fn parts(response: &str) -> (String, &str) {
    let (head, body) = response.split_once("\r\n\r\n").expect(response);
    (head.to_ascii_lowercase(), body)
}

fn no_requests() -> [String; 6] {
    let rest = "HTTP/1.1\r\nHost: localhost\r\n";
    [
        format!("GET /api/users?userId=a b {rest}\r\n"),
        format!("GET /api/users?userId=\"a\" {rest}\r\n"),
        format!("GET /{} {rest}\r\n", "x".repeat(70_000)),
        format!("GET /health {rest}X: {}\r\n\r\n", "x".repeat(500_000)),
        format!("GET /health {rest}no header\r\n\r\n"),
        "\0\0\0\0\r\n\r\n".to_owned(),
    ]
}

#[tokio::test]
async fn malformed_requests_get_the_error_document() {
    for bytes in no_requests() {
        let response = send_raw(service().api_address(), bytes.as_bytes()).await;
        let (head, body) = parts(&response);
        assert!(head.starts_with("http/1.1 400 bad request\r\n"), "{head}");
        for header in [
            "content-type: application/json\r\n",
            "cache-control: no-store\r\n",
            "x-content-type-options: nosniff\r\n",
            &format!("content-length: {}\r\n", body.len()),
        ] {
            assert!(head.contains(header), "{header}: {head}");
        }
        let error = &serde_json::from_str::<Value>(body).unwrap()["errors"][0];
        assert_eq!(
            (&error["status"], &error["code"]),
            (&"400".into(), &"bad_request".into())
        );
        let id = format!("x-request-id: {}", error["id"].as_str().unwrap());
        assert!(head.contains(&id), "{head}");
    }
}

#[tokio::test]
async fn what_is_no_request_to_the_store_gets_an_error_of_dynamodb() {
    for bytes in no_requests() {
        let response = send_raw(service().dynamodb_address(), bytes.as_bytes()).await;
        let (head, body) = parts(&response);
        assert!(head.starts_with("http/1.1 400 "), "{head}");
        let error: Value = serde_json::from_str(body).unwrap();
        assert!(
            error["__type"]
                .as_str()
                .unwrap()
                .ends_with("#ValidationException")
        );
    }
}

#[tokio::test]
async fn a_connection_serves_what_it_has_before_it_refuses_the_rest() {
    let project = Project::new().await;
    project.put_user("HTTP/1.1 400 Bad Request", &[]).await;
    let account = basic(&project.username, &project.password);
    let list = format!(
        "GET {}  HTTP/1.1\r\nHost: localhost\r\nAuthorization: {account}\r\n\r\n",
        project.target(USERS)
    )
    .replace("  ", " ");
    let mut stream = TcpStream::connect(service().api_address()).await.unwrap();
    let mut buffer = vec![0; 65_536];
    for _ in 0..3 {
        stream.write_all(list.as_bytes()).await.unwrap();
        let mut response = String::new();
        while !response.ends_with("\r\n0\r\n\r\n") {
            let length = stream.read(&mut buffer).await.unwrap();
            response += std::str::from_utf8(&buffer[..length]).unwrap();
        }
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
    stream.write_all(b"GET / / /\r\n\r\n").await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert!(
        parts(&response).1.contains(r#""code":"bad_request""#),
        "{response}"
    );
}
