//! Erases a person: deletes the user and anonymizes their response records.

use admin::{AdminStore, ResponseOfUser};
use anyhow::{Context, bail};
use model::{ProjectId, UserId};

use super::project::{INCOMPLETE, MOST_SCANS, warn_of_imports};
use crate::commands::confirm::confirmed;

pub(super) async fn erase(
    store: &AdminStore,
    project: &ProjectId,
    user_id: &UserId,
    yes: bool,
) -> anyhow::Result<()> {
    let (responses, total) = store.responses_of_user(project, user_id).await?;
    let known = store.has_user(project, user_id).await?;
    if !known && responses.is_empty() {
        eprintln!("nothing is stored about this user; {total} response records were searched");
        warn_of_imports(store);
        return Ok(());
    }
    let count = responses.len();
    let user = if known { "1 user" } else { "no user" };
    eprintln!(
        "project {project}: {user} to delete, {count} of {total} response records to anonymize"
    );
    report_keys(&responses, user_id);
    if !yes && !confirmed("This cannot be undone. Erase?")? {
        bail!("nothing was erased");
    }
    let left = anonymize(store, project, user_id, responses)
        .await
        .context(INCOMPLETE)?;
    // The user is deleted last, so that an interrupted erasure remains visible.
    store
        .remove_user(project, user_id)
        .await
        .context(INCOMPLETE)?;
    if left > 0 {
        bail!(
            "other programs still store responses of this user ({left} since the last scan): stop them, then run this again"
        );
    }
    eprintln!("erased; importing an old export would restore the data");
    warn_of_imports(store);
    Ok(())
}

/// Anonymizes these records, and those that other programs store meanwhile; returns how many of these remain.
async fn anonymize(
    store: &AdminStore,
    project: &ProjectId,
    user_id: &UserId,
    mut responses: Vec<ResponseOfUser>,
) -> anyhow::Result<usize> {
    for _ in 0..MOST_SCANS {
        store.anonymize(responses, user_id).await?;
        if store.is_folder() {
            return Ok(0);
        }
        (responses, _) = store.responses_of_user(project, user_id).await?;
        if responses.is_empty() {
            break;
        }
        report_keys(&responses, user_id);
    }
    Ok(responses.len())
}

/// Reports the keys that identify the user. A key cannot be changed.
fn report_keys(responses: &[ResponseOfUser], user_id: &UserId) {
    let keys = responses.iter().map(ResponseOfUser::sort_key);
    let keys: Vec<_> = keys.filter(|key| key.contains(user_id.as_str())).collect();
    if let [first, ..] = &keys[..] {
        eprintln!(
            "the keys of {} response records contain the userId, and stay, such as {first:?}",
            keys.len()
        );
    }
}
