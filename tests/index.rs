//! The index of outcomes, over a stub that refuses it.

use std::sync::Arc;

use serde_json::{Value, json};
use shared::App;
use shared::http::Call;
use shared::model::{Timestamp, Usage};
use test_support::stub::Recorder;

use crate::support::{
    Bootstrap, STATISTICS_PROGRAM, body_of, credential, event_with, fault, filter, indexed_app_at,
    recording_store, statistics_call,
};

/// What DynamoDB responds with to a Query of an index that it does not serve: the code, and how it says so.
const REFUSALS: [(&str, &str); 3] = [
    (
        "ValidationException",
        "The table does not have the specified index: outcomes",
    ),
    (
        "ValidationException",
        "Cannot read from backfilling global secondary index: outcomes",
    ),
    (
        "AccessDeniedException",
        "not authorized to perform: dynamodb:Query on resource: index/outcomes",
    ),
];

fn reads_index(query: &Value) -> bool {
    query["IndexName"] == "outcomes"
}

/// Returns a page of this many promoters.
fn promoters(count: usize) -> Value {
    json!({"Items": vec![json!({"rating": {"N": "10"}}); count], "Count": count})
}

/// Serves an index that is refused after the first page of a shard, and a table with one record in each shard.
fn refuses(refusal: usize, operation: &str, input: &Value) -> (u16, Value) {
    let (code, message) = REFUSALS[refusal];
    match operation {
        "GetItem" => (200, credential(input)),
        _ if !reads_index(input) => (200, promoters(1)),
        _ if input["ExclusiveStartKey"].is_null()
            && input["ExpressionAttributeValues"][":shard"]["S"] == "p#2" =>
        {
            let mut page = promoters(7);
            page["LastEvaluatedKey"] = json!({"shard": {"S": "p#2"}, "at": {"S": "2026"}});
            (200, page)
        }
        _ => {
            let mut refusal = fault(code);
            refusal["message"] = json!(message);
            (400, refusal)
        }
    }
}

fn refusing_app(refusal: usize) -> (App, Recorder) {
    let script = move |operation: &str, input: &Value, _: usize| refuses(refusal, operation, input);
    let store = recording_store(script);
    (indexed_app_at(store.url()), store)
}

/// Returns the number of displays, and what the request has read.
async fn displays(app: &App, call: Call) -> (Value, Arc<Usage>) {
    let usage = call.usage.clone();
    let response = response_statistics::handle(call, app).await;
    assert_eq!(response.status(), 200);
    let document: Value = serde_json::from_str(&body_of(response).await).unwrap();
    (document["data"][0]["attributes"]["displays"].clone(), usage)
}

/// Makes a call that arrives this many milliseconds after the beginning of a test.
fn call_after(millis: u64) -> Call {
    const BEGINNING: u64 = 1_767_225_600_000;
    let mut call = statistics_call("&endDate=2026-01-02");
    call.now = Timestamp::from_unix_millis(BEGINNING + millis).unwrap();
    call
}

#[tokio::test]
async fn statistics_query_the_index_unless_they_need_traits() {
    let grouped = "&groupBy=user.traits.string.plan".to_owned();
    let whole = "&interval=month&timezone=Europe/Prague&confidence=95".to_owned();
    let questions = [
        (String::new(), true),
        (whole, true),
        (filter("plan", "ne", "pro"), false),
        (grouped, false),
        ("&respondents=latest".to_owned(), false),
        ("&describe=traits".to_owned(), false),
    ];
    for (question, from_index) in questions {
        let page = |operation: &str, input: &Value, _: usize| match operation {
            "GetItem" => (200, credential(input)),
            _ => (200, json!({"Items": [], "Count": 0})),
        };
        let store = recording_store(page);
        let call = statistics_call(&format!(
            "&startDate=2026-01-01&endDate=2026-03-01{question}"
        ));
        let response = response_statistics::handle(call, &indexed_app_at(store.url())).await;
        assert_eq!(response.status(), 200, "{question}");
        let queries = store.inputs_of("Query");
        assert_eq!(queries.len(), 4);
        for query in queries {
            assert_eq!(reads_index(&query), from_index, "{question}: {query}");
            assert_eq!(query["TableName"], "responses");
        }
    }
}

#[tokio::test]
async fn an_index_that_is_missing_filling_or_forbidden_leaves_its_place_to_the_table() {
    for refusal in 0..REFUSALS.len() {
        let (app, store) = refusing_app(refusal);
        let (displays, usage) = displays(&app, call_after(0)).await;
        // The table's four alone, although a page of the index had been counted.
        assert_eq!(displays, 4, "{refusal}");
        assert!(usage.totals().index_refused);
        assert!(store.inputs_of("Query").iter().any(reads_index));
    }
}

#[tokio::test]
async fn a_refused_index_is_avoided_for_a_minute() {
    let (app, store) = refusing_app(0);
    for (millis, tries_index) in [(0, true), (1, false), (59_999, false), (60_000, true)] {
        let before = store.inputs_of("Query").len();
        let (displays, usage) = displays(&app, call_after(millis)).await;
        assert_eq!(displays, 4);
        let tried = store.inputs_of("Query")[before..].iter().any(reads_index);
        assert_eq!(tried, tries_index, "after {millis} ms");
        assert_eq!(
            usage.totals().index_refused,
            tries_index,
            "after {millis} ms"
        );
    }
}

#[tokio::test]
async fn an_index_that_throttles_is_not_avoided() {
    let script = |operation: &str, input: &Value, _: usize| match operation {
        "GetItem" => (200, credential(input)),
        _ if reads_index(input) => (400, fault("ProvisionedThroughputExceededException")),
        _ => (200, promoters(1)),
    };
    let store = recording_store(script);
    let response = response_statistics::handle(call_after(0), &indexed_app_at(store.url())).await;
    assert_eq!(response.status(), 503);
    assert!(store.inputs_of("Query").iter().all(reads_index));
}

/// Returns an event for the statistics of the project `p`.
fn statistics_event() -> Value {
    let parameters = json!({"project": "p", "endDate": "2026-01-02"});
    event_with(
        "response-statistics-rest",
        &[("AuthKey", "any key")],
        parameters,
    )
}

#[tokio::test]
async fn the_function_reads_the_index_that_its_environment_names_and_a_metric_counts_refusals() {
    for (variables, expected) in [
        (vec![("RESPONSES_INDEX", "outcomes")], [1, 0]),
        (vec![("RESPONSES_INDEX", "")], [0, 0]),
        (vec![], [0, 0]),
    ] {
        let script = |operation: &str, input: &Value, _: usize| refuses(0, operation, input);
        let store = recording_store(script);
        let mut bootstrap = Bootstrap::start(store.url(), STATISTICS_PROGRAM, &variables);
        for refused in expected {
            let outcome = bootstrap.invoke(&statistics_event()).await;
            let (status, _, body) = outcome.response();
            assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
            assert_eq!(bootstrap.metrics_line().await["IndexRefused"], refused);
        }
        let tried = store.inputs_of("Query").iter().any(reads_index);
        assert_eq!(tried, expected[0] == 1, "{variables:?}");
    }
}
