//! What `soak` does not ask of a store that fails: the faults themselves, alone and in mixtures, are in its list.

use http_body_util::BodyExt;
use std::time::Duration;

use serde_json::json;

use crate::support::{
    Operation, app_at, app_of_script, app_over, ask, check, endless, page_of_users, recording_app,
    respond, user_item,
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
    let app = app_of_script(|_| panic!("an unforeseen fault"));
    for operation in Operation::ALL {
        let reply = ask(&app, operation, "").await;
        assert_eq!(reply.code(500), "internal");
        assert_eq!(reply.json()["errors"][0]["id"], reply.request_id());
        assert!(!reply.text().contains("panic") && !reply.text().contains("unforeseen"));
    }
}

#[tokio::test]
async fn empty_pages_in_a_list_neither_lose_nor_add_users() {
    let app = app_over(|input| {
        let empty_before = |id| json!({"Items": [], "LastEvaluatedKey": user_item(id)});
        match input["ExclusiveStartKey"]["userId"]["S"].as_str() {
            None => empty_before("1"),
            Some("1") => page_of_users(&["a", "b"], true),
            Some("b") => empty_before("c"),
            _ => page_of_users(&["d"], false),
        }
    });
    check(&app, Operation::Users, "format=json | a b d").await;
}

#[tokio::test]
async fn a_list_is_read_page_by_page_as_it_is_sent() {
    // This list has no end, so it could never be held in memory.
    let (app, requests) = recording_app(endless);
    let response = respond(&app, Operation::Users, "");
    let response = tokio::time::timeout(Duration::from_mins(1), response).await;
    let mut body = response.expect("the list has no end").into_body();
    for count in 1..=50 {
        let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
        let text = String::from_utf8_lossy(&frame);
        assert!(text.contains(&format!("{count:09}")), "{text}");
        let queries = requests.inputs_of("Query").len();
        assert!(queries <= count + 1, "{queries} pages for {count} frames");
    }
}
