//! `feedback tables`: creates the tables.

use std::process::ExitCode;

use ::tables::{AdminStore, IndexState};
use anyhow::Context;

use super::target::{Access, Target};

const EXAMPLES: &str = "\
Examples:
  feedback tables create
  feedback tables create --index
  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 feedback tables create";

/// The subcommands.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Create those of the three tables that do not exist
    #[command(after_help = EXAMPLES)]
    Create(Create),
}

/// The options of `create`.
#[derive(clap::Args, Debug)]
pub struct Create {
    #[command(flatten)]
    target: Target,

    /// Instead, create the index of outcomes of the existing responses table, unless it exists: functions
    /// read it where `RESPONSES_INDEX` names it, and `serve` needs none
    #[arg(long, conflicts_with = "data")]
    index: bool,
}

/// Runs the command.
pub async fn run(Command::Create(options): Command) -> anyhow::Result<ExitCode> {
    let create = async |store: &AdminStore| {
        if options.index {
            let index = store.create_missing_index().await;
            let IndexState { name, is_filled } = index.context("cannot create the index")?;
            if is_filled {
                eprintln!("the index {name} exists");
            } else {
                eprintln!(
                    "the index {name} is being filled; until it is, the table is read instead"
                );
            }
        } else {
            let created = store.create_missing_tables().await;
            created.context("cannot create the tables")?;
            eprintln!("the tables exist");
        }
        Ok(ExitCode::SUCCESS)
    };
    options.target.open(Access::Create, create).await
}
