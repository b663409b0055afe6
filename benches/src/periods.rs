//! A store with DynamoDB's pages, latency and throttling, for requests of long periods.

use std::time::Duration;

use serde_json::Map;
use test_support::responses::{Responses, Usage};

use crate::{Failure, records};

/// 2024-01-01, and the milliseconds of that year.
const START: i64 = 1_704_067_200_000;
const YEAR: f64 = 366.0 * 86_400_000.0;

/// Prints the address of a store with this many records, spread evenly over 2024, and serves until the process is
/// killed.
pub(crate) async fn serve(
    records: usize,
    latency: Duration,
    throttles: bool,
) -> Result<(), Failure> {
    let count = records / 16;
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    let at = |n: usize| START + (n as f64 / count as f64 * YEAR) as i64;
    let items: Vec<_> = (0..1980).map(records::response).collect();
    let size = items.iter().map(records::size).sum::<usize>() / items.len();
    let beside_the_key = |item: Map<_, _>| item.into_iter().filter(|(name, _)| name != "at");
    let responses = Responses {
        project: "acme".to_owned(),
        shards: std::array::from_fn(|_| (0..count).map(at).collect()),
        items: items
            .into_iter()
            .map(|item| beside_the_key(item).collect())
            .collect(),
        size,
        indexed_size: 92,
        latency,
        throttles,
        usage: Usage::default(),
    };
    println!("{}", responses.serve());
    std::future::pending().await
}
