//! Requests for statistics: the function's program answers both kinds of events as the served program answers
//! them over HTTP, byte for byte.

use percent_encoding::percent_decode_str;

use crate::support::{Api, Bootstrap, Operation, Reply, STATISTICS, STATISTICS_PROGRAM, bootstrap};

/// Every parameter.
const QUERIES: [&str; 14] = [
    "startDate=2025-01-01&filter=plan=ne:free&filter=seats=number.gte:8&filter=plan=contains:e",
    // As HTTP libraries write dates and absent values.
    "startDate=2025-01-01+00:00:00+UTC&interval&filter=",
    "startDate=2025-01-01+02%3A00%3A00+%2B0200&groupBy=",
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
