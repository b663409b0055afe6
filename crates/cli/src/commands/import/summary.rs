//! Says what an import did or could do, and draws the figures of its project.

use std::fmt::Write as _;

use admin::Imported;
use intake::{ImportRules, RecordKind, RecordSummary, argument};

use super::options::Command;
use crate::figures::Figures;
use crate::import::FinishedImport;
use crate::score::rounded;
use crate::text::printable;

/// Says what became of the records, and what they or all of the project amount to.
pub(super) fn of_import(
    command: &Command,
    rules: &ImportRules,
    finished: &FinishedImport,
    figures: Option<&anyhow::Result<Figures>>,
) -> String {
    let options = command.options();
    let FinishedImport {
        accepted, rejected, ..
    } = finished;
    let Imported {
        written, unchanged, ..
    } = finished.imported;
    let (kind, project) = (rules.kind.name(), &options.project);
    let skipped = rules.campaign.as_ref();
    let skipped = skipped.map_or_else(String::new, |_| {
        format!(", {} skipped", finished.report.skipped)
    });
    let counts = if options.dry_run {
        format!(
            "{kind}: {accepted} could be imported, {rejected} rejected{skipped}; nothing was written\n"
        )
    } else {
        format!("{kind}: {written} written, {unchanged} unchanged, {rejected} rejected{skipped}\n")
    };
    if rules.kind == RecordKind::Users || !finished.is_any() {
        return counts;
    }
    counts
        + &match figures {
            _ if options.dry_run => of_records(&finished.report.summary),
            Some(Err(_)) => String::new(),
            Some(Ok(figures)) => {
                let figures = of_project(figures);
                format!("\nproject {project}, all that is stored\n{figures}")
            }
            None => format!(
                "the project's figures: feedback stats --project {project} --start 0001-01-01 \
                 --end 9999-12-31T23:59:59.999Z\n"
            ),
        }
}

/// Returns what was seen of the records that were read, and the command that shows their figures.
fn of_records(summary: &RecordSummary) -> String {
    let mut text = String::new();
    if let Some((first, last)) = summary.period {
        text += &lines([("first", first.to_string()), ("last", last.to_string())]);
    }
    text += &lines(summary.campaigns().map(|list| ("campaigns", list)));
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
    if summary.records > 0 {
        let _ = writeln!(text, "their figures: {}", printable(&stats_of_files()));
    }
    text
}

/// Returns the command that shows the figures of the files: this one, as it was typed, without what only an import
/// has.
fn stats_of_files() -> String {
    let mut words = std::env::args_os().skip("feedback import responses".split(' ').count());
    let mut command = "feedback stats".to_owned();
    while let Some(word) = words.next() {
        match &*word.to_string_lossy() {
            "--dry-run" | "--no-users" => {}
            "--data" | "--rejects" => drop(words.next()),
            word if word.starts_with("--data=") || word.starts_with("--rejects=") => {}
            word => command = format!("{command} {}", argument(word)),
        }
    }
    command
}

/// Returns the figures of everything that is stored.
fn of_project(figures: &Figures) -> String {
    let unanswered = figures.displays.saturating_sub(figures.responses);
    let pending = unanswered.saturating_sub(figures.dismissed);
    let score = figures
        .nps
        .map_or_else(|| "-".to_owned(), |nps| format!("{:.1}", rounded(nps)));
    lines([
        ("records", figures.displays.to_string()),
        ("rated", figures.responses.to_string()),
        ("dismissed", figures.dismissed.to_string()),
        ("pending", pending.to_string()),
        ("promoters", figures.promoters.to_string()),
        ("detractors", figures.detractors.to_string()),
        ("score", score),
    ])
}

fn lines(figures: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let mut text = String::new();
    for (name, figure) in figures {
        let _ = writeln!(text, "{name:<11} {}", printable(&figure));
    }
    text
}
