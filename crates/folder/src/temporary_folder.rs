//! Temporary folders, which are deleted when their process ends, or when a later one opens any folder.

use std::fs::{Metadata, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;

use super::files;
use super::lock::lock;

/// What their names begin with.
const PREFIX: &str = "feedback-data-";

/// Creates a folder that is deleted when this is dropped.
pub(super) fn create() -> anyhow::Result<TempDir> {
    let parent = std::env::temp_dir();
    tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o700))
        .prefix(PREFIX)
        .tempdir_in(&parent)
        .with_context(|| format!("cannot create a folder in {}", parent.display()))
}

/// Deletes the temporary folders that killed processes of this user left behind: people who are erased
/// elsewhere would live on in them. Folders of others are not opened, and no link is followed, because anyone
/// may write where they are.
pub(super) fn delete_abandoned() {
    // What this process creates has its owner.
    let Ok(ours) = tempfile::tempfile().and_then(|file| file.metadata()) else {
        return;
    };
    let entries = std::fs::read_dir(std::env::temp_dir());
    for entry in entries.into_iter().flatten().flatten() {
        // Of a link, these are its own.
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.metadata().is_ok_and(|found| {
                found.is_dir() && files::have_one_owner(&found, &ours) && !is_new(&found)
            });
        if is_ours && let Ok(_locked) = lock(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether the process that created a folder may not have locked it yet.
fn is_new(folder: &Metadata) -> bool {
    let age = folder.modified().map(|modified| modified.elapsed());
    age.is_ok_and(|age| age.is_ok_and(|age| age < Duration::from_secs(2)))
}
