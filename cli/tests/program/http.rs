use std::io::{Read, Write};
use std::net::TcpStream;

/// Sends a request as it is written and reads to the end of the connection.
pub(crate) fn send(address: &str, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

pub(crate) fn get(address: &str, target: &str, header: &str) -> String {
    send(
        address,
        &format!(
            "GET {target} HTTP/1.1\r\nHost: {address}\r\n{header}\r\nConnection: close\r\n\r\n"
        ),
    )
    .unwrap()
}

pub(crate) const DEMO_ACCOUNT: &str = "Authorization: Basic ZGVtbzpkZW1vLXBhc3N3b3JkLTAwMDA=";

pub(crate) fn put_user(dynamodb: &str, user_id: &str) {
    let item = format!(r#"{{"project":{{"S":"demo"}},"userId":{{"S":"{user_id}"}}}}"#);
    put_item(dynamodb, "users", &item);
}

pub(crate) fn put_item(dynamodb: &str, table: &str, item: &str) {
    let body = format!(r#"{{"TableName":"{table}","Item":{item}}}"#);
    let answer = send(
        dynamodb,
        &format!(
            "POST / HTTP/1.1\r\nHost: {dynamodb}\r\nContent-Type: application/x-amz-json-1.0\r\nConnection: close\r\n\
             X-Amz-Target: DynamoDB_20120810.PutItem\r\nX-Amz-Date: 20260301T120000Z\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=a/20260301/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    );
    let answer = answer.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}
