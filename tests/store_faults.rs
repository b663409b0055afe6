//! A store that throttles, fails, sends malformed responses or cannot be reached, played by a stub.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::{Value, json};
use shared::error::Error;
use shared::http::Response;

use crate::support::{
    app_at, app_over, app_that_panics, body_of, credential, fails_after_the_first_page, fault,
    recording_app, request_statistics, request_users,
};

/// A stub's script without state.
type Script = fn(&str, &Value, usize) -> (u16, Value);

/// Returns status, `Retry-After` and code of an error, which must not hold the store's message.
async fn error_of(response: Response) -> Value {
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after");
    let retry_after = retry_after.map(|value| value.to_str().unwrap().to_owned());
    let body = body_of(response).await;
    assert!(!body.contains("inner workings"), "{body}");
    let document: Value = serde_json::from_str(&body).unwrap();
    json!([status, retry_after, document["errors"][0]["code"]])
}

fn unavailable() -> Value {
    json!([503, "1", "unavailable"])
}

fn internal() -> Value {
    json!([500, null, "internal"])
}

/// Returns the number of records in a statistics response.
async fn displays(response: Response) -> Value {
    assert_eq!(response.status(), 200);
    let document: Value = serde_json::from_str(&body_of(response).await).unwrap();
    document["data"][0]["attributes"]["displays"].clone()
}

/// Returns the `userId`s of a list.
async fn user_ids(response: Response) -> Vec<Value> {
    assert_eq!(response.status(), 200);
    let document: Value = serde_json::from_str(&body_of(response).await).unwrap();
    let users = document["users"].as_array().unwrap();
    users.iter().map(|user| user["userId"].clone()).collect()
}

#[tokio::test]
async fn a_store_that_keeps_throttling_or_failing_is_unavailable() {
    let scripts: [Script; 4] = [
        |_, _, _| (400, fault("ProvisionedThroughputExceededException")),
        |_, _, _| (400, fault("ThrottlingException")),
        |_, _, _| (500, fault("InternalServerError")),
        |_, _, _| (200, json!("not a response of DynamoDB")),
    ];
    for script in scripts {
        let app = app_over(script);
        assert_eq!(
            error_of(request_statistics(&app, "").await).await,
            unavailable()
        );
        assert_eq!(error_of(request_users(&app, "").await).await, unavailable());
    }
}

#[tokio::test]
async fn a_store_that_cannot_be_reached_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let app = app_at(&format!("http://{address}"));
    assert_eq!(
        error_of(request_statistics(&app, "").await).await,
        unavailable()
    );
    assert_eq!(error_of(request_users(&app, "").await).await, unavailable());
}

#[tokio::test]
async fn a_request_that_is_throttled_once_is_repeated() {
    let app = app_over(|operation, input, count| match (operation, count) {
        (_, 0) => (400, fault("ProvisionedThroughputExceededException")),
        ("GetItem", _) => (200, credential(input)),
        _ => (200, json!({"Items": [{"rating": {"N": "9"}}], "Count": 1})),
    });
    let displays = displays(request_statistics(&app, "").await).await;
    assert_eq!(displays, 4, "one record in each of the four shards");
}

#[tokio::test]
async fn a_missing_table_or_permission_is_an_internal_error() {
    let scripts: [Script; 3] = [
        |_, _, _| (400, fault("ResourceNotFoundException")),
        |_, _, _| (400, fault("AccessDeniedException")),
        |operation, input, _| match operation {
            "GetItem" => (200, credential(input)),
            _ => (400, fault("ValidationException")),
        },
    ];
    for script in scripts {
        let app = app_over(script);
        assert_eq!(
            error_of(request_statistics(&app, "").await).await,
            internal()
        );
        assert_eq!(error_of(request_users(&app, "").await).await, internal());
    }
}

#[tokio::test]
async fn a_panic_is_an_internal_error() {
    let app = app_that_panics();
    for response in [
        request_statistics(&app, "").await,
        request_users(&app, "").await,
    ] {
        let id = response.headers()["x-request-id"].clone();
        assert_eq!(response.status(), 500);
        let document: Value = serde_json::from_str(&body_of(response).await).unwrap();
        assert_eq!(document["errors"][0]["code"], "internal");
        assert_eq!(document["errors"][0]["id"], id.to_str().unwrap());
        let text = document.to_string();
        assert!(!text.contains("panic") && !text.contains("unforeseen"));
    }
}

#[tokio::test]
async fn statistics_are_never_partial_when_one_shard_fails() {
    let app = app_over(|operation, input, _| match operation {
        "GetItem" => (200, credential(input)),
        _ if input["ExpressionAttributeValues"][":shard"]["S"] == "p#3" => {
            (500, fault("InternalServerError"))
        }
        _ => (200, json!({"Items": [{"rating": {"N": "9"}}], "Count": 1})),
    });
    assert_eq!(
        error_of(request_statistics(&app, "").await).await,
        unavailable()
    );
}

#[tokio::test]
async fn a_shard_that_is_throttled_twice_loses_no_record() {
    let throttled = Arc::new(AtomicUsize::new(0));
    let count = throttled.clone();
    let app = app_over(move |operation, input, _| match operation {
        "GetItem" => (200, credential(input)),
        _ if input["ExpressionAttributeValues"][":shard"]["S"] == "p#2"
            && count.fetch_add(1, Ordering::SeqCst) < 2 =>
        {
            (400, fault("ThrottlingException"))
        }
        _ => (200, json!({"Items": [{"rating": {"N": "9"}}], "Count": 1})),
    });
    assert_eq!(displays(request_statistics(&app, "").await).await, 4);
    assert_eq!(throttled.load(Ordering::SeqCst), 3, "requests of the shard");
}

/// Returns a user, which is also its own key.
fn user(user_id: &str) -> Value {
    json!({"project": {"S": "p"}, "userId": {"S": user_id}})
}

#[tokio::test]
async fn a_list_that_fails_at_its_first_page_has_a_status() {
    let app = app_over(|operation, input, _| match operation {
        "GetItem" => (200, credential(input)),
        _ => (500, fault("InternalServerError")),
    });
    assert_eq!(error_of(request_users(&app, "").await).await, unavailable());
}

#[tokio::test]
async fn a_list_that_fails_at_a_later_page_is_never_closed() {
    let app = app_over(|operation, input, count| {
        match fails_after_the_first_page(operation, input, count) {
            (400, _) => (500, fault("InternalServerError")),
            page => page,
        }
    });
    let response = request_users(&app, "").await;
    assert_eq!(response.status(), 200);
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(
        first.starts_with(br#"{"users":[{"#) && !first.ends_with(b"]}"),
        "{first:?}"
    );
    assert_eq!(
        body.frame().await.unwrap().err(),
        Some(Error::unavailable())
    );
    assert!(
        body.frame().await.is_none(),
        "nothing follows the failure, least of all the end of the list"
    );
    let buffered = shared::http::buffered(request_users(&app, "").await).await;
    assert_eq!(buffered.status(), 503);
}

#[tokio::test]
async fn empty_pages_in_a_list_neither_lose_nor_add_users() {
    let app = app_over(|operation, input, _| {
        match (
            operation,
            input["ExclusiveStartKey"]["userId"]["S"].as_str(),
        ) {
            ("GetItem", _) => (200, credential(input)),
            (_, None) => (
                200,
                json!({"Items": [], "Count": 0, "LastEvaluatedKey": user("1")}),
            ),
            (_, Some("1")) => (
                200,
                json!({"Items": [user("a"), user("b")], "Count": 2, "LastEvaluatedKey": user("b")}),
            ),
            (_, Some("b")) => (
                200,
                json!({"Items": [], "Count": 0, "LastEvaluatedKey": user("c")}),
            ),
            _ => (200, json!({"Items": [user("d")], "Count": 1})),
        }
    });
    assert_eq!(
        user_ids(request_users(&app, "").await).await,
        ["a", "b", "d"]
    );
}

#[tokio::test]
async fn a_list_is_read_page_by_page_as_it_is_sent() {
    // This list has no end, so it could never be held in memory.
    let (app, requests) = recording_app(|operation, input, _| {
        if operation == "GetItem" {
            return (200, credential(input));
        }
        let last = input["ExclusiveStartKey"]["userId"]["S"].as_str();
        let next = last.map_or(0, |last| last.parse::<u32>().unwrap()) + 1;
        let next = user(&format!("{next:09}"));
        let page = json!({"Items": [next], "Count": 1, "LastEvaluatedKey": next});
        (200, page)
    });
    let response = tokio::time::timeout(Duration::from_secs(10), request_users(&app, "")).await;
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

#[tokio::test]
async fn a_page_that_fails_once_in_the_middle_of_a_list_is_requested_again() {
    let app = app_over(|operation, input, count| match operation {
        "GetItem" => (200, credential(input)),
        _ if input["ExclusiveStartKey"].is_null() => (
            200,
            json!({"Items": [user("a")], "Count": 1, "LastEvaluatedKey": user("a")}),
        ),
        _ if count == 2 => (500, fault("InternalServerError")),
        _ => (200, json!({"Items": [user("b")], "Count": 1})),
    });
    assert_eq!(user_ids(request_users(&app, "").await).await, ["a", "b"]);
}
