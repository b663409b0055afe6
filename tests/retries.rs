//! Retries of throttled requests: the SDK limits them, and what one table uses up, the others do not lack.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{app_over, credential, fault, request_statistics, request_users};

/// How many requests hold all retries that the SDK allows at a time, which are 100.
const REQUESTS: usize = 110;

#[tokio::test]
async fn statistics_are_retried_while_lists_are_throttled() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let (lists, shards) = (attempts.clone(), Arc::new(AtomicUsize::new(0)));
    let app = app_over(move |operation, input, _| {
        let throttled = match operation {
            "GetItem" => return (200, credential(input)),
            _ if input["TableName"] == "users" => {
                lists.fetch_add(1, Ordering::SeqCst);
                true
            }
            _ => shards.fetch_add(1, Ordering::SeqCst) < 4,
        };
        if throttled {
            return (400, fault("ThrottlingException"));
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
