//! What HTTP libraries send, as they were recorded: Python's `requests` 2.34, Ruby's `Net::HTTP` 3.1, and Go's `net/http`
//! 1.19.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{STATISTICS, USERS, new_project, service};

/// The headers that a library adds, and what it writes of three lists of parameters: in the order in which they are
/// given, or sorted by name.
const CLIENTS: [(&str, &str, [&str; 3]); 3] = [
    (
        "requests",
        "User-Agent: python-requests/2.34.2\r\nAccept-Encoding: gzip, deflate\r\nAccept: */*\r\nConnection: keep-alive",
        GIVEN,
    ),
    (
        "Net::HTTP",
        "Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3\r\nAccept: */*\r\nUser-Agent: Ruby",
        GIVEN,
    ),
    (
        "net/http",
        "User-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip",
        [
            "limit=10&project=P",
            "filters%5Buser.traits.string.plan%5D%5Boperator%5D=eq&filters%5Buser.traits.string.plan%5D%5Bvalue%5D=pro+plus&project=P&startDate=2026-01-01T00%3A00%3A00%2B02%3A00",
            "filter=plan%3Deq%3Apro&filter=seats%3Dnumber.gt%3A4&project=P",
        ],
    ),
];

const GIVEN: [&str; 3] = [
    "project=P&limit=10",
    "project=P&startDate=2026-01-01T00%3A00%3A00%2B02%3A00&filters%5Buser.traits.string.plan%5D%5Boperator%5D=eq&filters%5Buser.traits.string.plan%5D%5Bvalue%5D=pro+plus",
    "project=P&filter=plan%3Deq%3Apro&filter=seats%3Dnumber.gt%3A4",
];

/// Sends a request as it is; returns the status of the response.
async fn status_of(request: &str) -> String {
    let mut stream = TcpStream::connect(service().api_address()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut start = [0; "HTTP/1.1 200".len()];
    stream.read_exact(&mut start).await.unwrap();
    String::from_utf8_lossy(&start[9..]).into_owned()
}

#[tokio::test]
async fn requests_of_three_libraries_are_answered_as_they_send_them() {
    let project = new_project().await;
    let secret = format!("secret-of-users-of-{}", project.id);
    let may = ["users", "statistics"];
    project
        .add_credential(&secret, &[&project.id], &may, Some("reports"))
        .await;
    let basic_of = |halves: String| {
        let encoded = BASE64_STANDARD.encode(halves);
        format!("Authorization: Basic {encoded}")
    };
    let alone = basic_of(format!("{secret}:"));
    let after_nothing = basic_of(format!(":{secret}"));
    let key = format!("AuthKey: {secret}");
    for (client, headers, queries) in CLIENTS {
        let lines = [
            (USERS, queries[0], &alone),
            (USERS, queries[0], &after_nothing),
            (STATISTICS, queries[1], &key),
            (STATISTICS, queries[1], &alone),
            (STATISTICS, queries[2], &after_nothing),
        ];
        for (path, query, line) in lines {
            let query = query.replace("=P", &format!("={}", project.id));
            let request = format!(
                "GET {path}?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n{headers}\r\n{line}\r\n\r\n"
            );
            assert_eq!(status_of(&request).await, "200", "{client}: {request}");
        }
    }
}
