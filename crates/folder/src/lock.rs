//! The lock of a data folder, which the operating system releases when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::path::Path;

/// Locks a folder until the returned file is closed.
///
/// The folder itself is locked: a file in it could be deleted or replaced, and its new version locked by a second
/// writer.
pub(super) fn lock(folder: &Path) -> Result<File, TryLockError> {
    let folder = File::open(folder).map_err(TryLockError::Error)?;
    folder.try_lock()?;
    Ok(folder)
}
