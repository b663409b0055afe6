//! Retries: throttled lists are read until their time is over, and the attempts that failures of one table use up, the others do not lack.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{
    app_over, basic, call_of, credential, event_with, fault, request_statistics, request_users,
};

/// How many requests hold all retries that the SDK allows at a time, which are 100.
const REQUESTS: usize = 110;

#[tokio::test]
async fn statistics_are_retried_while_lists_fail() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let (lists, shards) = (attempts.clone(), Arc::new(AtomicUsize::new(0)));
    let app = app_over(move |operation, input, _| {
        let fails = match operation {
            "GetItem" => return (200, credential(input)),
            _ if input["TableName"] == "users" => {
                lists.fetch_add(1, Ordering::SeqCst);
                true
            }
            _ => shards.fetch_add(1, Ordering::SeqCst) < 4,
        };
        if fails {
            return (500, fault("InternalServerError"));
        }
        (200, json!({"Items": [], "Count": 0}))
    });
    let statistics = async {
        while attempts.load(Ordering::SeqCst) < REQUESTS {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        request_statistics(&app, "").await
    };
    let lists = join_all((0..REQUESTS).map(|_| request_users(&app, "")));
    let (lists, statistics) = tokio::join!(lists, statistics);
    assert!(lists.iter().all(|response| response.status() == 503));
    assert_eq!(statistics.status(), 200);
}

/// Requests users with these parameters, for which there are so many seconds, while the first Queries are throttled. Returns the
/// status and the number of Queries.
async fn throttled_users(
    parameters: serde_json::Value,
    seconds: u64,
    times: usize,
) -> (u16, usize) {
    let queries = Arc::new(AtomicUsize::new(0));
    let count = queries.clone();
    let app = app_over(move |operation, input, _| match operation {
        "GetItem" => (200, credential(input)),
        _ if count.fetch_add(1, Ordering::SeqCst) < times => (400, fault("ThrottlingException")),
        _ => (200, json!({"Items": [], "Count": 0})),
    });
    let event = event_with(
        "users-rest",
        &[("Authorization", &basic("u", "any"))],
        parameters,
    );
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let call = call_of(event, now + Duration::from_secs(seconds));
    let response = users::handle(call, &app).await;
    (response.status().as_u16(), queries.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_list_is_repeated_while_there_is_time() {
    let list = json!({"project": "p"});
    let page = json!({"project": "p", "limit": "2"});
    let one = json!({"project": "p", "userId": "u"});
    for parameters in [&list, &page, &one] {
        assert_eq!(throttled_users(parameters.clone(), 30, 5).await, (200, 6));
    }
    let (status, queries) = throttled_users(list, 2, usize::MAX).await;
    assert_eq!(status, 503);
    assert!(queries > 3, "{queries}");
}
