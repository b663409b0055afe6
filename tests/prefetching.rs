//! Lists request their next page while they decode the current one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use service::App;
use test_support::eventually;
use test_support::stub::{self, Request};

use crate::support::{Operation, app_at, ask, credential, read_to_end, respond, user_item};

/// The keys after which Queries began, and those of them that are in flight.
#[derive(Default, Debug)]
struct Queries {
    all: Vec<String>,
    in_flight: Vec<String>,
}

type Seen = Arc<Mutex<Queries>>;

async fn wait_until(seen: &Seen, is_so: impl Fn(&Queries) -> bool) {
    let seen_so = || is_so(&seen.lock().unwrap()).then_some(());
    assert!(eventually(seen_so).await.is_some(), "{seen:?}");
}

/// Notes the end of a Query: the stub drops the future of a closed connection.
struct InFlight(Seen, String);

impl Drop for InFlight {
    fn drop(&mut self) {
        let in_flight = &mut self.0.lock().unwrap().in_flight;
        in_flight.retain(|key| *key != self.1);
    }
}

/// Starts a store whose first page is `first`, whose page after the key `b` is `second`, and which
/// never responds to any other Query.
fn store(first: &str, second: &str) -> (App, Seen) {
    let (seen, pages) = (Seen::default(), [first, second].map(str::to_owned));
    let queries = seen.clone();
    let url = stub::start(async move |request: Request| {
        if request.operation == "GetItem" {
            return credential(&request.input).to_string();
        }
        let after = request.input["ExclusiveStartKey"]["userId"]["S"].as_str();
        let after = after.unwrap_or_default().to_owned();
        {
            let mut queries = queries.lock().unwrap();
            queries.all.push(after.clone());
            queries.in_flight.push(after.clone());
        }
        let _in_flight = InFlight(queries, after.clone());
        match after.as_str() {
            "" => pages[0].clone(),
            "b" => pages[1].clone(),
            _ => std::future::pending().await,
        }
    });
    (app_at(&url), seen)
}

fn key(user_id: &str) -> String {
    user_item(user_id).to_string()
}

fn page(user_id: &str, last: &str) -> String {
    let key = key(user_id);
    format!(r#"{{"Count":1,"Items":[{key}],"LastEvaluatedKey":{last},"ScannedCount":1}}"#)
}

#[tokio::test]
async fn the_next_page_is_requested_before_the_current_one_is_read() {
    let (app, queries) = store(&page("b", &key("b")), r#"{"Items":[]}"#);
    let response = respond(&app, Operation::Users, "").await;
    wait_until(&queries, |seen| seen.all == ["", "b"]).await;
    let (list, _) = read_to_end(response).await;
    assert_eq!(list.user_ids(), ["b"]);
    let all = &queries.lock().unwrap().all;
    assert_eq!(*all, ["", "b"], "each page is requested once");
}

#[tokio::test]
async fn a_client_that_leaves_cancels_the_request_for_the_next_page() {
    let (app, queries) = store(&page("c", &key("c")), "");
    let response = respond(&app, Operation::Users, "").await;
    wait_until(&queries, |seen| seen.in_flight == ["c"]).await;
    drop(response);
    wait_until(&queries, |seen| seen.in_flight.is_empty()).await;
}

#[tokio::test]
async fn a_page_of_users_requests_no_page_beyond_its_limit() {
    let [a, c] = ["a", "c"].map(key);
    let page = format!(r#"{{"Items":[{a},{c}],"LastEvaluatedKey":{c}}}"#);
    let (app, queries) = store(&page, "");
    let response = respond(&app, Operation::Users, "&limit=1").await;
    assert_eq!(response.status(), 200);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(queries.lock().unwrap().all, [""]);
}

#[tokio::test]
async fn a_list_is_complete_wherever_a_page_holds_the_key_it_ends_with() {
    let (a, b, z) = (key("a"), key("b"), key("z"));
    let escaped = r#"{"project":{"S":"p"},"user\u0049d":{"S":"\u0062"}}"#;
    // A trait may have the name of the key, or a text that resembles the end of a page.
    let traits = format!(r#"{{"M":{{"LastEvaluatedKey":{{"M":{z}}}}}}}"#);
    let text = format!(r#"],"LastEvaluatedKey":{z}}}"#);
    let text = json!({"M": {"t": {"S": text}}}).to_string();
    let long = json!({"M": {"t": {"S": "x".repeat(20_000)}}}).to_string();
    let user = |traits: &str| format!(r#"{{"userId":{{"S":"a"}},"traits":{traits}}}"#);
    for first in [
        format!(r#"{{"Items":[{a}],"LastEvaluatedKey":{b}}}"#),
        format!("{{\"Items\":[{a}] , \"LastEvaluatedKey\"\n: {b} }}"),
        format!(r#"{{"Items":[{a}],"LastEvaluatedKey":{escaped},"Count":1}}"#),
        format!(r#"{{"LastEvaluatedKey":{b},"Items":[{a}]}}"#),
        format!(r#"{{"LastEvaluatedKey":{b},"Items":[{}]}}"#, user(&traits)),
        format!(r#"{{"Items":[{}],"LastEvaluatedKey":{b}}}"#, user(&traits)),
        format!(r#"{{"LastEvaluatedKey":{b},"Items":[{}]}}"#, user(&text)),
        format!(r#"{{"LastEvaluatedKey":{b},"Items":[{}]}}"#, user(&long)),
    ] {
        let second = format!(r#"{{"Items":[{{"userId":{{"S":"c"}},"traits":{traits}}}]}}"#);
        let (app, queries) = store(&first, &second);
        let list = tokio::time::timeout(Duration::from_mins(1), ask(&app, Operation::Users, ""));
        let list = list.await.expect(&first);
        assert_eq!(list.user_ids(), ["a", "c"], "{first}");
        assert_eq!(queries.lock().unwrap().all, ["", "b"], "{first}");
    }
}
