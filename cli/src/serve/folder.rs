//! The folder of `--data`.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// A data folder that no other `feedback` uses as long as this lives, however this process ends.
pub(super) struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Creates the folder when it is missing, and takes it.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let error = |error: std::io::Error| {
            format!("cannot use the data folder {}: {error}", path.display())
        };
        std::fs::create_dir_all(path).map_err(error)?;
        let lock = File::create(path.join("lock")).map_err(error)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(format!(
                "the data folder {} is in use by another feedback",
                path.display()
            )),
            Err(TryLockError::Error(cause)) => Err(error(cause)),
        }
    }

    /// The file that holds all tables.
    pub(super) fn database(&self) -> PathBuf {
        self.path.join("tables.sqlite")
    }
}
