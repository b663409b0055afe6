//! `GET /api/v2/response-statistics`: the figures of a project over a period (contract, section 4).

mod breakdown;
mod calendar;
mod counts;
mod document;
mod element_ids;
mod figures;
mod filters;
mod groups;
mod newest;
mod query;
mod reading;
mod refusals;
mod series;
mod tally;
mod traits;
mod uncertainty;

use model::Respondents;
use model::items::ResponseItem;
use service::App;
use service::Call;
use service::auth::authorize;
use service::error::Error;
use service::response::{Response, SKIPPED_RECORDS, respond, whole};
use store::PATIENCE;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use breakdown::Breakdown;
use counts::{MANY_GROUPS, OutcomeCounts};
use query::{Requested, StatisticsQuery};
use reading::{Exceeded, read_records};
use refusals::{too_busy, too_many_groups, too_many_respondents, too_many_traits};
use traits::TraitCounts;

/// The path of the operation.
pub const PATH: &str = "/api/v2/response-statistics";

/// Responds to one request. An error is a response, too.
pub async fn handle(call: Call, app: &App) -> Response {
    respond(&call, "response-statistics", statistics(&call, app)).await
}

async fn statistics(call: &Call, app: &App) -> Result<Response, Error> {
    call.route(PATH)?;
    let credential = app.authenticator.statistics_credential(call).await?;
    let query = StatisticsQuery::parse(call.parameters(), call.now)?;
    call.record_project(&query.project);
    authorize(&credential, &query.project)?;
    let mut response = whole(document(call, app, &query).await?);
    let skipped = call.usage.totals().skipped;
    if skipped > 0 {
        response
            .headers_mut()
            .insert(SKIPPED_RECORDS, skipped.into());
    }
    Ok(response)
}

/// Returns the document for a caller who has the store itself, and needs no key.
///
/// # Errors
///
/// Returns the error of the response that a client would get.
pub async fn ask_unauthenticated(call: &Call, app: &App) -> Result<Vec<u8>, Error> {
    let query = StatisticsQuery::parse(call.parameters(), call.now)?;
    document(call, app, &query).await
}

async fn document(call: &Call, app: &App, query: &StatisticsQuery) -> Result<Vec<u8>, Error> {
    match &query.requested {
        Requested::Figures(breakdown) => figures(call, app, query, breakdown).await,
        Requested::Traits => traits(call, app, query).await,
    }
}

/// Returns the figures as JSON. Those of part of the period would be plausible and wrong.
async fn figures(
    call: &Call,
    app: &App,
    query: &StatisticsQuery,
    breakdown: &Breakdown,
) -> Result<Vec<u8>, Error> {
    breakdown.check_privacy(&app.private_traits)?;
    let counts = {
        let _turn = match breakdown.respondents {
            Respondents::Latest => Some(PERSONS.acquire().await),
            Respondents::All => None,
        };
        let mut counted = count(call, app, query, breakdown, None).await?;
        if matches!(counted, Err(Exceeded::Turns)) {
            // The request begins again, because it keeps neither counts nor room while it waits.
            call.return_room();
            call.usage.add(|totals| totals.skipped = 0);
            let turn = timeout(PATIENCE, MANY_GROUPS.acquire()).await;
            let turn = turn.ok().and_then(Result::ok).ok_or_else(too_busy)?;
            counted = count(call, app, query, breakdown, Some(turn)).await?;
        }
        counted.map_err(|exceeded| too_many(exceeded, query))?
    };
    figures::document(query, breakdown, &counts.columns(breakdown.group_limit)).to_json()
}

/// The memory of a process suffices for the persons of one request at a time.
static PERSONS: Semaphore = Semaphore::const_new(1);

/// Counts the records, in a turn if there are many groups.
async fn count(
    call: &Call,
    app: &App,
    query: &StatisticsQuery,
    breakdown: &Breakdown,
    turn: Option<SemaphorePermit<'static>>,
) -> Result<Result<OutcomeCounts, Exceeded>, Error> {
    let mut counts = OutcomeCounts::new(breakdown, turn);
    call.take_room().await;
    let count = |shard, item: &ResponseItem<'_>| counts.add(shard, item);
    let counted = read_records(call, &app.store, query, count).await?;
    // The newest ratings take most of the memory, and no figure needs them any more.
    counts.newest = None;
    Ok(counted.map(|()| counts))
}

/// Returns the traits of the records as JSON.
async fn traits(call: &Call, app: &App, query: &StatisticsQuery) -> Result<Vec<u8>, Error> {
    let mut counts = TraitCounts::default();
    call.take_room().await;
    let count = |_, item: &ResponseItem<'_>| counts.add(item);
    let counted = read_records(call, &app.store, query, count).await?;
    counted.map_err(|exceeded| too_many(exceeded, query))?;
    counts.document(query, &app.private_traits).to_json()
}

/// Makes the error of a request whose records exceed this limit.
fn too_many(exceeded: Exceeded, query: &StatisticsQuery) -> Error {
    match (exceeded, &query.requested) {
        (Exceeded::Turns, _) => too_busy(),
        (Exceeded::Traits, _) => too_many_traits(),
        (Exceeded::Respondents, Requested::Figures(breakdown)) => {
            too_many_respondents(&query.period, breakdown.has_intervals())
        }
        (
            Exceeded::Groups,
            Requested::Figures(Breakdown {
                group_by: Some(by), ..
            }),
        ) => too_many_groups(&by.name),
        // Without groups there are fewer intervals than may be counted.
        (Exceeded::Groups | Exceeded::Respondents, _) => Error::internal(),
    }
}
