//! Requests with every parameter of statistics: the function's program answers both kinds of events as
//! the served program answers them over HTTP, byte for byte.

use crate::support::{Api, Operation, STATISTICS, STATISTICS_PROGRAM, bootstrap};

const QUERIES: [&str; 9] = [
    "startDate=2025-01-01&filter=plan=ne:free&filter=seats=number.gte:8&filter=plan=contains:e",
    "startDate=2025-01-01&filter=plan",
    "startDate=2025-01-01&filter=a=eq:b&filter=a=eq:b",
    "startDate=2025-01-01&interval=all&timezone=Europe/Prague",
    "startDate=2025-04-01&interval=all",
    "groupBy=user.traits.string.email",
    "startDate=2025-01-01&describe=traits&filter=plan=eq:free",
    "describe=traits&interval=day",
    "startDate=2025-01-01&respondents=latest&interval=quarter&groupBy=user.traits.string.plan&confidence=99",
];

#[tokio::test]
async fn the_function_answers_events_as_the_served_program_answers_requests() {
    let mut program = bootstrap(STATISTICS_PROGRAM, &[]);
    for query in QUERIES {
        let query = format!("project=demo&endDate=2025-04-01&{query}");
        let key = [("AuthKey", "demo-read-key-0000")];
        let target = format!("{STATISTICS}?{query}");
        let served = Api::shared().get(&target, &key).await;
        let operation = Operation::Statistics;
        for event in [operation.rest(&query, &key), operation.http(&query, &key)] {
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
    }
}
