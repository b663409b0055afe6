//! Requests over a store that throttles or takes its time, in simulated time: what is repeated, how long, and what
//! becomes of a request whose time is over (contract, Time).

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use service::App;
use test_support::stub::{self, Answer, Request};
use tokio::time::{Instant, sleep};

use crate::support::{
    End, Operation, app_over, app_with, assert_unclosed, call_of, credential, empty, endless,
    fault, read_to_end, respond, respond_to,
};

/// What a store does. A list ends after its second page, unless later pages take time: then it has no end.
#[derive(Clone, Default)]
struct Store {
    /// The seconds that the credential, a first page and a later one take.
    credential: f64,
    first: f64,
    later: f64,
    /// The Queries that are throttled, by their numbers.
    throttled: Range<usize>,
    queries: Arc<AtomicUsize>,
}

impl Store {
    /// Makes a store that does these things: `credential 0.5`, `first 10`, `later 0.02`, `throttles 0-6`.
    fn that(does: &str) -> Self {
        let mut store = Self::default();
        for (what, value) in does.split(", ").filter_map(|it| it.split_once(' ')) {
            match what {
                "credential" => store.credential = value.parse().unwrap(),
                "first" => store.first = value.parse().unwrap(),
                "later" => store.later = value.parse().unwrap(),
                _ => {
                    let (first, last) = value.split_once('-').unwrap();
                    store.throttled =
                        first.parse().unwrap()..last.parse().map_or(usize::MAX, |it: usize| it + 1);
                }
            }
        }
        store
    }

    fn app(&self) -> App {
        let store = self.clone();
        app_with(&stub::client(move |request: Request| {
            let store = store.clone();
            async move {
                let input = &request.input;
                if request.operation == "GetItem" {
                    sleep(Duration::from_secs_f64(store.credential)).await;
                    return credential(input).into();
                }
                let number = store.queries.fetch_add(1, Ordering::SeqCst);
                if store.throttled.contains(&number) {
                    return Answer::from((400, fault("ThrottlingException")));
                }
                let is_later = !input["ExclusiveStartKey"].is_null();
                let takes = if is_later { store.later } else { store.first };
                sleep(Duration::from_secs_f64(takes)).await;
                match store.later {
                    0.0 if is_later => empty(input).into(),
                    _ => endless(input).into(),
                }
            }
        }))
    }
}

/// Requests something for which there are so many seconds. Returns the answer, and how many seconds it took.
async fn outcome(store: &Store, request: &str, seconds: f64) -> (String, f64) {
    let (operation, query) = Operation::of_target(request);
    // Half a second is for the response itself.
    let time = Duration::from_secs_f64(seconds + 0.5);
    let (app, call) = (store.app(), call_of(&operation.event_of_stub(query), time));
    let began = Instant::now();
    let (reply, end) = read_to_end(Box::pin(respond_to(&app, operation, call)).await).await;
    let status = reply.status.as_u16();
    let is_repeated = reply.header("retry-after") == Some("1");
    assert_eq!(is_repeated, status == 503);
    let answer = match (status, end) {
        (200, End::Whole) => "whole".to_owned(),
        (200, End::Failed) => {
            assert_unclosed(reply.text());
            "unclosed".to_owned()
        }
        (200, End::Panicked) => "panicked".to_owned(),
        _ => format!("{status} {}", reply.code(status)),
    };
    (answer, began.elapsed().as_secs_f64())
}

/// Checks a table: `REQUEST | SECONDS | WHAT THE STORE DOES | ANSWER | AFTER | QUERIES`. A request ends before a pause
/// that would end after its time, so up to a second of 25 may be missing.
async fn check(table: &str) {
    for line in table.trim().lines() {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let store = Store::that(cells[2]);
        let (answer, took) = outcome(&store, cells[0], cells[1].parse().unwrap()).await;
        assert_eq!(answer, cells[3], "{line}: {took}");
        let after: f64 = cells[4].parse().unwrap();
        let least = after - if after < 25.0 { 0.05 } else { 1.0 };
        assert!((least..after + 0.05).contains(&took), "{line}: {took}");
        if let Some(queries) = cells.get(5) {
            let found = store.queries.load(Ordering::SeqCst);
            assert_eq!(found.to_string(), *queries, "{line}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn throttled_reads_are_repeated_after_pauses_that_double_up_to_a_limit() {
    // 50 milliseconds, twice as much four times, and then no more.
    check(
        "
        users?          | 30  | throttles 0-6 | whole | 3.15 | 9
        users?          | 30  | throttles 1-7 | whole | 3.15 | 9
        users?limit=2   | 30  | throttles 0-6 | whole | 3.15 | 9
        users?limit=2   | 30  | throttles 1-7 | whole | 3.15 | 9
        users?userId=u  | 30  | throttles 0-6 | whole | 3.15 | 9
        ",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn lists_that_stay_throttled_end_after_25_seconds_and_between_pages_after_60() {
    check(
        "
        users?              | 1.5 | throttles 0- | 503 unavailable | 0.75
        users?              | 900 | throttles 0- | 503 unavailable | 25
        users?limit=2       | 900 | throttles 0- | 503 unavailable | 25
        users?limit=2       | 900 | throttles 1- | 503 unavailable | 25
        users?userId=u      | 900 | throttles 0- | 503 unavailable | 25
        users?              | 900 | throttles 1- | unclosed        | 60
        response-statistics? | 0.9 | throttles 0- | 503 unavailable | 0.9
        ",
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_request_ends_when_its_time_is_over_whatever_it_waits_for() {
    check(
        "
        response-statistics? | 0.8 | credential 0.5, first 0.5 | 503 unavailable | 0.8
        response-statistics? | 0.3 | credential 10 | 503 unavailable | 0.3
        users?               | 0.3 | credential 10 | 503 unavailable | 0.3
        users?               | 0.3 | first 10      | 503 unavailable | 0.3
        users?limit=10       | 0.3 | first 10      | 503 unavailable | 0.3
        users?userId=a       | 0.3 | first 10      | 503 unavailable | 0.3
        users?limit=10       | 0.3 | later 10      | 503 unavailable | 0.3
        users?               | 0.7 | later 10      | unclosed        | 0.7
        users?               | 0.7 | later 0.02    | unclosed        | 0.7
        ",
    )
    .await;
}

/// How many requests hold all retries that the SDK allows at a time, which are 100.
const REQUESTS: usize = 110;

#[tokio::test]
async fn statistics_are_retried_while_lists_fail() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let lists = attempts.clone();
    let shards = Arc::new(AtomicUsize::new(0));
    let app = app_over(move |input| {
        let fails = if input["TableName"] == "users" {
            lists.fetch_add(1, Ordering::SeqCst);
            true
        } else {
            shards.fetch_add(1, Ordering::SeqCst) < 16
        };
        if fails {
            return (500, fault("InternalServerError"));
        }
        (200, empty(input))
    });
    let statistics = async {
        while attempts.load(Ordering::SeqCst) < REQUESTS {
            sleep(Duration::from_millis(10)).await;
        }
        respond(&app, Operation::Statistics, "").await
    };
    let lists = join_all((0..REQUESTS).map(|_| respond(&app, Operation::Users, "")));
    let (lists, statistics) = tokio::join!(lists, statistics);
    assert!(lists.iter().all(|response| response.status() == 503));
    assert_eq!(statistics.status(), 200);
}
