//! Draws what the records of an import amount to.

use std::fmt::Write as _;

use records::Summary;

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
