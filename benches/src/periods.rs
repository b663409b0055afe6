//! A store with DynamoDB's pages, latency and throttling, for requests of long periods.

use std::time::Duration;

use serde_json::Map;
use test_support::responses::{Responses, Usage};

use crate::{Failure, records};

/// 2024-01-01, and the milliseconds of that year.
const START: i64 = 1_704_067_200_000;
const YEAR: f64 = 366.0 * 86_400_000.0;

/// Returns when in the year a record was created that comes after this part of all records, if nine of ten were
/// created in this part of the year, its last one.
fn created(part: f64, last: f64) -> f64 {
    if part < 0.1 {
        part * 10.0 * (1.0 - last)
    } else {
        1.0 - last + (part - 0.1) / 0.9 * last
    }
}

/// Prints the address of a store with this many records of 2024 in so many shards, nine of ten of them in this last
/// part of the year, and serves until the process is killed.
pub(crate) async fn serve(
    records: usize,
    shards: usize,
    last: f64,
    latency: Duration,
    units: Option<f64>,
) -> Result<(), Failure> {
    let count = records / shards;
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    let at = |n: usize| START + (created(n as f64 / count as f64, last) * YEAR) as i64;
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
