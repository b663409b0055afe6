//! Retries: throttled lists are read until their time is over, and the attempts that failures of one table
//! use up, the others do not lack.

use http_body_util::BodyExt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{
    Operation, app_over, basic, call_of, credential, event_with, fails_after_the_first_page, fault,
    respond,
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
            _ => shards.fetch_add(1, Ordering::SeqCst) < 16,
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
        respond(&app, Operation::Statistics, "").await
    };
    let lists = join_all((0..REQUESTS).map(|_| respond(&app, Operation::Users, "")));
    let (lists, statistics) = tokio::join!(lists, statistics);
    assert!(lists.iter().all(|response| response.status() == 503));
    assert_eq!(statistics.status(), 200);
}

/// What becomes of a request for users.
struct Ended {
    status: u16,
    is_whole: bool,
    took: Duration,
    queries: usize,
}

/// Requests users with these parameters, for which there are so many seconds, of a store that throttles the
/// Queries with these numbers, and whose list has no end.
async fn throttled_users(parameters: &Value, seconds: u64, throttled: Range<usize>) -> Ended {
    let queries = Arc::new(AtomicUsize::new(0));
    let count = queries.clone();
    let app = app_over(move |operation, input, _| match operation {
        "GetItem" => (200, credential(input)),
        _ => match count.fetch_add(1, Ordering::SeqCst) {
            before if throttled.contains(&before) => (400, fault("ThrottlingException")),
            0 => fails_after_the_first_page(operation, input, 0),
            _ => (200, json!({"Items": [], "Count": 0})),
        },
    });
    let basic = basic("u", "any");
    let event = event_with(
        "users-rest",
        &[("Authorization", &basic)],
        parameters.clone(),
    );
    let call = call_of(&event, Duration::from_secs(seconds));
    let began = tokio::time::Instant::now();
    let response = Box::pin(users::handle(call, &app)).await;
    Ended {
        status: response.status().as_u16(),
        is_whole: response.into_body().collect().await.is_ok(),
        took: began.elapsed(),
        queries: queries.load(Ordering::SeqCst),
    }
}

/// The parameters of a list, of a page and of one user.
fn parameters() -> [Value; 3] {
    [
        json!({"project": "p"}),
        json!({"project": "p", "limit": "2"}),
        json!({"project": "p", "userId": "u"}),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_list_is_repeated_while_there_is_time() {
    for parameters in &parameters() {
        let ended = throttled_users(parameters, 30, 0..5).await;
        assert_eq!((ended.status, ended.queries), (200, 6));
    }
    let ended = throttled_users(&parameters()[0], 2, 0..usize::MAX).await;
    assert_eq!(ended.status, 503);
    assert!(ended.queries > 3, "{}", ended.queries);
}

#[tokio::test(start_paused = true)]
async fn lists_that_stay_throttled_end_after_25_seconds_and_between_pages_after_60() {
    let [list, page, one] = parameters();
    for (parameters, first, expected, seconds) in [
        (&list, 0, (503, true), 25),
        (&page, 0, (503, true), 25),
        (&page, 1, (503, true), 25),
        (&one, 0, (503, true), 25),
        (&list, 1, (200, false), 60),
    ] {
        let ended = throttled_users(parameters, 900, first..usize::MAX).await;
        let took = ended.took;
        assert_eq!(
            (ended.status, ended.is_whole),
            expected,
            "{parameters} {took:?}"
        );
        let limit = Duration::from_secs(seconds);
        assert!(
            took <= limit && took + Duration::from_secs(1) > limit,
            "{parameters} {took:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn lists_pause_longer_each_time_they_are_throttled_in_a_row() {
    let [list, page, one] = parameters();
    for (parameters, first) in [(&list, 0), (&list, 1), (&page, 0), (&page, 1), (&one, 0)] {
        let ended = throttled_users(parameters, 30, first..first + 7).await;
        assert!(ended.is_whole, "{parameters} {first}");
        // 50 milliseconds, twice as much four times, and then no more.
        let pauses = 50 * (1 + 2 + 4 + 8 + 16 + 16 + 16);
        let took = ended.took.as_millis();
        assert!(
            (pauses..pauses + 50).contains(&took),
            "{parameters} {first}: {took}"
        );
    }
}
