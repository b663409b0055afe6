//! Requests that find others counting as much as the process has memory for.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::{Value, json};
use service::App;
use test_support::stub::{self, Answer, Request};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::support::{
    FullHost, Operation, Reply, app_with, ask, credential, empty, question, respond_to,
    shard_of_query,
};

const YEAR: &str = "startDate=2026-01-01&endDate=2027-01-01";
const BY_PLAN: &str = "startDate=2026-01-01&endDate=2027-01-01&groupBy=plan";
const LATEST: &str = "startDate=2026-01-01&endDate=2027-01-01&respondents=latest";

/// Makes the state of handlers over a project whose first shard has records with so many plans, and whose other
/// shards have no answer until there are permits for them.
fn app(plans: usize) -> (Arc<App>, Arc<Semaphore>) {
    let record = |number| {
        let at = format!("2026-03-01T12:00:00.000Z#{number:06}");
        json!({"at": {"S": at}, "traits": {"M": {"plan": {"S": format!("plan {number}")}}}})
    };
    let records: Vec<Value> = (0..plans).map(record).collect();
    let page = Answer::from(json!({"Items": records}));
    let answers = Arc::new(Semaphore::new(0));
    let others = answers.clone();
    let client = stub::client(move |request: Request| {
        let (page, others) = (page.clone(), others.clone());
        async move {
            match shard_of_query(&request.input) {
                _ if request.operation == "GetItem" => return credential(&request.input).into(),
                Some(0) => return page,
                _ => drop(others.acquire().await),
            }
            empty(&request.input).into()
        }
    });
    (Arc::new(app_with(&client)), answers)
}

/// Asks for statistics in a task of its own, and lets it count what it can.
async fn begin(app: &Arc<App>, query: &'static str) -> JoinHandle<Reply> {
    let app = app.clone();
    let asked = tokio::spawn(async move { ask(&app, Operation::Statistics, query).await });
    sleep(Duration::from_millis(1)).await;
    asked
}

/// Checks that a request was refused for so long that it is worth to try again.
fn check_refusal(reply: &Reply, detail: &str) {
    assert_eq!(reply.code(503), "unavailable");
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert!(reply.text().contains(detail), "{}", reply.text());
}

#[tokio::test(start_paused = true)]
async fn requests_count_at_most_600_000_pairs_together_and_one_more_is_refused_at_once() {
    let (app, answers) = app(100_000);
    let mut six = Vec::new();
    for _ in 0..6 {
        six.push(begin(&app, BY_PLAN).await);
    }
    let started = Instant::now();
    let refused = ask(&app, Operation::Statistics, BY_PLAN).await;
    check_refusal(&refused, "count many groups");
    assert_eq!(started.elapsed(), Duration::ZERO);
    answers.add_permits(Semaphore::MAX_PERMITS);
    // What needs no groups is not refused meanwhile.
    assert_eq!(ask(&app, Operation::Statistics, YEAR).await.status, 200);
    for reply in join_all(six).await {
        assert_eq!(reply.unwrap().status, 200);
    }
    assert_eq!(ask(&app, Operation::Statistics, BY_PLAN).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_abandoned_or_refused_returns_its_pairs() {
    let (app, answers) = app(100_000);
    for _ in 0..6 {
        begin(&app, BY_PLAN).await.abort();
    }
    let (too_many, _) = self::app(100_001);
    for _ in 0..7 {
        let reply = ask(&too_many, Operation::Statistics, BY_PLAN).await;
        assert_eq!(reply.code(422), "too_many_groups");
    }
    answers.add_permits(Semaphore::MAX_PERMITS);
    assert_eq!(ask(&app, Operation::Statistics, BY_PLAN).await.status, 200);
    assert_eq!(app.free_pairs.available_permits(), 600_000);
    assert_eq!(too_many.free_pairs.available_permits(), 600_000);
}

#[tokio::test(start_paused = true)]
async fn one_request_at_a_time_counts_each_person_once_and_others_wait_25_seconds_without_room() {
    let (app, answers) = app(10);
    let first = begin(&app, LATEST).await;
    let host = FullHost::default();
    let mut call = question(Operation::Statistics, LATEST);
    call.host = Some(Arc::new(host.clone()));
    let started = Instant::now();
    let refused = respond_to(&app, Operation::Statistics, call).await;
    assert_eq!(refused.status(), 503);
    assert_eq!(started.elapsed().as_secs(), 25);
    assert!(
        host.asked.notified().now_or_never().is_none(),
        "it took room"
    );

    // With groups as without.
    let by_plan = format!("{LATEST}&groupBy=plan");
    let refused = ask(&app, Operation::Statistics, &by_plan).await;
    check_refusal(&refused, "count each person once");

    let second = begin(&app, LATEST).await;
    answers.add_permits(Semaphore::MAX_PERMITS);
    for request in [first, second] {
        assert_eq!(request.await.unwrap().status, 200);
    }
}
