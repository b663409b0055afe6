//! Draws what the records of an import amount to.

use std::fmt::Write as _;
use std::path::Path;

use chrono::{DateTime, Utc};
use engine::DataFolder;
use records::Summary;
use shared::model::{ProjectId, Timestamp};

use crate::client::DEFAULT_URL;
use crate::score::rounded;
use crate::text::printable;

/// Returns the figures, one on each line.
pub(super) fn table(summary: &Summary) -> String {
    let period = summary.period;
    let instant = |instant: Option<_>| instant.map_or_else(|| "-".to_owned(), |at| format!("{at}"));
    let counts = [
        ("records", summary.records()),
        ("rated", summary.rated()),
        ("dismissed", summary.dismissed),
        ("pending", summary.pending),
        ("promoters", summary.promoters()),
        ("detractors", summary.detractors()),
    ];
    let counts = counts.map(|(name, count)| (name, count.to_string()));
    let others = [
        ("score", score(summary)),
        ("first", instant(period.map(|(first, _)| first))),
        ("last", instant(period.map(|(_, last)| last))),
        ("people", summary.people.to_string()),
        (
            "campaigns",
            summary.campaigns().unwrap_or_else(|| "-".to_owned()),
        ),
    ];
    counts
        .into_iter()
        .chain(others)
        .fold(String::new(), |mut table, (name, figure)| {
            let _ = writeln!(table, "{name:<11} {}", printable(&figure));
            table
        })
}

/// Returns the command that asks for the figures of a project from the first to the last of these instants.
pub(super) fn next_command(
    project: &ProjectId,
    (first, last): (Timestamp, Timestamp),
    folder: &Path,
) -> String {
    let day = |instant: Timestamp| DateTime::<Utc>::from(instant).date_naive();
    let end = day(last).succ_opt().unwrap_or(day(last));
    let stats = format!(
        "feedback stats --project {project} --start {} --end {end}",
        day(first)
    );
    let command = match DataFolder::noted(folder) {
        None => format!(
            "{stats} (while `feedback serve --data {}` runs)",
            folder.display()
        ),
        Some(served) => match format!("http://{}", served.api).as_str() {
            DEFAULT_URL => stats,
            url => format!("{stats} --url {url}"),
        },
    };
    format!("The figures: FEEDBACK_READ_KEY=… {}", printable(&command))
}

#[allow(clippy::cast_precision_loss)] // Nobody counts that many.
fn score(summary: &Summary) -> String {
    match summary.rated() {
        0 => "-".to_owned(),
        rated => {
            let difference = summary.promoters() as f64 - summary.detractors() as f64;
            format!("{:.1}", rounded(100.0 * difference / rated as f64))
        }
    }
}
