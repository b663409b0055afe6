//! Requests for statistics: the function's program answers both kinds of events as the served program answers
//! them over HTTP, byte for byte.

use percent_encoding::percent_decode_str;

use crate::support::{
    Api, Bootstrap, Operation, Reply, STATISTICS, STATISTICS_PROGRAM, answer, bootstrap,
    new_project,
};

/// Every parameter.
const QUERIES: [&str; 12] = [
    "startDate=2025-01-01&filter=plan=ne:free&filter=seats=number.gte:8&filter=plan=contains:e",
    "startDate=2025-01-01&filter=plan",
    "startDate=2025-01-01&filter=a=eq:b&filter=a=eq:b",
    "startDate=2025-01-01&interval=all&timezone=Europe/Prague",
    "startDate=2025-04-01&interval=all",
    "groupBy=user.traits.string.email",
    "startDate=2025-01-01&describe=traits&filter=plan=eq:free",
    "describe=traits&interval=day",
    "startDate=2025-01-01&respondents=latest&interval=quarter&groupBy=user.traits.string.plan&confidence=99",
    "startDate=2025-01-01&format=csv&interval=month&confidence=95",
    "startDate=2025-01-01&format=csv&groupBy=plan&compare=previous",
    "startDate=2025-01-01&format=csv&describe=traits",
];

/// Dates and parameters without a value as HTTP libraries write them: Python's `requests`, Ruby's
/// `URI.encode_www_form`, and Go's `url.Values`. The period of each begins with 1 September 2025 in UTC.
const OF_LIBRARIES: [&str; 6] = [
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

/// Checks that a query with this Read Key has the same answer over all transports, and returns it.
async fn same_answer(program: &mut Bootstrap, query: &str, key: &str) -> Reply {
    let key = [("AuthKey", key)];
    let target = format!("{STATISTICS}?{query}");
    let served = Api::shared().get(&target, &key).await;
    let spaced = query.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().unwrap();
    let operation = Operation::Statistics;
    for event in [operation.rest(&decoded, &key), operation.http(query, &key)] {
        let reply = program.invoke(&event).await.response();
        for name in ["content-type", "cache-control", "link"] {
            assert_eq!(reply.header(name), served.header(name), "{query}");
        }
        let body = reply
            .text()
            .replace(reply.request_id(), served.request_id());
        assert_eq!(reply.status, served.status, "{query}");
        assert_eq!(body, served.text(), "{query}");
    }
    served
}

#[tokio::test]
async fn the_function_answers_events_as_the_served_program_answers_requests() {
    let mut program = bootstrap(STATISTICS_PROGRAM, &[]);
    for query in QUERIES {
        let query = format!("project=demo&endDate=2025-04-01&{query}");
        same_answer(&mut program, &query, "demo-read-key-0000").await;
    }
}

#[tokio::test]
async fn dates_and_empty_parameters_mean_what_http_libraries_mean_by_them() {
    let project = new_project().await;
    for created in ["2025-08-31T23:59:59.999Z", "2025-09-01T00:00:00.000Z"] {
        project.put_response(created, created, &[]).await;
    }
    let mut program = bootstrap(STATISTICS_PROGRAM, &[]);
    for query in OF_LIBRARIES {
        let query = query.replace("=P", &format!("={}", project.id));
        let reply = same_answer(&mut program, &query, &project.read_key).await;
        assert_eq!(answer(&reply), "1", "{query}: {}", reply.text());
    }
}
