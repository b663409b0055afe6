//! A store that throttles, fails, sends malformed responses or cannot be reached.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::{Value, json};
use service::App;
use service::error::Error;

use crate::support::{
    Operation, app_at, app_over, app_that_panics, ask, check, check_statistics, credential,
    fails_after_the_first_page, fault, recording_app, request_users,
};

/// A stub's script without state.
type Script = fn(&str, &Value, usize) -> (u16, Value);

/// Checks that both operations answer with this error, which does not hold the store's message.
async fn assert_fails(app: &App, status: u16, code: &str) {
    for operation in Operation::ALL {
        let reply = ask(app, operation, "").await;
        assert_eq!(reply.code(status), code);
        let retry_after = (status == 503).then_some("1");
        assert_eq!(reply.header("retry-after"), retry_after);
        assert!(!reply.text().contains("inner workings"), "{reply:?}");
    }
}

/// Returns a page with one record.
fn one_record() -> (u16, Value) {
    (200, json!({"Items": [{"rating": {"N": "9"}}], "Count": 1}))
}

/// Responds to a Query with this, and to any other request with its credential.
fn page_or_credential(operation: &str, input: &Value, page: (u16, Value)) -> (u16, Value) {
    match operation {
        "GetItem" => (200, credential(input)),
        _ => page,
    }
}

#[tokio::test]
async fn a_store_that_keeps_throttling_or_failing_is_unavailable() {
    let scripts: [Script; 5] = [
        |_, _, _| (400, fault("ProvisionedThroughputExceededException")),
        |_, _, _| (400, fault("ThrottlingException")),
        |_, _, _| (500, fault("InternalServerError")),
        |_, _, _| (200, json!("not a response of DynamoDB")),
        |operation, input, _| {
            page_or_credential(operation, input, (500, fault("InternalServerError")))
        },
    ];
    for script in scripts {
        assert_fails(&app_over(script), 503, "unavailable").await;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_fails(&app_at(&url), 503, "unavailable").await;
}

#[tokio::test]
async fn a_missing_table_or_permission_is_an_internal_error() {
    let scripts: [Script; 3] = [
        |_, _, _| (400, fault("ResourceNotFoundException")),
        |_, _, _| (400, fault("AccessDeniedException")),
        |operation, input, _| {
            page_or_credential(operation, input, (400, fault("ValidationException")))
        },
    ];
    for script in scripts {
        assert_fails(&app_over(script), 500, "internal").await;
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

#[tokio::test]
async fn a_request_that_is_throttled_once_is_repeated() {
    let app = app_over(|operation, input, count| match count {
        0 => (400, fault("ProvisionedThroughputExceededException")),
        _ => page_or_credential(operation, input, one_record()),
    });
    // One record in each of the sixteen shards.
    check_statistics(&app, "format=json | 16").await;
}

#[tokio::test]
async fn statistics_are_never_partial_when_one_shard_fails() {
    let app = app_over(|operation, input, _| {
        let fails = input["ExpressionAttributeValues"][":shard"]["S"] == "p#f";
        let page = if fails {
            (500, fault("InternalServerError"))
        } else {
            one_record()
        };
        page_or_credential(operation, input, page)
    });
    check_statistics(&app, "format=json | 503 unavailable").await;
}

#[tokio::test]
async fn a_shard_that_is_throttled_twice_loses_no_record() {
    let throttled = Arc::new(AtomicUsize::new(0));
    let count = throttled.clone();
    let app = app_over(move |operation, input, _| {
        let is_throttled = input["ExpressionAttributeValues"][":shard"]["S"] == "p#d"
            && count.fetch_add(1, Ordering::SeqCst) < 2;
        let page = if is_throttled {
            (400, fault("ThrottlingException"))
        } else {
            one_record()
        };
        page_or_credential(operation, input, page)
    });
    check_statistics(&app, "format=json | 16").await;
    assert_eq!(throttled.load(Ordering::SeqCst), 3, "requests of the shard");
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
    let buffered = service::http::buffered(request_users(&app, "").await).await;
    assert_eq!(buffered.status(), 503);
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
        page_or_credential(operation, input, (200, page))
    });
    check(&app, Operation::Users, "format=json | a b d").await;
}

#[tokio::test]
async fn a_page_that_fails_once_in_the_middle_of_a_list_is_requested_again() {
    let app = app_over(|operation, input, count| {
        let page = match count {
            1 => (
                200,
                json!({"Items": [user("a")], "LastEvaluatedKey": user("a")}),
            ),
            2 => (500, fault("InternalServerError")),
            _ => (200, json!({"Items": [user("b")]})),
        };
        page_or_credential(operation, input, page)
    });
    check(&app, Operation::Users, "format=json | a b").await;
}

#[tokio::test]
async fn a_list_is_read_page_by_page_as_it_is_sent() {
    // This list has no end, so it could never be held in memory.
    let (app, requests) = recording_app(|operation, input, _| {
        let last = input["ExclusiveStartKey"]["userId"]["S"].as_str();
        let next = last.map_or(0, |last| last.parse::<u32>().unwrap()) + 1;
        let next = user(&format!("{next:09}"));
        let page = json!({"Items": [next], "Count": 1, "LastEvaluatedKey": next});
        page_or_credential(operation, input, (200, page))
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
