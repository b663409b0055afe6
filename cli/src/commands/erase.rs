//! `feedback erase`: erases a person and keeps the figures.

use std::process::ExitCode;

use anyhow::{Context, bail};
use shared::model::{ProjectId, UserId};

use super::confirm::confirmed;
use crate::store::{AdminStore, Target};

/// Delete a user and anonymize their response records
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    /// The user's `userId`
    #[arg(long)]
    user_id: UserId,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    target: Target,
}

/// Runs the command.
pub async fn run(options: Options) -> anyhow::Result<ExitCode> {
    options
        .target
        .with_existing_store(async |store| erase(store, &options).await)
        .await?;
    Ok(ExitCode::SUCCESS)
}

const INCOMPLETE: &str = "the erasure is incomplete; run it again to continue";

async fn erase(store: &AdminStore, options: &Options) -> anyhow::Result<()> {
    let Options {
        project, user_id, ..
    } = options;
    let (responses, total) = store
        .responses_of_user(project, user_id)
        .await
        .context(INCOMPLETE)?;
    let known = store.has_user(project, user_id).await.context(INCOMPLETE)?;
    if !known && responses.is_empty() {
        eprintln!("nothing is stored about this user; {total} response records were searched");
        return Ok(());
    }
    let count = responses.len();
    let user = if known { "1 user" } else { "no user" };
    eprintln!(
        "project {project}: {user} to delete, {count} of {total} response records to anonymize"
    );
    if !options.yes && !confirmed("This cannot be undone. Erase?")? {
        bail!("nothing was erased");
    }
    // The user is deleted last, so that an interrupted erasure remains visible.
    store
        .anonymize(responses, user_id)
        .await
        .context(INCOMPLETE)?;
    store
        .remove_user(project, user_id)
        .await
        .context(INCOMPLETE)?;
    eprintln!("erased; importing an old export would restore the data");
    Ok(())
}
