//! A store that throttles, fails, lies or is gone: a stub that answers DynamoDB's protocol stands
//! in for it.

use std::sync::atomic::{AtomicUsize, Ordering};

use http_body_util::BodyExt;
use serde_json::{Value, json};
use shared::http::Response;

use crate::support::{
    Script, app_at, app_over, ask_statistics, ask_users, credential, fails_on_the_way, fault,
};

async fn text(answer: Response) -> String {
    String::from_utf8(
        answer
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .to_vec(),
    )
    .unwrap()
}

#[track_caller]
fn assert_unavailable(answer: &Response) {
    assert_eq!(answer.status(), 503);
    assert_eq!(answer.headers()["retry-after"], "1");
}

#[tokio::test]
async fn a_store_that_keeps_throttling_or_failing_is_unavailable() {
    let scripts: [Script; 4] = [
        |_, _, _| (400, fault("ProvisionedThroughputExceededException")),
        |_, _, _| (400, fault("ThrottlingException")),
        |_, _, _| (500, fault("InternalServerError")),
        |_, _, _| (200, json!("no answer of DynamoDB")),
    ];
    for script in scripts {
        let app = app_over(script).await;
        let answer = ask_statistics(&app, "").await;
        assert_unavailable(&answer);
        let body = text(answer).await;
        assert!(
            body.contains(r#""code":"unavailable""#) && !body.contains("inner workings"),
            "{body}"
        );
        assert_unavailable(&ask_users(&app, "").await);
    }
}

#[tokio::test]
async fn a_store_that_is_gone_is_unavailable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let app = app_at(&format!("http://{address}"));
    assert_unavailable(&ask_statistics(&app, "").await);
    assert_unavailable(&ask_users(&app, "").await);
}

#[tokio::test]
async fn a_store_that_throttles_once_is_asked_again() {
    let app = app_over(|operation, _, calls| match (operation, calls) {
        (_, 0) => (400, fault("ProvisionedThroughputExceededException")),
        ("GetItem", _) => (200, credential("read-key")),
        _ => (200, json!({"Items": [{"rating": {"N": "9"}}], "Count": 1})),
    })
    .await;
    let answer = ask_statistics(&app, "").await;
    assert_eq!(answer.status(), 200);
    assert!(
        text(answer).await.contains(r#""displays":4,"#),
        "one record in each of the four shards"
    );
}

#[tokio::test]
async fn a_missing_table_or_permission_is_our_own_fault() {
    let scripts: [Script; 3] = [
        |_, _, _| (400, fault("ResourceNotFoundException")),
        |_, _, _| (400, fault("AccessDeniedException")),
        |operation, _, _| match operation {
            "GetItem" => (200, credential("read-key")),
            _ => (400, fault("ValidationException")),
        },
    ];
    for script in scripts {
        let answer = ask_statistics(&app_over(script).await, "").await;
        assert_eq!(answer.status(), 500);
        let body = text(answer).await;
        assert!(
            body.contains(r#""code":"internal""#) && !body.contains("inner workings"),
            "{body}"
        );
    }
}

#[tokio::test]
async fn an_answer_is_never_partial_when_one_shard_fails() {
    let app = app_over(|operation, input, _| match operation {
        "GetItem" => (200, credential("read-key")),
        _ if input["ExpressionAttributeValues"][":shard"]["S"] == "p#3" => {
            (500, fault("InternalServerError"))
        }
        _ => (200, json!({"Items": [{"rating": {"N": "9"}}], "Count": 1})),
    })
    .await;
    assert_unavailable(&ask_statistics(&app, "").await);
}

fn user(user_id: &str) -> Value {
    json!({"project": {"S": "p"}, "userId": {"S": user_id}})
}

fn last_key(user_id: &str) -> Value {
    json!({"project": {"S": "p"}, "userId": {"S": user_id}})
}

#[tokio::test]
async fn a_list_that_fails_at_its_first_page_fails_with_a_status() {
    let app = app_over(|operation, _, _| match operation {
        "GetItem" => (200, credential("account")),
        _ => (500, fault("InternalServerError")),
    })
    .await;
    assert_unavailable(&ask_users(&app, "").await);
}

#[tokio::test]
async fn a_list_that_fails_at_a_later_page_is_never_closed() {
    let app = app_over(fails_on_the_way).await;
    let answer = ask_users(&app, "").await;
    assert_eq!(answer.status(), 200);
    let mut body = answer.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(
        first.starts_with(br#"{"users":[{"#) && !first.ends_with(b"]}"),
        "{first:?}"
    );
    assert!(body.frame().await.unwrap().is_err());
    assert!(
        body.frame().await.is_none(),
        "nothing follows the fault, the end of the list least of all"
    );
    let whole = shared::http::buffered(ask_users(&app, "").await).await;
    assert_eq!(whole.status(), 503);
}

#[tokio::test]
async fn empty_pages_on_the_way_lose_and_add_nothing() {
    let app = app_over(|operation, input, _| match (operation, input["ExclusiveStartKey"]["userId"]["S"].as_str()) {
        ("GetItem", _) => (200, credential("account")),
        (_, None) => (200, json!({"Items": [], "Count": 0, "LastEvaluatedKey": last_key("1")})),
        (_, Some("1")) => {
            (200, json!({"Items": [user("a"), user("b")], "Count": 2, "LastEvaluatedKey": last_key("b")}))
        }
        (_, Some("b")) => (200, json!({"Items": [], "Count": 0, "LastEvaluatedKey": last_key("c")})),
        _ => (200, json!({"Items": [user("d")], "Count": 1})),
    })
    .await;
    let document: Value = serde_json::from_str(&text(ask_users(&app, "").await).await).unwrap();
    let ids: Vec<_> = document["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|user| &user["userId"])
        .collect();
    assert_eq!(ids, ["a", "b", "d"]);
}

#[tokio::test]
async fn a_list_is_read_page_by_page_as_it_is_sent() {
    let app = app_over(|operation, input, _| match (operation, input["ExclusiveStartKey"]["userId"]["S"].as_str()) {
        ("GetItem", _) => (200, credential("account")),
        // A list without an end: it could never be held in memory.
        (_, last) => {
            let next = format!("{:09}", last.map_or(0, |last| last.parse::<u32>().unwrap()) + 1);
            (200, json!({"Items": [user(&next)], "Count": 1, "LastEvaluatedKey": last_key(&next)}))
        }
    })
    .await;
    let mut body = ask_users(&app, "").await.into_body();
    for count in 1..=50 {
        let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(
            String::from_utf8_lossy(&frame).contains(&format!("{count:09}")),
            "{frame:?}"
        );
    }
}

#[tokio::test]
async fn a_page_that_fails_once_in_the_middle_of_a_list_is_asked_for_again() {
    let app = app_over(|operation, input, calls| match operation {
        "GetItem" => (200, credential("account")),
        _ if input["ExclusiveStartKey"].is_null() => (
            200,
            json!({"Items": [user("a")], "Count": 1, "LastEvaluatedKey": last_key("a")}),
        ),
        _ if calls == 2 => (500, fault("InternalServerError")),
        _ => (200, json!({"Items": [user("b")], "Count": 1})),
    })
    .await;
    let document: Value = serde_json::from_str(&text(ask_users(&app, "").await).await).unwrap();
    assert_eq!(document["users"].as_array().unwrap().len(), 2, "{document}");
}

#[tokio::test]
async fn a_shard_that_is_throttled_twice_costs_no_record() {
    static THROTTLES: AtomicUsize = AtomicUsize::new(0);
    let app = app_over(|operation, input, _| match operation {
        "GetItem" => (200, credential("read-key")),
        _ if input["ExpressionAttributeValues"][":shard"]["S"] == "p#2"
            && THROTTLES.fetch_add(1, Ordering::SeqCst) < 2 =>
        {
            (400, fault("ThrottlingException"))
        }
        _ => (200, json!({"Items": [{"rating": {"N": "9"}}], "Count": 1})),
    })
    .await;
    let answer = ask_statistics(&app, "").await;
    assert_eq!(answer.status(), 200);
    assert!(text(answer).await.contains(r#""displays":4,"#));
    assert_eq!(THROTTLES.load(Ordering::SeqCst), 3);
}
