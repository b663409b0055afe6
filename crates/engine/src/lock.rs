//! The lock of a data folder, which the operating system releases when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Locks a folder until the returned file is closed.
///
/// On Unix the folder itself is locked: a file in it could be deleted or replaced, and its new version locked
/// by a second writer. Elsewhere a folder cannot be opened, and an open file cannot be deleted.
pub(super) fn lock(folder: &Path) -> Result<File, TryLockError> {
    let file = open(folder).map_err(TryLockError::Error)?;
    file.try_lock()?;
    Ok(file)
}

#[cfg(unix)]
fn open(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

#[cfg(not(unix))]
fn open(folder: &Path) -> io::Result<File> {
    super::files::open_or_create(&folder.join(super::served::LOCK))
}
