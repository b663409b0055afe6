//! `GET /api/v2/response-statistics`: the figures of a project over a period (contract, section 4).

mod document;
mod query;
mod tally;

use futures_util::future::try_join_all;
use shared::App;
use shared::error::Error;
use shared::http::{Call, Response, json, respond};
use shared::model::SHARDS;
use shared::store::{self, ResponsePages, Store};

use document::Document;
use query::Query;
use tally::Tally;

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
    // A tally of part of the period would be plausible and wrong.
    let total = total(call, &app.store, &query);
    let tally = call.deadline.limit(Error::PeriodTooLarge, total).await?;
    json(&Document::new(&query, &tally))
}

/// Counts the records of all shards, which are read concurrently.
async fn total(call: &Call, store: &Store, query: &Query) -> Result<Tally, store::Error> {
    if query.period.is_empty() {
        return Ok(Tally::default());
    }
    let shards = (0..SHARDS).map(|shard| {
        let pages = store.responses(
            &query.project,
            shard,
            &query.period,
            query.filters.clone(),
            call.usage.clone(),
        );
        shard_total(pages)
    });
    Ok(try_join_all(shards).await?.into_iter().sum())
}

async fn shard_total(mut pages: ResponsePages) -> Result<Tally, store::Error> {
    let mut tally = Tally::default();
    while pages.next(&mut |outcome| tally.add(outcome)).await? {}
    Ok(tally)
}
