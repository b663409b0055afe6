//! Periods of many pages, read from a store with DynamoDB's pages, latency and throttling, in simulated time.

use std::sync::Arc;
use std::time::Duration;

use items::TableNames;
use serde_json::{Value, json};
use service::App;
use service::Call;
use store::Store;
use test_support::responses::{Attributes, Responses, Usage};
use tokio::time::Instant;

use crate::support::{Operation, body_of, call_of, question};

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

/// Returns instants that are spread evenly over the days of the period, in no order.
fn even(n: usize) -> i64 {
    i64::try_from(n).unwrap() * 7_919_000_003 % (DAYS * DAY)
}

fn app(responses: &Arc<Responses>, index: Option<&str>) -> App {
    let index = index.map(str::to_owned);
    App::new(Store::of_dynamodb(
        &responses.client(),
        TableNames::default(),
        index,
    ))
}

const PERIOD: &str = "&startDate=2026-01-01&endDate=2026-07-20";

/// A call of a function that has this much time left for reading.
fn timed_call(time: Duration) -> Call {
    let query = format!("project=p{PERIOD}");
    let event = Operation::Statistics.rest(&query, &[("AuthKey", "any key")]);
    call_of(&event, time + Duration::from_millis(500))
}

/// Returns the status and the document of a response, and how long it took.
async fn request(app: &App, call: Call) -> (u16, Value, Duration) {
    let began = Instant::now();
    let response = Box::pin(response_statistics::handle(call, app)).await;
    let status = response.status().as_u16();
    let document = serde_json::from_str(&body_of(response).await).unwrap();
    (status, document, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn many_pages_return_what_one_page_of_each_shard_returns() {
    // Every tenth record is of one of a few instants, of which the newest counts.
    let at = |n: usize| {
        if n.is_multiple_of(10) {
            even(n % 70)
        } else {
            even(n)
        }
    };
    let many = responses(500, at);
    let whole = Responses {
        size: 1,
        indexed_size: 1,
        ..responses(500, at)
    };
    let [many, whole] = [many, whole].map(Arc::new);
    for (asked, index) in [
        ("", None),
        ("", Some("outcomes")),
        ("&interval=week", Some("outcomes")),
        ("&interval=day&groupBy=user.traits.string.plan", None),
        (
            "&groupBy=user.traits.string.plan&filter=seats=number.gte:3",
            None,
        ),
        ("&respondents=latest", None),
        (
            "&respondents=latest&interval=month&groupBy=user.traits.string.plan",
            None,
        ),
        ("&describe=traits", None),
    ] {
        let mut bodies = Vec::new();
        for responses in [&many, &whole] {
            let call = question(Operation::Statistics, &format!("{PERIOD}{asked}"));
            let (status, document, _) = request(&app(responses, index), call).await;
            assert_eq!(status, 200, "{asked} {document}");
            bodies.push(document);
        }
        assert_eq!(bodies[0], bodies[1], "{asked}");
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
        let (status, document, took) = request(
            &app(&responses, None),
            question(Operation::Statistics, PERIOD),
        )
        .await;
        assert_eq!(status, 200);
        assert_eq!(document["data"][0]["attributes"]["displays"], 16_000);
        assert_eq!(responses.usage.queries(), 16 * 10);
        // Ten pages of a shard, one after the other.
        assert!(took < responses.latency * 11, "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_period_that_is_throttled_is_read_nevertheless() {
    let responses = Responses {
        units: Some(12_000.0),
        latency: Duration::from_millis(20),
        ..responses(3_750, even)
    };
    let responses = Arc::new(responses);
    let call = timed_call(Duration::from_secs(28));
    let (status, document, took) = request(&app(&responses, None), call).await;
    assert_eq!(status, 200, "{document}");
    // Each shard is tried a few times a second.
    let throttled = responses.usage.throttled();
    assert!((1..1_000).contains(&throttled), "{throttled}");
    // 76,800 units at 12,000 a second, and those of the first second at once.
    assert!(took < Duration::from_secs(6), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn the_detail_of_a_504_divides_the_records_read_by_thousands() {
    // Five rounds of sixteen pages, and one round.
    for (page, millis, expected) in [
        (100, 900, "8,000"),
        (10, 200, "160"),
        (62, 200, "992"),
        (63, 200, "1,008"),
        (625, 200, "10,000"),
    ] {
        let responses = Responses {
            size: (1 << 20) / page,
            ..responses(10 * page, even)
        };
        let call = timed_call(Duration::from_millis(millis));
        let (status, document, _) = request(&app(&Arc::new(responses), None), call).await;
        assert_eq!(status, 504, "{document}");
        let detail = document["errors"][0]["detail"].as_str().unwrap();
        let counted = format!("(counted until then: {expected})");
        assert!(detail.contains(&counted), "{expected}: {detail}");
    }
}
