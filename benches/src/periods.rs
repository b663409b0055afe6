//! A store with DynamoDB's pages, latency and throttling, for requests of long periods.

use std::time::Duration;

use serde_json::Map;
use test_support::responses::{Responses, Usage};

use crate::{Failure, records};

/// 2024-01-01, and the milliseconds of that year.
const START: i64 = 1_704_067_200_000;
const YEAR: f64 = 366.0 * 86_400_000.0;

/// When in the year a part of the records was created that comes after this part of them.
pub(crate) type Spread = fn(f64) -> f64;

pub(crate) fn even(part: f64) -> f64 {
    part
}

/// Nine of ten records in the last tenth of the year.
pub(crate) fn late(part: f64) -> f64 {
    if part < 0.1 {
        part * 9.0
    } else {
        0.9 + (part - 0.1) / 9.0
    }
}

/// Prints the address of a store with this many records of 2024 in so many shards, and serves until the process
/// is killed.
pub(crate) async fn serve(
    records: usize,
    shards: usize,
    spread: Spread,
    latency: Duration,
    units: Option<f64>,
) -> Result<(), Failure> {
    let count = records / shards;
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    let at = |n: usize| START + (spread(n as f64 / count as f64) * YEAR) as i64;
    let items: Vec<_> = (0..1980).map(records::response).collect();
    let size = items.iter().map(records::size).sum::<usize>() / items.len();
    let beside_the_key = |item: Map<_, _>| item.into_iter().filter(|(name, _)| name != "at");
    let times = |shard| (0..if shard < shards { count } else { 0 }).map(at);
    let responses = Responses {
        project: "acme".to_owned(),
        shards: std::array::from_fn(|shard| times(shard).collect()),
        items: items
            .into_iter()
            .map(|item| beside_the_key(item).collect())
            .collect(),
        size,
        indexed_size: 92,
        latency,
        units,
        usage: Usage::default(),
    };
    println!("{}", responses.serve());
    std::future::pending().await
}
