//! Erases a project: deletes its records and, on request, its credentials.

use admin::{AdminStore, RecordCounts};
use anyhow::{Context, bail, ensure};
use encoding::StoredCredential;
use indicatif::HumanCount;
use model::{Credential, ProjectId};
use store::Error;

use crate::commands::confirm::typed;
use crate::commands::credentials::{line, no_digest};
use crate::progress::Progress;

/// How often what other programs store meanwhile is searched for.
pub(super) const MOST_SCANS: usize = 3;

/// What to do after an erasure that failed.
pub(super) const INCOMPLETE: &str = "the erasure is incomplete; run it again to continue";

pub(super) async fn erase(
    store: &AdminStore,
    project: &ProjectId,
    with_credentials: bool,
    yes: bool,
) -> anyhow::Result<()> {
    let RecordCounts { responses, users } = store.count_records(project).await?;
    let stored = store.credentials().await?;
    let of_project = |stored: &&StoredCredential| stored.authorizes(project);
    let credentials: Vec<_> = stored.records.iter().filter(of_project).collect();
    eprintln!(
        "project {project}: {} response records and {} users to delete, {} credentials to {}",
        HumanCount(responses),
        HumanCount(users),
        credentials.len(),
        if with_credentials { "revoke" } else { "keep" }
    );
    let changes = responses + users > 0 || (with_credentials && !credentials.is_empty());
    if changes && !yes && !typed("This cannot be undone.", project.as_str())? {
        bail!("nothing was erased");
    }
    let progress = Progress::new(Some(responses + users));
    let deletion = delete(store, project, &progress).await;
    progress.finish();
    let left = deletion.context(INCOMPLETE)?;
    eprintln!("{} records deleted", HumanCount(progress.position()));
    if with_credentials {
        for stored in credentials {
            revoke(store, stored, project).await.context(INCOMPLETE)?;
        }
        // A damaged one names no project, so it is not deleted.
        let records = stored.records.iter();
        let unknown = records.filter(|stored| stored.credential.is_none());
        let unknown = unknown
            .map(line)
            .chain(stored.damaged.iter().map(|key| no_digest(key)));
        for unknown in unknown {
            eprintln!("kept: {unknown}");
        }
    }
    if left > 0 {
        bail!(
            "other programs still store records of this project ({left} since the last scan): stop them, then run this again"
        );
    }
    warn_of_imports(store);
    Ok(())
}

/// Deletes the records of the project, and those that other programs store meanwhile; returns how many of these
/// remain.
async fn delete(
    store: &AdminStore,
    project: &ProjectId,
    progress: &Progress,
) -> Result<u64, Error> {
    let report = |count| {
        progress.advance(count);
        progress.show(&format!(
            "{} records deleted",
            HumanCount(progress.position())
        ));
    };
    let mut left = 0;
    for _ in 0..MOST_SCANS {
        store.delete_records(project, report).await?;
        if store.is_folder() {
            break;
        }
        let RecordCounts { responses, users } = store.count_records(project).await?;
        left = responses + users;
        if left == 0 {
            break;
        }
    }
    Ok(left)
}

/// Deletes the credential, or only takes the project from it if it authorizes others too.
async fn revoke(
    store: &AdminStore,
    stored: &StoredCredential,
    project: &ProjectId,
) -> anyhow::Result<()> {
    let is_other = |other: &ProjectId| other != project;
    let (digest, line) = (&stored.digest, line(stored));
    match &stored.credential {
        None => {}
        Some(Credential::Account(account)) if account.projects.iter().any(is_other) => {
            let removed = store.remove_project(digest, account, project).await?;
            ensure!(removed, "an account was changed meanwhile: {line}");
            eprintln!("no longer authorizes {project}: {line}");
        }
        Some(_) => {
            store.remove_credential(&digest.to_string()).await?;
            eprintln!("revoked: {line}");
        }
    }
    Ok(())
}

/// Says what no search can see, unless this process alone writes.
pub(super) fn warn_of_imports(store: &AdminStore) {
    if !store.is_folder() {
        eprintln!(
            "an import that runs meanwhile writes its users at its end: let imports end first"
        );
    }
}
