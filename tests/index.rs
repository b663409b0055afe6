//! The index of outcomes: what becomes of a request when it is refused. `store_requests` has what is read from it.

use serde_json::Value;

use crate::support::{Bootstrap, Operation, STATISTICS_PROGRAM, empty, fault, recording_store};

fn reads_index(query: &Value) -> bool {
    query["IndexName"] == "outcomes"
}

#[tokio::test]
async fn the_function_reads_the_index_that_its_environment_names_and_nothing_in_its_place() {
    for (variables, is_read) in [
        (vec![("RESPONSES_INDEX", "outcomes")], true),
        (vec![("RESPONSES_INDEX", "")], false),
        (vec![], false),
    ] {
        let store = recording_store(|query| {
            if reads_index(query) {
                return (400, fault("ValidationException"));
            }
            (200, empty(query))
        });
        let mut bootstrap = Bootstrap::start(store.url(), STATISTICS_PROGRAM, &variables);
        let event = Operation::Statistics.event_of_stub("endDate=2026-01-02");
        let reply = bootstrap.invoke(&event).await.response();
        assert_eq!(reply.status, if is_read { 500 } else { 200 }, "{reply:?}");
        let queries = store.inputs_of("Query");
        assert!(queries.iter().all(|query| reads_index(query) == is_read));
        bootstrap.log_line().await; // follows every other line of the request
        let names_index = bootstrap.output().contains(r#""index":"outcomes""#);
        assert_eq!(names_index, is_read, "{}", bootstrap.output());
    }
}
