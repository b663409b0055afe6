//! `GET /api/v2/response-statistics`: the figures of a project over a period (contract, section 4).

mod calendar;
mod change;
mod compared;
mod comparison;
mod contribution;
mod counts;
mod csv;
mod described_traits;
mod document;
mod figures;
mod instant;
mod joined_groups;
mod newest;
mod period_name;
mod period_word;
mod query;
pub mod score;
mod shards;
mod summary;
mod tally;
mod window;

use auth::Permission;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use items::{ItemSelection, ResponseItem};
use model::Respondents;
use service::authentication::{authenticate, authorize};
use service::error::Error;
use service::response::{Response, SKIPPED_RECORDS, respond, whole};
use service::{App, Call};

use compared::compare;
use counts::{GroupSeries, Groups, OutcomeCounts};
use described_traits::TraitCounts;
use joined_groups::JoinedGroups;
use newest::NewestRatings;
use query::{Asked, Breakdown, Format, StatisticsQuery};
use shards::{first_record, read_records};

pub use change::{Change, ENOUGH, Verdict};
pub use compared::{Before, Compared, ElementChange, Meta, WholeChange};
pub use contribution::Contribution;
pub use described_traits::Description;
pub use document::Attributes;
pub use figures::{Figures, GroupLabel, GroupName, TimeSpan};
pub use period_name::words;
pub use period_word::PeriodWord;

/// The path of the operation.
pub const PATH: &str = "/api/v2/response-statistics";

/// The media type of figures as a table (RFC 4180).
pub const CSV: &str = "text/csv; charset=utf-8; header=present";

/// Responds to one request. An error is a response, too.
pub async fn handle(call: Call, app: &App) -> Response {
    respond(&call, "response-statistics", statistics(&call, app)).await
}

async fn statistics(call: &Call, app: &App) -> Result<Response, Error> {
    call.route(PATH)?;
    let credential = authenticate(call, Permission::Statistics, &app.store).await?;
    let query = StatisticsQuery::parse(call.parameters(), call.now)?;
    call.record_project(&query.project);
    authorize(&credential, &query.project)?;
    let mut response = whole(answer(call, app, &query).await?);
    if query.format == Format::Csv {
        let csv = HeaderValue::from_static(CSV);
        response.headers_mut().insert(CONTENT_TYPE, csv);
    }
    let skipped = call.usage.totals().skipped;
    if skipped > 0 {
        response
            .headers_mut()
            .insert(SKIPPED_RECORDS, skipped.into());
    }
    Ok(response)
}

/// Returns the answer for a caller who has the store itself, and needs no key.
///
/// # Errors
///
/// Returns the error of the response that a client would get.
pub async fn ask_unauthenticated(call: &Call, app: &App) -> Result<Vec<u8>, Error> {
    let query = StatisticsQuery::parse(call.parameters(), call.now)?;
    answer(call, app, &query).await
}

async fn answer(call: &Call, app: &App, query: &StatisticsQuery) -> Result<Vec<u8>, Error> {
    match &query.asked {
        Asked::Figures(breakdown) => figures(call, app, query, breakdown).await,
        Asked::Traits => traits(call, app, query).await,
    }
}

/// Returns the figures as text.
async fn figures(
    call: &Call,
    app: &App,
    query: &StatisticsQuery,
    breakdown: &Breakdown,
) -> Result<Vec<u8>, Error> {
    breakdown.check_privacy(&app.private_traits)?;
    call.take_room(room(breakdown)).await?;
    let selection = query.selection();
    let present = counts(call, app, breakdown, &selection).await?;
    let limit = breakdown.group_limit;
    let document = match &breakdown.comparison {
        None => {
            let ranked = present.ranked(&breakdown.parts_of_period());
            let columns = GroupSeries::columns(ranked, limit);
            document::figures(query, breakdown, &columns, None)
        }
        Some(comparison) => {
            let selection = ItemSelection {
                period: comparison.period,
                ..selection
            };
            let earlier = counts(call, app, breakdown, &selection).await?;
            let first = first_record(call, &app.store, &selection).await?;
            let groups = JoinedGroups::new(&present, &earlier, limit);
            let compared = compare(query, breakdown, comparison, &groups, first);
            document::figures(query, breakdown, &groups.after, Some(compared))
        }
    };
    document.text(query.format, &Attributes::of_no_record(breakdown))
}

/// Counts the selected records.
async fn counts<'a>(
    call: &Call,
    app: &App,
    breakdown: &'a Breakdown,
    selection: &ItemSelection,
) -> Result<OutcomeCounts<'a>, Error> {
    let mut counts = OutcomeCounts::new(breakdown, selection.period);
    let count = |shard, item: &ResponseItem<'_>| counts.add(shard, item);
    read_records(call, &app.store, selection, count).await?;
    Ok(counts.without_newest())
}

/// Returns the megabytes that the counts take up at most.
fn room(breakdown: &Breakdown) -> u32 {
    let periods = 1 + u32::from(breakdown.comparison.is_some());
    let groups = breakdown.group_by.as_ref();
    let of_groups = groups.map_or(0, |_| periods * Groups::MEGABYTES);
    match breakdown.respondents {
        Respondents::All => of_groups,
        // One period is counted after the other.
        Respondents::Latest => of_groups + NewestRatings::MEGABYTES,
    }
}

/// Returns the traits of the records as text.
async fn traits(call: &Call, app: &App, query: &StatisticsQuery) -> Result<Vec<u8>, Error> {
    call.take_room(0).await?;
    let mut counts = TraitCounts::default();
    let count = |_, item: &ResponseItem<'_>| counts.add(item);
    read_records(call, &app.store, &query.selection(), count).await?;
    let document = counts.document(query, &app.private_traits);
    document.text(query.format, &Description::default())
}
