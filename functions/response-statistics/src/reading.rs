//! Reads the records of a period, several slices at a time.

use std::future::pending;

use futures_util::stream::{FuturesUnordered, StreamExt};
use shared::error::{Error, Meta};
use shared::http::Call;
use shared::items::{RecordDetail, RecordSelection, ResponseRow};
use shared::store::{self, OutcomesIndex, PATIENCE, Store};
use tokio::time::{Instant, timeout_at};

use crate::query::Query;
use crate::refusals::period_too_large;
use crate::slices::Slices;

/// What is gathered from the records of all shards.
pub(crate) trait Gather {
    /// Takes a record of this shard. The records of a shard and an instant arrive in the order of their keys.
    fn add(&mut self, shard: u8, row: &ResponseRow<'_>);

    /// Returns the refusal of a request whose records exceed a limit. Once there is one, nothing is
    /// gathered.
    fn refusal(&self, query: &Query) -> Option<Error>;
}

/// Why reading ended early.
enum Interruption {
    Store(store::Error),
    Request(Error),
}

/// Reads the records of the period: in the index of outcomes if that suffices, otherwise in the table.
pub(crate) async fn gather<G: Gather>(
    call: &Call,
    store: &Store,
    query: &Query,
    empty: impl Fn() -> G,
) -> Result<G, Error> {
    let selection = query.selection();
    let index = store
        .outcomes_index(call.now)
        .filter(|_| needs_outcomes_alone(&selection));
    if let Some(index) = index {
        match read(call, store, query, &selection, Some(index), empty()).await {
            // From the start: the index lags behind the table, so figures of both would be of no instant.
            Err(Interruption::Store(error)) if error.is_refused() => {
                index.avoid(&error, call.now);
                call.usage.note_refused_index();
            }
            gathered => return Ok(gathered?),
        }
    }
    Ok(read(call, store, query, &selection, None, empty()).await?)
}

/// Returns whether the index has all that is needed: it holds no traits and no users.
fn needs_outcomes_alone(selection: &RecordSelection) -> bool {
    selection.filters.is_empty()
        && selection.segments.group_by().is_none()
        && selection.detail == RecordDetail::Outcome
}

/// Reads the slices of all shards into one whole, so that limits do not depend on how records are
/// distributed.
async fn read<G: Gather>(
    call: &Call,
    store: &Store,
    query: &Query,
    selection: &RecordSelection,
    index: Option<&OutcomesIndex>,
    mut gathered: G,
) -> Result<G, Interruption> {
    if query.period.is_empty() {
        return Ok(gathered);
    }
    let end = call.deadline.end();
    let mut now = Instant::now();
    let mut slices = Slices::new(query.period, store.max_queries(), now);
    let mut queries = FuturesUnordered::new();
    let mut last_page = now;
    // Why the last read failed, if it was throttled.
    let mut throttling = None;
    while !slices.is_done() {
        while let Some(slice) = slices.take(now) {
            let page = store.responses(&query.project, &slice.range, selection, index);
            queries.push(async { (page.await, slice) });
        }
        let wake = [slices.resumes(now), end].into_iter().flatten();
        let arrived = next_until(wake.min(), &mut queries).await;
        now = Instant::now();
        if let Some(end) = end.filter(|_| call.deadline.is_over()) {
            let late = || too_large(query, slices.way_out(now, end));
            return Err(throttling.map_or_else(late, Interruption::Store));
        }
        match arrived {
            None => {}
            Some((Ok(page), slice)) => {
                let shard = slice.range.shard;
                let page =
                    page.read(selection, &call.usage, &mut |row| gathered.add(shard, &row))?;
                if let Some(refusal) = gathered.refusal(query) {
                    return Err(Interruption::Request(refusal));
                }
                slices.read(slice, page, now);
                (last_page, throttling) = (now, None);
                if let Some(way_out) = end.and_then(|end| slices.too_large(now, end)) {
                    return Err(too_large(query, Some(way_out)));
                }
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

fn too_large(query: &Query, way_out: Option<Meta>) -> Interruption {
    Interruption::Request(period_too_large(query, way_out))
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

impl From<store::Error> for Interruption {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<Interruption> for Error {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::Store(error) => error.into(),
            Interruption::Request(error) => error,
        }
    }
}
