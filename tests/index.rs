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
        let store = recording_store(|operation, input, count| {
            if reads_index(input) {
                return (400, fault("ValidationException"));
            }
            empty(operation, input, count)
        });
        let mut bootstrap = Bootstrap::start(store.url(), STATISTICS_PROGRAM, &variables);
        let key = [("AuthKey", "any key")];
        let event = Operation::Statistics.rest("project=p&endDate=2026-01-02", &key);
        let (status, _, body) = bootstrap.invoke(&event).await.response();
        let expected = if is_read { 500 } else { 200 };
        assert_eq!(status, expected, "{}", String::from_utf8_lossy(&body));
        let queries = store.inputs_of("Query");
        assert!(queries.iter().all(|query| reads_index(query) == is_read));
        bootstrap.log_line().await; // follows every other line of the request
        let names_index = bootstrap.output().contains(r#""index":"outcomes""#);
        assert_eq!(names_index, is_read, "{}", bootstrap.output());
    }
}
