//! A store with DynamoDB's pages, latency and throttling, for requests of long periods.

use std::time::Duration;

use serde_json::Map;
use test_support::responses::{Responses, Usage};

use crate::{Failure, records};

/// 2024-01-01, and the milliseconds of that year.
const START: i64 = 1_704_067_200_000;
const YEAR: f64 = 366.0 * 86_400_000.0;

/// Prints the address of a store with this many records of 2024, `uniform` or `half` of them in a tenth of the year, and
/// serves until the process is killed.
pub(crate) async fn serve(
    records: usize,
    shape: &str,
    latency: Duration,
    throttles: bool,
) -> Result<(), Failure> {
    let share_of_year: fn(f64) -> f64 = match shape {
        "uniform" => |share| share,
        "half" => |share| match share {
            ..0.25 => share * 1.8,
            ..0.75 => 0.45 + (share - 0.25) * 0.2,
            _ => 0.55 + (share - 0.75) * 1.8,
        },
        _ => return Err("the shape is uniform or half".into()),
    };
    let count = records / 4;
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    let at = |n: usize| START + (share_of_year(n as f64 / count as f64) * YEAR) as i64;
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
