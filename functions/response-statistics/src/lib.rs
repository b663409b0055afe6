//! `GET /api/v2/response-statistics`: the figures of a project over a period (contract, section 4).

mod document;
mod query;
mod tally;

use futures_util::future::try_join_all;
use lambda_http::Request;
use shared::App;
use shared::error::Error;
use shared::http::{Answer, Call, answer, json};
use shared::model::{SHARDS, Timestamp};
use shared::store::{ResponsePages, Store};

use document::Document;
use query::Query;
use tally::Tally;

/// The path of the operation.
pub const PATH: &str = "/api/v2/response-statistics";

/// Answers one request that arrived at `now`, whatever becomes of it.
pub async fn handle(request: Request, app: &App, now: Timestamp) -> Answer {
    let call = Call::new(&request, now);
    answer(&call, "response-statistics", statistics(&call, app)).await
}

async fn statistics(call: &Call, app: &App) -> Result<Answer, Error> {
    call.route(PATH)?;
    let key = app
        .authenticator
        .read_key(&call.headers, call.now, &call.usage)
        .await?;
    let query = Query::parse(call.parameters(), call.now)?;
    call.asks_for(&query.project);
    key.authorise(&query.project)?;
    let tally = match call.time_left() {
        // A part of the period would make plausible, wrong figures.
        Some(left) => tokio::time::timeout(left, total(call, &app.store, &query))
            .await
            .map_err(|_| Error::PeriodTooLarge)??,
        None => total(call, &app.store, &query).await?,
    };
    json(&Document::new(&query, &tally))
}

/// Asks all shards at the same time.
async fn total(call: &Call, store: &Store, query: &Query) -> Result<Tally, Error> {
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

async fn shard_total(mut pages: ResponsePages) -> Result<Tally, Error> {
    let mut tally = Tally::default();
    while pages.next(|outcome| tally.add(outcome)).await? {}
    Ok(tally)
}
