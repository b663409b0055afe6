//! What `soak` does not ask of a store that fails: the faults themselves, alone and in mixtures, are in its list.

use http_body_util::BodyExt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{
    Operation, app_at, app_over, app_that_panics, ask, check, credential, recording_app, respond,
};

#[tokio::test]
async fn a_store_that_cannot_be_reached_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for operation in Operation::ALL {
        let reply = ask(&app_at(&url), operation, "").await;
        assert_eq!(reply.code(503), "unavailable");
        assert_eq!(reply.header("retry-after"), Some("1"));
    }
}

#[tokio::test]
async fn a_panic_is_an_internal_error() {
    for operation in Operation::ALL {
        let reply = ask(&app_that_panics(), operation, "").await;
        assert_eq!(reply.code(500), "internal");
        assert_eq!(reply.json()["errors"][0]["id"], reply.request_id());
        assert!(!reply.text().contains("panic") && !reply.text().contains("unforeseen"));
    }
}

/// Responds to a Query with this page, and to any other request with its credential.
fn page_or_credential(operation: &str, input: &Value, page: Value) -> (u16, Value) {
    match operation {
        "GetItem" => (200, credential(input)),
        _ => (200, page),
    }
}

/// Returns a user, which is also its own key.
fn user(user_id: &str) -> Value {
    json!({"project": {"S": "p"}, "userId": {"S": user_id}})
}

#[tokio::test]
async fn empty_pages_in_a_list_neither_lose_nor_add_users() {
    let app = app_over(|operation, input, _| {
        let after = input["ExclusiveStartKey"]["userId"]["S"].as_str();
        let page = match after {
            None => json!({"Items": [], "LastEvaluatedKey": user("1")}),
            Some("1") => json!({"Items": [user("a"), user("b")], "LastEvaluatedKey": user("b")}),
            Some("b") => json!({"Items": [], "LastEvaluatedKey": user("c")}),
            _ => json!({"Items": [user("d")]}),
        };
        page_or_credential(operation, input, page)
    });
    check(&app, Operation::Users, "format=json | a b d").await;
}

#[tokio::test]
async fn a_list_is_read_page_by_page_as_it_is_sent() {
    // This list has no end, so it could never be held in memory.
    let (app, requests) = recording_app(|operation, input, _| {
        let last = input["ExclusiveStartKey"]["userId"]["S"].as_str();
        let next = last.map_or(0, |last| last.parse::<u32>().unwrap()) + 1;
        let next = user(&format!("{next:09}"));
        let page = json!({"Items": [next], "Count": 1, "LastEvaluatedKey": next});
        page_or_credential(operation, input, page)
    });
    let response = respond(&app, Operation::Users, "");
    let response = tokio::time::timeout(Duration::from_secs(10), response).await;
    let mut body = response.expect("the list has no end").into_body();
    for count in 1..=50 {
        let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(
            String::from_utf8_lossy(&frame).contains(&format!("{count:09}")),
            "{frame:?}"
        );
        let queries = requests.inputs_of("Query").len();
        assert!(queries <= count + 1, "{queries} pages for {count} frames");
    }
}
