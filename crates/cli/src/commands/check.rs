//! `feedback check`: finds stored items that the API does not read, or reads as something else.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use admin::{AdminStore, Checked};
use anyhow::{Context, bail};
use indicatif::HumanCount;
use model::ProjectId;
use model::items::Table;
use serde_json::{Map, Value, json};

use super::confirm::confirmed;
use super::target::{Access, Target};
use crate::progress::Progress;
use crate::text::{JsonWriter, UNPRINTABLE, unless_closed};

/// Find stored items that the API does not read, or reads as something else
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Check only the responses and users of this project; by default, check all tables
    #[arg(long)]
    project: Option<ProjectId>,
    /// Print JSON, with the keys of some items of each kind, which may name people
    #[arg(long)]
    json: bool,
    /// Do not ask whether to scan the tables of an AWS account
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    target: Target,
}

/// The tables, those of a project first.
const TABLES: [(&str, Table); 3] = [
    ("responses", Table::RESPONSES),
    ("users", Table::USERS),
    ("credentials", Table::Credentials),
];

/// Runs the command. The exit code is 2 if anything was found that is more than a note.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let check = async |store: &AdminStore| check(store, &options).await;
    let checked = options.target.open(Access::Read, check).await?;
    unless_closed(if options.json {
        print_json(&checked)
    } else {
        print(&checked)
    })?;
    let mut found = checked.iter().flat_map(|(_, checked)| checked.found.keys());
    Ok(if found.all(|finding| finding.is_note) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(2)
    })
}

async fn check(
    store: &AdminStore,
    options: &Options,
) -> anyhow::Result<Vec<(&'static str, Checked)>> {
    const INCOMPLETE: &str = "the check is incomplete";
    let project = options.project.as_ref();
    if project.is_none() {
        if let Some(bytes) = store.charged_bytes().await.context(INCOMPLETE)? {
            confirm_cost(bytes, options.yes)?;
        }
    } else if !store.is_folder() {
        eprintln!("shards that nothing reads are found without --project only");
    }
    let progress = Progress::new(None);
    let mut all = Vec::new();
    for (name, table) in TABLES
        .into_iter()
        .take(if project.is_some() { 2 } else { 3 })
    {
        let report = |items| progress.show_alone(format!("{} {name} checked", HumanCount(items)));
        let checked = store.check(table, project, report).await;
        all.push((name, checked.context(INCOMPLETE)?));
    }
    progress.finish();
    Ok(all)
}

/// Says what a scan of this many bytes costs, and asks whether to go on.
fn confirm_cost(bytes: u64, yes: bool) -> anyhow::Result<()> {
    // An eventually consistent read of 8 KB is a unit, and a million units are $0.125 in most regions.
    let units = bytes.div_ceil(8 << 10);
    let cents = units / 80_000 + 1;
    let (count, dollars, cents) = (HumanCount(units), cents / 100, cents % 100);
    eprintln!("a scan takes {count} read units, less than ${dollars}.{cents:02} at list prices");
    if !yes && !confirmed("Scan them?")? {
        bail!("nothing was checked");
    }
    Ok(())
}

fn print(all: &[(&str, Checked)]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout();
    let with_keys = stdout.is_terminal();
    for (name, checked) in all {
        writeln!(stdout, "{name}: {} checked", HumanCount(checked.items)).context(UNPRINTABLE)?;
        for (finding, found) in &checked.found {
            let note = if finding.is_note { "note: " } else { "" };
            let count = HumanCount(found.items).to_string();
            writeln!(stdout, "{count:>9}  {note}{}", finding.text).context(UNPRINTABLE)?;
            for key in found.examples.iter().filter(|_| with_keys) {
                writeln!(stdout, "{:9}  {key:?}", "").context(UNPRINTABLE)?;
            }
        }
    }
    Ok(())
}

fn print_json(all: &[(&str, Checked)]) -> anyhow::Result<()> {
    let tables = all.iter().map(|(name, checked)| {
        let found = checked.found.iter().map(|(finding, found)| {
            json!({
                "finding": finding.text,
                "note": finding.is_note,
                "items": found.items,
                "examples": found.examples,
            })
        });
        let checked = json!({ "items": checked.items, "found": found.collect::<Vec<_>>() });
        ((*name).to_owned(), checked)
    });
    let tables: Map<String, Value> = tables.collect();
    let mut stdout = JsonWriter::stdout();
    serde_json::to_writer_pretty(&mut stdout, &tables).context(UNPRINTABLE)?;
    writeln!(stdout).context(UNPRINTABLE)
}
