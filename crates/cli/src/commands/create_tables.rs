//! `feedback tables`: creates the tables.

use std::process::ExitCode;

use anyhow::Context;
use tables::Tables;

use super::command_store::{Access, StoreOptions};

const EXAMPLES: &str = "\
Examples:
  feedback tables create
  AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:8000 feedback tables create";

#[derive(clap::Subcommand, Debug)]
pub enum Command {
    /// Create those of the three tables that do not exist
    #[command(after_help = EXAMPLES)]
    Create {
        #[command(flatten)]
        store: StoreOptions,
    },
}

pub async fn run(Command::Create { store }: Command) -> anyhow::Result<ExitCode> {
    let create = async |tables: &Tables| {
        let created = tables.writer.create_missing().await;
        created.context("cannot create the tables")?;
        eprintln!("the tables exist");
        Ok(ExitCode::SUCCESS)
    };
    store.open(Access::Create, create).await
}
