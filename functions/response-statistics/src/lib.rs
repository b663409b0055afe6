//! `GET /api/v2/response-statistics`: the figures of a project over a period (contract, section 4).

mod breakdown;
mod calendar;
mod counts;
mod element_ids;
mod filters;
mod groups;
mod query;
mod refusals;
mod response;
mod series;
mod tally;
mod uncertainty;

use std::sync::{Mutex, PoisonError};

use futures_util::future::try_join_all;
use shared::App;
use shared::error::Error;
use shared::http::{Call, Response, respond, whole};
use shared::items::SHARDS;
use shared::store::{self, OutcomesIndex, ResponsePages, Store};

use counts::Counts;
use query::Query;
use refusals::period_too_large;
use response::StatisticsDocument;

/// The path of the operation.
pub const PATH: &str = "/api/v2/response-statistics";

/// Responds to one request, whatever its outcome.
pub async fn handle(call: Call, app: &App) -> Response {
    respond(&call, "response-statistics", statistics(&call, app)).await
}

async fn statistics(call: &Call, app: &App) -> Result<Response, Error> {
    call.route(PATH)?;
    let key = app.authenticator.read_key(call).await?;
    let query = Query::parse(call.parameters(), call.now)?;
    call.record_project(&query.project);
    key.authorize(&query.project)?;
    query.breakdown.check_privacy(&app.private_traits)?;
    // Counts of part of the period would be plausible and wrong.
    let counts = read(call, &app.store, &query);
    let counts = call.deadline.limit(period_too_large(), counts).await?;
    let shown = query.breakdown.grouping.as_ref().map_or(0, |by| by.limit);
    let document = StatisticsDocument::new(&query, &counts.columns(shown));
    document.to_json().map(whole)
}

/// Why counting ended early.
enum Interruption {
    Store(store::Error),
    Request(Error),
}

/// Counts the records of the period: in the index of outcomes if that suffices, otherwise in the table.
async fn read(call: &Call, store: &Store, query: &Query) -> Result<Counts, Error> {
    let index = store
        .outcomes_index(call.now)
        .filter(|_| !query.needs_traits());
    if let Some(index) = index {
        match count(call, store, query, Some(index)).await {
            // From the start: the index lags behind the table, so figures of both would be of no instant.
            Err(Interruption::Store(error)) if error.is_refused() => {
                index.avoid(&error, call.now);
                call.usage.note_refused_index();
            }
            counted => return Ok(counted?),
        }
    }
    Ok(count(call, store, query, None).await?)
}

/// Counts the records of all shards, which are read concurrently. They share the counts, so that the
/// limits of groups do not depend on how records are distributed.
async fn count(
    call: &Call,
    store: &Store,
    query: &Query,
    index: Option<&OutcomesIndex>,
) -> Result<Counts, Interruption> {
    let counts = Mutex::new(Counts::new(query.breakdown.grouping.is_some()));
    if !query.period.is_empty() {
        let segments = query.breakdown.segments();
        let shards = (0..SHARDS).map(|shard| {
            let pages = store.responses(
                &query.project,
                shard,
                &query.period,
                query.filters.clone(),
                segments.clone(),
                call.usage.clone(),
            );
            let pages = match index {
                Some(index) => pages.in_index(index),
                None => pages,
            };
            count_shard(pages, &counts, query)
        });
        try_join_all(shards).await?;
    }
    Ok(counts.into_inner().unwrap_or_else(PoisonError::into_inner))
}

async fn count_shard(
    mut pages: ResponsePages,
    counts: &Mutex<Counts>,
    query: &Query,
) -> Result<(), Interruption> {
    while let Some(page) = pages.next().await? {
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        page.read(&mut |row| counts.add(&row))?;
        if counts.exceeds_limits() {
            return Err(Interruption::Request(query.breakdown.too_many_groups()));
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
