//! Retries: throttled lists are read until their time is over, and the attempts that failures of one table
//! use up, the others do not lack.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use shared::App;
use shared::config::Tables;
use shared::store::Store;
use test_support::in_process;
use test_support::stub::Answer;

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

/// Requests users with these parameters, for which there are so many seconds, while the first Queries are
/// throttled. Returns the status and the number of Queries.
async fn throttled_users(parameters: Value, seconds: u64, times: usize) -> (u16, usize) {
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
    let call = call_of(&event, now + Duration::from_secs(seconds));
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

/// Requests users of a store that throttles every Query, or all but the first. Returns the status, whether
/// the list is whole, and how long it took.
async fn endlessly_throttled_users(parameters: Value, has_begun: bool) -> (u16, bool, Duration) {
    let client = in_process::client(move |operation, input| async move {
        let key = json!({"project": {"S": "p"}, "userId": {"S": "a"}});
        match operation.as_str() {
            "GetItem" => credential(&input).into(),
            _ if has_begun && input["ExclusiveStartKey"].is_null() => {
                json!({"Items": [key], "LastEvaluatedKey": key}).into()
            }
            _ => Answer::refusal(400, "ThrottlingException", "too many"),
        }
    });
    let app = App::new(Store::new(&client, Tables::from_env(), None));
    let basic = basic("u", "any");
    let event = event_with("users-rest", &[("Authorization", &basic)], parameters);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let call = call_of(&event, now + Duration::from_mins(15));
    let began = tokio::time::Instant::now();
    let response = Box::pin(users::handle(call, &app)).await;
    let status = response.status().as_u16();
    let is_whole = response.into_body().collect().await.is_ok();
    (status, is_whole, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn lists_that_stay_throttled_end_after_25_seconds_and_between_pages_after_60() {
    let list = json!({"project": "p"});
    let page = json!({"project": "p", "limit": "2"});
    let one = json!({"project": "p", "userId": "u"});
    for (parameters, has_begun, expected, seconds) in [
        (&list, false, (503, true), 25),
        (&page, false, (503, true), 25),
        (&page, true, (503, true), 25),
        (&one, false, (503, true), 25),
        (&list, true, (200, false), 60),
    ] {
        let ended = endlessly_throttled_users(parameters.clone(), has_begun).await;
        let (status, is_whole, took) = ended;
        assert_eq!((status, is_whole), expected, "{parameters} {took:?}");
        let limit = Duration::from_secs(seconds);
        assert!(
            took <= limit && took + Duration::from_secs(1) > limit,
            "{parameters} {took:?}"
        );
    }
}
