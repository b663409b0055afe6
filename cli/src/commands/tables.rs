//! `feedback tables`: creates the tables.

use std::process::ExitCode;

use anyhow::Context;

use crate::store::Target;

const EXAMPLES: &str = "\
Examples:
  feedback tables create
  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 feedback tables create";

/// The subcommands.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Create those of the three tables that do not exist
    #[command(after_help = EXAMPLES)]
    Create(Target),
}

/// Runs the command.
pub async fn run(Command::Create(target): Command) -> anyhow::Result<ExitCode> {
    target
        .with_store(async |store| {
            let created = store.create_missing_tables().await;
            created.context("cannot create the tables")
        })
        .await?;
    eprintln!("the tables exist");
    Ok(ExitCode::SUCCESS)
}
