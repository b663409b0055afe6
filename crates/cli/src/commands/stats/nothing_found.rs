//! What is said where nothing is found: what is mistyped, or when and of which projects there are records.

use crate::figures::{LocalPeriod, Statistics, StatisticsRequest};
use crate::text::printable;

/// Returns what to do about a period without displays.
pub(super) async fn sentences(
    statistics: &Statistics,
    query: &StatisticsRequest,
    period: &LocalPeriod,
) -> Vec<String> {
    let nothing = "No surveys were shown in this period.";
    let is_filtered = !query.filter.is_empty();
    let months = statistics.months(query).await;
    let has_any = |months: &[LocalPeriod]| months.iter().any(|month| month.overlaps(period));
    match months.as_deref() {
        Some(months) if is_filtered && has_any(months) => matching_nothing(statistics, query).await,
        Some(months) => match when(months) {
            Some(when) => vec![nothing.to_owned(), when],
            None => vec![other_projects(&statistics.projects().await)],
        },
        None if is_filtered => matching_nothing(statistics, query).await,
        None => vec![
            format!("{nothing} Widen it, such as by --period 10y."),
            "The project may be mistyped, or has no records yet.".to_owned(),
        ],
    }
}

/// Says that other records may match, and which filter may be meant.
pub(super) async fn matching_nothing(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> Vec<String> {
    let meant = statistics.meant_filter(query).await;
    let meant = meant.map(|filter| format!("Did you mean {}?", printable(&filter)));
    let nothing = "Nothing matches these filters in this period.".to_owned();
    [nothing].into_iter().chain(meant).collect()
}

/// Says when the records of these months are.
fn when(months: &[LocalPeriod]) -> Option<String> {
    let [first, last] = [months.first()?, months.last()?].map(|month| month.start);
    let year = last.format("%Y");
    let [first, last] = [first, last].map(|month| month.format("%b %Y").to_string());
    let months = if first == last {
        last
    } else {
        format!("{first} to {last}")
    };
    Some(format!("The records are of {months}: --period {year}"))
}

/// Names the projects that have records, of a store in which one has none.
fn other_projects(projects: &[String]) -> String {
    const MOST: usize = 10;
    let (named, others) = projects.split_at(projects.len().min(MOST));
    let more = match others.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match named {
        [] => "There are no records yet; they come from `feedback import responses`.".to_owned(),
        named => format!(
            "The project has no records; there are: {}{more}.",
            named.join(", ")
        ),
    }
}
