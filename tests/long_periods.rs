//! Periods of many pages, read from a store with DynamoDB's pages, latency and throttling, in simulated time.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use service::{App, Call};
use test_support::responses::{Attributes, Responses, Usage};
use tokio::time::Instant;

use crate::support::{
    Operation, Reply, app_with, ask, call_of, handle, indexed_app_with, question,
};

/// 2026-01-01.
const START: i64 = 1_767_225_600_000;
const DAY: i64 = 86_400_000;
/// The days of a period.
const DAYS: i64 = 200;

/// The attributes of records whose traits, persons and outcomes repeat, each after another number of them.
fn items() -> Vec<Attributes> {
    let item = |n: usize| {
        let plan = ["free", "pro", "team"][n % 3];
        let mut item = json!({
            "userId": {"S": format!("user-{}", n % 13)},
            "traits": {"M": {"plan": {"S": plan}, "seats": {"N": (n % 7).to_string()}}},
        });
        if !n.is_multiple_of(5) {
            item["rating"] = json!({"N": (n % 11).to_string()});
        }
        item.as_object().unwrap().clone()
    };
    (0..3 * 7 * 11 * 13).map(item).collect()
}

/// The records of the project `p`, so many in each shard, that were created when `at` says, as milliseconds
/// since the start of the period. A page has a hundred of them, and 400 in the index.
fn responses(count: usize, at: impl Fn(usize) -> i64) -> Responses {
    let times = |shard: usize| {
        let mut times: Vec<_> = (0..count).map(|n| START + at(16 * n + shard)).collect();
        times.sort_unstable();
        times
    };
    Responses {
        project: "p".to_owned(),
        shards: std::array::from_fn(times),
        items: items(),
        size: (1 << 20) / 100,
        indexed_size: (1 << 20) / 400,
        latency: Duration::from_millis(150),
        units: None,
        usage: Usage::default(),
    }
}

/// The responses of a store that throttles.
fn throttling() -> Arc<Responses> {
    Arc::new(Responses {
        units: Some(12_000.0),
        latency: Duration::from_millis(20),
        ..responses(3_750, even)
    })
}

/// Returns instants that are spread evenly over the days of the period, in no order.
fn even(n: usize) -> i64 {
    i64::try_from(n).unwrap() * 7_919_000_003 % (DAYS * DAY)
}

const PERIOD: &str = "startDate=2026-01-01&endDate=2026-07-20";

/// A call of a function that has this much time left for reading.
fn timed_call(time: Duration) -> Call {
    let event = Operation::Statistics.event_of_stub(PERIOD);
    call_of(&event, time + Duration::from_millis(500))
}

/// Returns a response, and how long it took.
async fn request(app: &App, call: Call) -> (Reply, Duration) {
    let began = Instant::now();
    let reply = Box::pin(handle(app, Operation::Statistics, call)).await;
    (reply, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn many_pages_return_what_one_page_of_each_shard_returns() {
    // Every tenth record is of one of a few instants, of which the newest counts.
    let at = |n: usize| even(if n.is_multiple_of(10) { n % 70 } else { n });
    let many = responses(500, at);
    let whole = Responses {
        size: 1,
        indexed_size: 1,
        ..responses(500, at)
    };
    let [many, whole] = [many, whole].map(Arc::new);
    // `format=json` changes nothing: it stands for no parameter, which a line could not show.
    let without_index = "format=json
        interval=day&groupBy=plan
        groupBy=plan&filter=seats=number.gte:3
        respondents=latest
        respondents=latest&interval=month&groupBy=plan
        describe=traits";
    let with_index = "format=json
        interval=week";
    for (app_over_client, questions) in [
        (app_with as fn(&_) -> App, without_index),
        (indexed_app_with, with_index),
    ] {
        for asked in questions.lines().map(str::trim) {
            let query = format!("{PERIOD}&{asked}");
            let body_over = async |responses: &Arc<Responses>| {
                let app = app_over_client(&responses.client());
                let reply = ask(&app, Operation::Statistics, &query).await;
                assert_eq!(reply.status, 200, "{reply:?}");
                reply.body
            };
            assert_eq!(body_over(&many).await, body_over(&whole).await, "{asked}");
        }
    }
    for responses in [&many, &whole] {
        assert_eq!(responses.usage.most_in_flight(), 16);
    }
}

#[tokio::test(start_paused = true)]
async fn a_period_takes_the_pages_of_one_shard_however_records_are_distributed_over_time() {
    let late = |n: usize| DAYS * DAY * 99 / 100 + even(n) / 100;
    for at in [even as fn(usize) -> i64, late] {
        let responses = Arc::new(responses(1_000, at));
        let call = question(Operation::Statistics, PERIOD);
        let (reply, took) = request(&app_with(&responses.client()), call).await;
        assert_eq!(reply.figures()["displays"], 16_000);
        assert_eq!(responses.usage.queries(), 16 * 10);
        // Ten pages of a shard, one after the other.
        assert!(took < responses.latency * 11, "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_period_that_is_throttled_is_read_nevertheless() {
    let responses = throttling();
    let call = timed_call(Duration::from_secs(28));
    let (reply, took) = request(&app_with(&responses.client()), call).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    // Each shard is tried a few times a second.
    let throttled = responses.usage.throttled();
    assert!((1..1_000).contains(&throttled), "{throttled}");
    // 76,800 units at 12,000 a second, and those of the first second at once.
    assert!(took < Duration::from_secs(6), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_504_says_how_many_records_were_read_until_then() {
    // Five rounds of sixteen pages.
    let responses = Arc::new(responses(1_000, even));
    let call = timed_call(Duration::from_millis(900));
    let (reply, _) = request(&app_with(&responses.client()), call).await;
    assert_eq!(reply.code(504), "period_too_large");
    let counted = "(counted until then: 8000)";
    assert!(reply.text().contains(counted), "{reply:?}");
}

#[tokio::test(start_paused = true)]
async fn a_period_that_is_too_large_is_a_504_whatever_its_last_read_met() {
    let responses = throttling();
    for tenths in [20, 24, 28] {
        let call = timed_call(Duration::from_millis(100 * tenths));
        let (reply, _) = request(&app_with(&responses.client()), call).await;
        assert_eq!(reply.code(504), "period_too_large", "{tenths}");
    }
    assert!(responses.usage.throttled() > 0);
}
