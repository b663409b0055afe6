//! The limits of groups, and of the response (contract, section 4), over a stub store.

use serde_json::{Value, json};

use crate::support::{app_at, body_of, request_statistics, serve_shards};

const BY_PLAN: &str = "&startDate=2026-01-01&endDate=2026-04-10&groupBy=user.traits.string.plan";

/// The plans and dates of the records of each shard.
type Shards = [Vec<(String, &'static str)>; 4];

/// Requests statistics of these records by plan; returns the status, and the only error or nothing.
async fn get(shards: Shards, query: &str) -> (u16, Value) {
    let pages = shards.map(|records| {
        let item = |(n, (plan, date)): (usize, &(String, &str))| {
            format!(
                r#"{{"at":{{"S":"{date}T12:00:00.000Z#{n}"}},"traits":{{"M":{{"plan":{{"S":"{plan}"}}}}}}}}"#
            )
        };
        let items: Vec<_> = records.iter().enumerate().map(item).collect();
        format!(r#"{{"Items":[{}]}}"#, items.join(","))
    });
    let app = app_at(&serve_shards(pages));
    let response = request_statistics(&app, &format!("{BY_PLAN}{query}")).await;
    let status = response.status().as_u16();
    let body: Value = serde_json::from_str(&body_of(response).await).unwrap();
    (status, body["errors"][0].clone())
}

/// Makes a record on 1 January for each number, with a plan made of it.
fn plans(
    numbers: std::ops::Range<usize>,
    plan: fn(usize) -> String,
) -> Vec<(String, &'static str)> {
    numbers.map(|number| (plan(number), "2026-01-01")).collect()
}

fn short(number: usize) -> String {
    format!("plan {number}")
}

/// Makes a plan of 1,024 bytes.
fn longest(number: usize) -> String {
    format!("{number:01024}")
}

#[tokio::test]
async fn a_hundred_thousand_values_are_the_most_however_they_are_distributed() {
    let halves = |end| {
        [
            plans(0..60_000, short),
            vec![],
            vec![],
            plans(40_000..end, short),
        ]
    };
    assert_eq!(get(halves(100_000), "").await.0, 200);
    let (status, error) = get(halves(100_001), "").await;
    assert_eq!((status, &error["code"]), (422, &json!("too_many_groups")));
    let detail = error["detail"].as_str().unwrap();
    for part in ["\"plan\"", "startDate", "interval", "another trait"] {
        assert!(detail.contains(part), "{detail}");
    }
    let one_shard = [vec![], plans(0..100_001, short), vec![], vec![]];
    assert_eq!(get(one_shard, "").await.0, 422);
}

#[tokio::test]
async fn a_value_counts_once_for_each_interval() {
    let in_two_months = |end| {
        let of = |date| (0..end).map(move |number| (short(number), date)).collect();
        let (january, february): (Vec<_>, Vec<_>) = (of("2026-01-15"), of("2026-02-15"));
        let both = [&january[..], &february[..]].concat();
        // The pairs of the second shard are among those of the first.
        [both, february, vec![], vec![]]
    };
    assert_eq!(get(in_two_months(50_000), "&interval=month").await.0, 200);
    assert_eq!(get(in_two_months(50_001), "&interval=month").await.0, 422);
    assert_eq!(get(in_two_months(50_001), "&interval=year").await.0, 200);
}

#[tokio::test]
async fn values_have_at_most_1024_bytes_and_16_mb_together() {
    let one = |plan: &str| {
        [
            vec![],
            vec![(plan.to_owned(), "2026-01-01")],
            vec![],
            vec![],
        ]
    };
    assert_eq!(get(one(&"ü".repeat(512)), "").await.0, 200);
    let (status, error) = get(one(&("x".to_owned() + &"ü".repeat(512))), "").await;
    assert_eq!((status, &error["code"]), (422, &json!("too_many_groups")));
    let of = |end| {
        [
            plans(0..9_000, longest),
            plans(8_000..end, longest),
            vec![],
            vec![],
        ]
    };
    assert_eq!(get(of(16 * 1024), "").await.0, 200);
    assert_eq!(get(of(16 * 1024 + 1), "").await.0, 422);
}

#[tokio::test]
async fn values_that_do_not_pass_the_filters_do_not_count() {
    let long = "x".repeat(1025);
    let shards = [
        vec![(long, "2026-01-01"), ("pro".to_owned(), "2026-01-01")],
        vec![],
        vec![],
        vec![],
    ];
    let filter = "&filters[user.traits.string.plan][operator]=eq&filters[user.traits.string.plan][value]=pro";
    assert_eq!(get(shards, filter).await.0, 200);
}

#[tokio::test]
async fn a_response_has_at_most_6_mb_and_is_never_cut() {
    // A hundred groups of a kilobyte in 99 days; and in one month, which fits.
    let shards = || [plans(0..100, longest), vec![], vec![], vec![]];
    let (status, error) = get(shards(), "&groupLimit=100&interval=day").await;
    assert_eq!(
        (status, &error["code"]),
        (422, &json!("response_too_large"))
    );
    let detail = error["detail"].as_str().unwrap();
    assert!(
        detail.contains("interval") && detail.contains("groupLimit"),
        "{detail}"
    );
    assert_eq!(get(shards(), "&groupLimit=100&interval=month").await.0, 200);
}
