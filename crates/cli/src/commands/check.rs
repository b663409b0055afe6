//! `feedback check`: finds stored items that the API does not read, or reads as something else.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use anyhow::Context;
use indicatif::HumanCount;
use items::Table;
use model::ProjectId;
use tables::{CheckedItems, Tables};

use super::command_store::{Access, StoreOptions};
use crate::lifecycle::done;
use crate::progress::Progress;
use crate::text::{json_for_output, print};

/// Find mistakes in stored items, which the API leaves out or reads as something else
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Check only the responses and users of this project; by default, scan all tables
    #[arg(long)]
    project: Option<ProjectId>,
    /// Print JSON, with the keys of some items of each kind, which may name people
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreOptions,
}

type CheckedTables = Vec<(&'static str, CheckedItems)>;

/// Runs the command. The exit code is 2 if anything was found that is more than a note.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let check = async |store: &Tables| check(store, &options).await;
    let tables = options.store.open(Access::Read, check).await?;
    let mut found = tables.iter().flat_map(|(_, checked)| checked.found.keys());
    let code = done(found.all(|finding| finding.is_note()));
    if options.json {
        let by_name: BTreeMap<_, _> = tables.into_iter().collect();
        let json = serde_json::to_string_pretty(&by_name)?;
        print(&json_for_output(json + "\n"))?;
    } else {
        print(&lines(&tables, std::io::stdout().is_terminal()))?;
    }
    Ok(code)
}

async fn check(store: &Tables, options: &Options) -> anyhow::Result<CheckedTables> {
    const INCOMPLETE: &str = "the check is incomplete";
    let project = options.project.as_ref();
    if project.is_some() && options.store.data.is_none() {
        eprintln!("shards that nothing reads are found without --project only");
    }
    let progress = Progress::new(None);
    let mut tables = CheckedTables::new();
    for table in [Table::Responses, Table::Users, Table::Credentials] {
        let name = table.name();
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
