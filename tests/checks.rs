//! The check of the functions' programs, with which a release proves that a version can read its tables.

use serde_json::{Value, json};
use test_support::eventually;
use test_support::stub::Recorder;

use crate::support::{BUFFERED, Bootstrap, STATISTICS_PROGRAM, USERS_PROGRAM, empty, fault};

const INDEX: (&str, &str) = ("RESPONSES_INDEX", "outcomes");

/// A function: its program, its variables, and what its check reads.
type Function = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

const FUNCTIONS: [Function; 4] = [
    (USERS_PROGRAM, &[], &["credentials", "users"]),
    (USERS_PROGRAM, &BUFFERED, &["credentials", "users"]),
    (STATISTICS_PROGRAM, &[], &["credentials", "responses"]),
    (
        STATISTICS_PROGRAM,
        &[INDEX],
        &["credentials", "index", "responses"],
    ),
];

/// Starts a store that has nothing, and refuses the reads of a table (or of the index) with this code.
fn store_refusing(refused: &'static str, code: &'static str) -> Recorder {
    Recorder::start(move |request| {
        let input = &request.input;
        let read = match input["IndexName"].as_str() {
            Some(_) => &json!("index"),
            None => &input["TableName"],
        };
        match request.operation.as_str() {
            _ if read == refused => (400, fault(code)),
            "GetItem" => (200, json!({})),
            _ => (200, empty(input)),
        }
    })
}

/// Checks a function over a store; returns its process, and what it posts.
async fn check((program, variables, _): Function, store: &Recorder) -> (Bootstrap, Value) {
    let mut bootstrap = Bootstrap::start(store.url(), program, variables);
    let outcome = bootstrap.invoke(&json!({"check": true})).await;
    assert!(!outcome.failed && !outcome.streamed, "{outcome:?}");
    (bootstrap, outcome.document())
}

/// The document of a check whose reads all succeed.
fn all_ok(reads: &[&str]) -> Value {
    reads.iter().map(|read| (*read, json!("ok"))).collect()
}

/// Waits until the program has written this text.
async fn wait_for(text: &str, bootstrap: &Bootstrap) {
    let written = || bootstrap.output().contains(text).then_some(());
    let is_written = eventually(written).await.is_some();
    assert!(is_written, "no {text}: {}", bootstrap.output());
}

#[tokio::test]
async fn a_check_reads_each_table_and_the_index_and_names_the_code_of_what_is_refused() {
    for function @ (_, _, reads) in FUNCTIONS {
        for refused in reads.iter().chain([&"nothing"]) {
            let store = store_refusing(refused, "AccessDeniedException");
            let (bootstrap, document) = check(function, &store).await;
            let mut expected = all_ok(reads);
            if *refused != "nothing" {
                expected[*refused] = json!("AccessDeniedException");
            }
            assert_eq!(document, expected);
            assert_eq!(store.received().len(), reads.len());
            if *refused != "nothing" {
                wait_for("AccessDeniedException", &bootstrap).await;
            }
            // A check is no request, which monitoring would count.
            assert!(!bootstrap.output().contains("request_id"));
        }
    }
}

#[tokio::test]
async fn a_check_reads_what_nobody_has_and_returns_nothing_of_it() {
    let item = json!({"digest": {"S": "-"}, "userId": {"S": "somebody"}, "at": {"S": "2026"}, "rating": {"N": "7"}});
    for function @ (_, _, reads) in FUNCTIONS {
        let item = item.clone();
        let store = Recorder::start(move |request| match request.operation.as_str() {
            "GetItem" => json!({"Item": item}),
            _ => json!({"Items": [item], "Count": 1}),
        });
        let (_, document) = check(function, &store).await;
        assert_eq!(document, all_ok(reads));
        let digest = &store.inputs_of("GetItem")[0]["Key"]["digest"]["S"];
        assert_eq!(*digest, "-");
        for query in store.inputs_of("Query") {
            let values = query["ExpressionAttributeValues"].as_object().unwrap();
            let is_nobodys = |value: &Value| value["S"].as_str().unwrap().starts_with('-');
            assert!(values.values().all(is_nobodys), "{query}");
            assert_eq!(query["Limit"], 1);
        }
    }
}
