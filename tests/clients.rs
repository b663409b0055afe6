//! What HTTP libraries write of dates and of parameters without a value: Python's `requests`, Ruby's
//! `URI.encode_www_form`, and Go's `url.Values`.

use percent_encoding::percent_decode_str;

use crate::support::{Api, Operation, STATISTICS, answer, handle_event, new_project};

/// Queries with dates in the forms of their languages, and with parameters without a value. The period
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
