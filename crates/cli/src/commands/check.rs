//! `feedback check`: finds stored items that the API does not read, or reads as something else.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::{Context, bail};
use indicatif::HumanCount;
use items::Table;
use model::ProjectId;
use tables::{Checked, Tables};

use super::command_store::{Access, StoreOptions};
use super::standard_input::confirmed;
use crate::progress::Progress;
use crate::text::{json_for_output, print};

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
    store: StoreOptions,
}

const TABLES: [(&str, Table); 3] = [
    ("responses", Table::Responses),
    ("users", Table::Users),
    ("credentials", Table::Credentials),
];

type CheckedTables = Vec<(&'static str, Checked)>;

/// Runs the command. The exit code is 2 if anything was found that is more than a note.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let check = async |store: &Tables| check(store, &options).await;
    let tables = options.store.open(Access::Read, check).await?;
    let mut found = tables.iter().flat_map(|(_, checked)| checked.found.keys());
    let code = if found.all(|finding| finding.is_note()) {
        0
    } else {
        2
    };
    if options.json {
        let by_name: BTreeMap<_, _> = tables.into_iter().collect();
        let json = serde_json::to_string_pretty(&by_name)?;
        print(&json_for_output(json + "\n"))?;
    } else {
        print(&lines(&tables, std::io::stdout().is_terminal()))?;
    }
    Ok(ExitCode::from(code))
}

async fn check(store: &Tables, options: &Options) -> anyhow::Result<CheckedTables> {
    const INCOMPLETE: &str = "the check is incomplete";
    let project = options.project.as_ref();
    if project.is_some() && !store.are_in_a_folder() {
        eprintln!("shards that nothing reads are found without --project only");
    }
    if project.is_none()
        && let Some(bytes) = store.charged_bytes().await.context(INCOMPLETE)?
    {
        confirm_cost(bytes, options.yes)?;
    }
    let progress = Progress::new(None);
    let mut tables = CheckedTables::new();
    for (name, table) in TABLES {
        if table == Table::Credentials && project.is_some() {
            continue;
        }
        let report = |items| progress.show_alone(format!("{} {name} checked", HumanCount(items)));
        let checked = store.check(table, project, report).await;
        tables.push((name, checked.context(INCOMPLETE)?));
    }
    progress.finish();
    Ok(tables)
}

/// Says what a scan of this many bytes costs, and asks whether to go on.
fn confirm_cost(bytes: u64, yes: bool) -> anyhow::Result<()> {
    // An eventually consistent read of 8 KB is a unit, and a million units are $0.125 in most regions.
    let units = bytes.div_ceil(8 << 10);
    let cents = units / 80_000 + 1;
    eprintln!(
        "a scan takes {} read units, less than ${}.{:02} at list prices",
        HumanCount(units),
        cents / 100,
        cents % 100
    );
    if !yes && !confirmed("Scan them?")? {
        bail!("nothing was checked");
    }
    Ok(())
}

/// Returns a line for each table and each finding, and perhaps for each example.
fn lines(tables: &CheckedTables, with_keys: bool) -> String {
    let mut lines = Vec::new();
    for (name, checked) in tables {
        lines.push(format!("{name}: {} checked\n", HumanCount(checked.items)));
        for (finding, found) in &checked.found {
            let count = HumanCount(found.items).to_string();
            lines.push(format!("{count:>9}  {}\n", finding.0));
            let keys = found.examples.iter().filter(|_| with_keys);
            lines.extend(keys.map(|key| format!("{:9}  {key:?}\n", "")));
        }
    }
    lines.concat()
}
