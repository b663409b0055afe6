//! Temporary folders, which are deleted when their process ends, or when a later one starts.

use std::fs::Metadata;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;

use super::files::have_one_owner;
use super::lock::lock;

/// What their names begin with.
const PREFIX: &str = "feedback-serve-";

/// Creates a folder that is deleted when this is dropped, and deletes those that killed processes left
/// behind.
pub(super) fn create() -> anyhow::Result<TempDir> {
    let parent = std::env::temp_dir();
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let created = builder.prefix(PREFIX).tempdir_in(&parent);
    let created =
        created.with_context(|| format!("cannot create a folder in {}", parent.display()))?;
    if let Ok(ours) = created.path().symlink_metadata() {
        delete_abandoned(&parent, &ours);
    }
    Ok(created)
}

/// Deletes the temporary folders whose process has ended and whose owner is that of `ours`. Others are not
/// opened, and no link is followed: whoever may write into the parent chooses what is there.
fn delete_abandoned(parent: &Path, ours: &Metadata) {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        // Of a link, these are its own.
        let found = entry.metadata();
        entry.file_name().to_string_lossy().starts_with(PREFIX)
            && found.is_ok_and(|it| it.is_dir() && have_one_owner(&it, ours) && !is_new(&it))
    });
    for folder in ours {
        if let Ok(_lock) = lock(&folder.path()) {
            let _ = std::fs::remove_dir_all(folder.path());
        }
    }
}

/// Returns whether the process that created a folder may not have locked it yet.
fn is_new(folder: &Metadata) -> bool {
    let age = folder.modified().map(|modified| modified.elapsed());
    age.is_ok_and(|age| age.is_ok_and(|age| age < Duration::from_secs(2)))
}
