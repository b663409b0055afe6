//! `feedback erase`: what is known of one person goes, the figures stay.

use shared::error::Error;
use shared::model::{ProjectId, UserId};
use shared::store::Store;

use crate::confirm::confirmed;
use crate::target::{Target, reason};

/// Delete a user, and take from their response records who gave them
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The project
    #[arg(long)]
    project: ProjectId,
    /// The user's `userId`
    #[arg(long)]
    user_id: UserId,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    target: Target,
}

/// Runs the command. `Err` is one line for people.
pub async fn run(options: Options) -> Result<(), String> {
    let opened = options.target.open_existing().await?;
    let outcome = erase(&opened.store, &options).await;
    opened.close().await;
    outcome
}

async fn erase(store: &Store, options: &Options) -> Result<(), String> {
    let Options {
        project, user_id, ..
    } = options;
    let failed = |error: Error| {
        format!(
            "not everything is erased: {}; erase again to go on",
            reason(&error)
        )
    };
    let (responses, all) = store
        .responses_of_user(project, user_id)
        .await
        .map_err(failed)?;
    let known = store.has_user(project, user_id).await.map_err(failed)?;
    if !known && responses.is_empty() {
        eprintln!("nothing is known of this user among {all} response records");
        return Ok(());
    }
    let count = responses.len();
    let user = if known { "1 user" } else { "no user" };
    eprintln!(
        "project {project}: {user} to delete, {count} of {all} response records to lose userId and traits"
    );
    if !options.yes && !confirmed("This cannot be undone. Erase?")? {
        return Err("nothing is erased".to_owned());
    }
    // The user goes last: as long as it is there, an interrupted erasure can be seen.
    store.anonymise(responses, user_id).await.map_err(failed)?;
    store.remove_user(project, user_id).await.map_err(failed)?;
    eprintln!("erased; an import of an old export would bring it back");
    Ok(())
}
