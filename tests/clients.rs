//! What HTTP libraries send, as they were recorded: Python's `requests` 2.34, Ruby's `Net::HTTP` 3.1, and Go's `net/http`
//! 1.19.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{
    Api, Operation, STATISTICS, USERS, answer, handle_event, new_project, service,
};

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

/// What the libraries write of dates in the forms of their languages, and of parameters without a value. The period
/// of each begins with 1 September 2025 in UTC.
const DATES: [&str; 6] = [
    // `requests`: a `datetime`, and empty texts; whole numbers of seconds and milliseconds.
    "project=P&startDate=2025-09-01+00%3A00%3A00%2B00%3A00&endDate=2025-09-02+00%3A00%3A00&interval=&filter=",
    "project=P&startDate=1756684800&endDate=1756684800001",
    // `URI.encode_www_form`: a `Time` in UTC, `nil` and an empty text; one with an offset.
    "project=P&startDate=2025-09-01+00%3A00%3A00+UTC&endDate&interval=",
    "project=P&startDate=2025-09-01+02%3A00%3A00+%2B0200&endDate=1756684801",
    // `url.Values`: times in the basic form, and empty texts; milliseconds.
    "endDate=&groupBy=&project=P&startDate=20250901",
    "endDate=1756684800001&project=P&startDate=20250901T000000Z",
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

#[tokio::test]
async fn dates_and_empty_parameters_mean_the_same_over_http_and_in_both_kinds_of_events() {
    let project = new_project().await;
    for created in ["2025-08-31T23:59:59.999Z", "2025-09-01T00:00:00.000Z"] {
        project.put_response(created, created, &[]).await;
    }
    let key = [("AuthKey", &*project.read_key)];
    for query in DATES {
        let query = query.replace("=P", &format!("={}", project.id));
        let decoded = percent_decode_str(&query.replace('+', " "))
            .decode_utf8_lossy()
            .into_owned();
        let served = Api::shared()
            .get(&format!("{STATISTICS}?{query}"), &key)
            .await;
        assert_eq!(answer(&served), "1", "{query}: {}", served.text());
        let operation = Operation::Statistics;
        for event in [operation.rest(&decoded, &key), operation.http(&query, &key)] {
            let reply = handle_event(operation, &event).await;
            assert_eq!(reply.text(), served.text(), "{query}");
        }
    }
}
