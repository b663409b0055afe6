//! Retries of throttled requests: the SDK limits them, and what one table or period uses up, others do not lack.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{app_over, credential, fault, request_statistics, request_users};

/// How many requests use up all retries: the SDK begins with 100, and each of these requests two.
const REQUESTS: usize = 110;

fn throttled() -> (u16, Value) {
    (400, fault("ThrottlingException"))
}

fn empty_page() -> (u16, Value) {
    (200, json!({"Items": [], "Count": 0}))
}

#[tokio::test]
async fn statistics_are_retried_however_much_lists_are_throttled() {
    let (lists, shards) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let (list, shards) = (lists.clone(), Arc::new(shards));
    let app = app_over(move |operation, input, _| match operation {
        "GetItem" => (200, credential(input)),
        _ if input["TableName"] == "users" => {
            list.fetch_add(1, Ordering::SeqCst);
            throttled()
        }
        _ if shards.fetch_add(1, Ordering::SeqCst) < 4 => throttled(),
        _ => empty_page(),
    })
    .await;
    let responses = join_all((0..REQUESTS).map(|_| request_users(&app, ""))).await;
    assert!(responses.iter().all(|response| response.status() == 503));
    let attempts = lists.load(Ordering::SeqCst);
    assert!(
        attempts < 3 * REQUESTS,
        "{attempts} attempts are all that there could be"
    );
    assert_eq!(request_statistics(&app, "").await.status(), 200);
}

#[tokio::test]
async fn a_throttled_shard_leaves_other_requests_their_retries() {
    let (hot, cold) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let (throttles, cold) = (hot.clone(), Arc::new(cold));
    let app = app_over(move |_, input, _| {
        let values = &input["ExpressionAttributeValues"];
        let is_hot = values[":start"]["S"]
            .as_str()
            .is_some_and(|start| start.starts_with("2019"));
        match values[":shard"]["S"].as_str() {
            None => (200, credential(input)),
            Some("p#2") if is_hot => {
                throttles.fetch_add(1, Ordering::SeqCst);
                throttled()
            }
            Some("p#2") if cold.fetch_add(1, Ordering::SeqCst) < 2 => throttled(),
            Some(_) => empty_page(),
        }
    })
    .await;
    let request = || request_statistics(&app, "&startDate=2019-01-01");
    let responses = join_all((0..REQUESTS).map(|_| request())).await;
    assert!(responses.iter().all(|response| response.status() == 503));
    let attempts = hot.load(Ordering::SeqCst);
    assert!(
        attempts < 3 * REQUESTS,
        "{attempts} attempts are all that there could be"
    );
    // Retries come back with time.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let response = request_statistics(&app, "&startDate=2020-01-01").await;
    assert_eq!(response.status(), 200);
}
