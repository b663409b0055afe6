//! `feedback erase`: erases a person and keeps the figures, or erases a project.

mod person;
mod project;

use std::process::ExitCode;

use admin::AdminStore;
use anyhow::Context;
use model::{ProjectId, UserId};

use super::stdin::read_text;
use super::target::{Access, Target};

/// Erase a person and keep the figures, or erase all records of a project
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    #[command(flatten)]
    what: What,
    /// With --all: also take the project from all Read Keys and accounts
    #[arg(long, conflicts_with = "user_id")]
    credentials: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    target: Target,
}

#[derive(clap::Args, Debug)]
#[group(required = true, multiple = false)]
struct What {
    /// Delete the user with this `userId` and anonymize their response records; `-` reads it from standard
    /// input, because no command line can hold a NUL
    #[arg(long)]
    user_id: Option<UserId>,
    /// Delete all response records and users of the project
    #[arg(long)]
    all: bool,
}

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    let user_id = match options.what.user_id {
        Some(dash) if dash.as_str() == "-" => Some(given_user_id()?),
        user_id => user_id,
    };
    let (project, yes) = (&options.project, options.yes);
    let erase = async |store: &AdminStore| match &user_id {
        Some(user_id) => person::erase(store, project, user_id, yes).await,
        None => project::erase(store, project, options.credentials, yes).await,
    };
    options.target.open(Access::Erase, erase).await?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the identifier from standard input.
fn given_user_id() -> anyhow::Result<UserId> {
    let text = read_text("the userId", UserId::MAX_BYTES)?;
    text.parse().context("the userId cannot be used")
}
