//! Reads the records of a period, all shards at a time.

use std::sync::{Mutex, PoisonError};

use futures_util::future::try_join_all;
use shared::error::Error;
use shared::http::Call;
use shared::items::{RecordDetail, RecordSelection, ResponseRow, SHARDS};
use shared::store::{self, OutcomesIndex, ResponsePages, Store};

use crate::query::Query;

/// What is gathered from the records of all shards.
pub(crate) trait Gather {
    /// Takes a record of this shard. The records of a shard arrive in the order of their keys.
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

/// Reads all shards concurrently, into one whole, so that limits do not depend on how records are
/// distributed.
async fn read<G: Gather>(
    call: &Call,
    store: &Store,
    query: &Query,
    selection: &RecordSelection,
    index: Option<&OutcomesIndex>,
    empty: G,
) -> Result<G, Interruption> {
    let gathered = Mutex::new(empty);
    if !selection.period.is_empty() {
        let shards = (0..SHARDS).map(|shard| {
            let (selection, usage) = (selection.clone(), call.usage.clone());
            let pages = store.responses(&query.project, shard, selection, usage);
            let pages = match index {
                Some(index) => pages.in_index(index),
                None => pages,
            };
            read_shard(shard, pages, &gathered, query)
        });
        try_join_all(shards).await?;
    }
    Ok(gathered
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

async fn read_shard<G: Gather>(
    shard: u8,
    mut pages: ResponsePages,
    gathered: &Mutex<G>,
    query: &Query,
) -> Result<(), Interruption> {
    while let Some(page) = pages.next().await? {
        let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        page.read(&mut |row| gathered.add(shard, &row))?;
        if let Some(refusal) = gathered.refusal(query) {
            return Err(Interruption::Request(refusal));
        }
    }
    Ok(())
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
