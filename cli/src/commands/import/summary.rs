//! Says what an import did, and draws figures: those of the records that a dry run has read, and those of a
//! project.

use std::fmt::Write as _;

use admin::Imported;
use intake::{ImportRules, RecordKind, RecordSummary};
use shared::model::ProjectId;

use super::options::Options;
use crate::figures::Figures;
use crate::import::ImportOutcome;
use crate::score::rounded;
use crate::text::printable;

/// Says what became of the records, and what they or all of the project amount to.
pub(super) fn of_import(
    options: &Options,
    rules: &ImportRules,
    outcome: &ImportOutcome,
    figures: Option<&anyhow::Result<Figures>>,
) -> String {
    let ImportOutcome {
        accepted, rejected, ..
    } = outcome;
    let Imported {
        written, unchanged, ..
    } = outcome.imported;
    let (kind, project) = (rules.kind.name(), &options.project);
    let skipped = rules.campaign.as_ref();
    let skipped = skipped.map_or_else(String::new, |_| {
        format!(", {} skipped", outcome.report.skipped)
    });
    let counts = if options.dry_run {
        format!(
            "{kind}: {accepted} could be imported, {rejected} rejected{skipped}; nothing was written\n"
        )
    } else {
        format!("{kind}: {written} written, {unchanged} unchanged, {rejected} rejected{skipped}\n")
    };
    if rules.kind == RecordKind::Users || !outcome.is_any() {
        return counts;
    }
    counts
        + &match figures {
            _ if options.dry_run => format!("\n{}", of_records(&outcome.report.summary)),
            Some(Err(_)) => String::new(),
            Some(Ok(figures)) => {
                let figures = of_project(figures);
                format!("\nproject {project}, all that is stored\n{figures}")
            }
            None => {
                let command = command(project);
                format!("the project's figures: {command}\n")
            }
        }
}

/// Returns what the records that were read amount to, and how many of them repeat others.
fn of_records(summary: &RecordSummary) -> String {
    let instant = |instant: Option<_>| instant.map_or_else(|| "-".to_owned(), |at| format!("{at}"));
    let (first, last) = summary.period.unzip();
    let counts = [
        summary.records(),
        summary.rated,
        summary.dismissed,
        summary.pending,
        summary.promoters,
        summary.detractors,
    ];
    let mut text = table(counts)
        + &lines([
            ("first", instant(first)),
            ("last", instant(last)),
            (
                "campaigns",
                summary.campaigns().unwrap_or_else(|| "-".to_owned()),
            ),
        ]);
    for (count, what) in [
        (
            summary.recreated,
            "the id of an earlier one and another created: an import keeps both",
        ),
        (
            summary.repeated,
            "the id and created of an earlier one: an import merges them",
        ),
    ] {
        if count > 0 {
            let have = if count == 1 {
                "record has"
            } else {
                "records have"
            };
            let _ = writeln!(text, "{count} {have} {what}");
        }
    }
    text
}

/// Returns the figures of everything that is stored.
fn of_project(figures: &Figures) -> String {
    let unanswered = figures.displays.saturating_sub(figures.responses);
    table([
        figures.displays,
        figures.responses,
        figures.dismissed,
        unanswered.saturating_sub(figures.dismissed),
        figures.promoters,
        figures.detractors,
    ])
}

/// Draws these counts and the score, one on each line.
fn table(counts: [u64; 6]) -> String {
    let [_, rated, .., promoters, detractors] = counts;
    let names = [
        "records",
        "rated",
        "dismissed",
        "pending",
        "promoters",
        "detractors",
    ];
    let counts = names.into_iter().zip(counts);
    let counts = counts.map(|(name, count)| (name, count.to_string()));
    lines(counts.chain([("score", score(rated, promoters, detractors))]))
}

fn lines(figures: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let mut text = String::new();
    for (name, figure) in figures {
        let _ = writeln!(text, "{name:<11} {}", printable(&figure));
    }
    text
}

/// Returns the command that asks for the figures of a project in all its time.
fn command(project: &ProjectId) -> String {
    format!("feedback stats --project {project} --start 0001-01-01 --end 9999-12-31T23:59:59.999Z")
}

#[allow(clippy::cast_precision_loss)] // Nobody counts that many.
fn score(rated: u64, promoters: u64, detractors: u64) -> String {
    if rated == 0 {
        return "-".to_owned();
    }
    let difference = promoters as f64 - detractors as f64;
    format!("{:.1}", rounded(100.0 * difference / rated as f64))
}
