//! `feedback tables`: the tables themselves.

use crate::target::{Target, reason};

const EXAMPLES: &str = "\
Examples:
  feedback tables create
  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 feedback tables create";

/// What can be done with the tables.
#[derive(clap::Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum Command {
    /// Create the three tables where they are missing
    #[command(after_help = EXAMPLES)]
    Create(Target),
}

/// Runs the command. `Err` is one line for people.
pub async fn run(Command::Create(target): Command) -> Result<(), String> {
    let opened = target.open().await?;
    let outcome = opened.store.create_missing_tables().await;
    opened.close().await;
    outcome.map_err(|error| format!("the tables cannot be created: {}", reason(&error)))?;
    eprintln!("the tables are there");
    Ok(())
}
