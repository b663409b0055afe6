//! Temporary folders, which are deleted when their process ends, or when a later one starts.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use tempfile::TempDir;

use super::served::LOCK;

/// What their names begin with.
const PREFIX: &str = "feedback-serve-";

/// Creates a folder that is deleted when this is dropped, and deletes those that killed processes left
/// behind.
pub(super) fn create() -> anyhow::Result<TempDir> {
    let parent = std::env::temp_dir();
    delete_abandoned(&parent);
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder
        .prefix(PREFIX)
        .tempdir_in(&parent)
        .with_context(|| format!("cannot create a folder in {}", parent.display()))
}

/// Deletes the temporary folders whose process has ended. What cannot be deleted is another user's.
fn delete_abandoned(parent: &Path) {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    for entry in entries {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_ours {
            continue;
        }
        // A process that is starting may not have locked its folder yet.
        let age = entry
            .metadata()
            .and_then(|folder| folder.modified()?.elapsed().map_err(io::Error::other));
        let is_new = age.is_ok_and(|age| age < Duration::from_secs(2));
        if !is_new
            && let Ok(lock) = File::open(entry.path().join(LOCK))
            && lock.try_lock().is_ok()
        {
            // Locked until it is deleted.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
