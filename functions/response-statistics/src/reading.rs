//! Reads the records of a period, several slices at a time.

use std::future::pending;

use futures_util::stream::{FuturesUnordered, StreamExt};
use shared::error::Error;
use shared::http::Call;
use shared::items::ResponseRow;
use shared::store::{PATIENCE, Store};
use tokio::time::{Instant, timeout_at};

use crate::query::StatisticsQuery;
use crate::refusals::period_too_large;
use crate::slices::Slices;

/// What is gathered from the records of all shards.
pub(crate) trait Gather {
    /// Takes a record of this shard. The records of a shard and an instant arrive in the order of their keys.
    fn add(&mut self, shard: u8, row: &ResponseRow<'_>);

    /// Returns the refusal of a request whose records exceed a limit. Once there is one, nothing is
    /// gathered.
    fn refusal(&self) -> Option<Error>;
}

/// Reads the slices of all shards into one whole, so that limits do not depend on how records are
/// distributed.
pub(crate) async fn gather<G: Gather>(
    call: &Call,
    store: &Store,
    query: &StatisticsQuery,
    mut gathered: G,
) -> Result<G, Error> {
    if query.period.is_empty() {
        return Ok(gathered);
    }
    let selection = query.selection();
    let end = call.deadline.end();
    let mut now = Instant::now();
    let mut slices = Slices::new(query.period, store.queries_per_shard(), now);
    let mut queries = FuturesUnordered::new();
    let mut last_page = now;
    // Why the last read failed, if it was throttled.
    let mut throttling = None;
    while !slices.is_done() {
        while let Some(slice) = slices.take(now) {
            let page = store.responses(&query.project, &slice.range, &selection);
            queries.push(async { (page.await, slice) });
        }
        let wake = [slices.resumes(now), end].into_iter().flatten();
        let arrived = next_until(wake.min(), &mut queries).await;
        now = Instant::now();
        if call.deadline.is_over() {
            let late = || period_too_large(call.usage.totals().records);
            return Err(throttling.map_or_else(late, Error::from));
        }
        match arrived {
            None => {}
            Some((Ok(page), slice)) => {
                let shard = slice.range.shard;
                let last_key = page.read(&selection, &call.usage, &mut |row| {
                    gathered.add(shard, &row);
                })?;
                if let Some(refusal) = gathered.refusal() {
                    return Err(refusal);
                }
                slices.read(slice, last_key);
                (last_page, throttling) = (now, None);
            }
            Some((Err(error), slice)) if error.is_throttled() => {
                if end.is_none() && now > last_page + PATIENCE {
                    return Err(error.into());
                }
                slices.throttled(slice, now);
                throttling = Some(error);
            }
            Some((Err(error), _)) => return Err(error.into()),
        }
    }
    Ok(gathered)
}

/// Returns what the next of these futures returns, unless that takes until `wake`.
async fn next_until<F: Future>(
    wake: Option<Instant>,
    futures: &mut FuturesUnordered<F>,
) -> Option<F::Output> {
    let next = async {
        match futures.next().await {
            Some(output) => output,
            None => pending().await,
        }
    };
    match wake {
        Some(wake) => timeout_at(wake, next).await.ok(),
        None => Some(next.await),
    }
}
