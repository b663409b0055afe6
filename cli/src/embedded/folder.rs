//! The data folder of `--data`.

use std::fs::{DirBuilder, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

const DATABASE: &str = "tables.sqlite";

/// A locked data folder. No other `feedback` uses it until this is dropped or the process ends.
pub(crate) struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Creates the folder if it does not exist, and locks it.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let unusable = || format!("cannot use the data folder {}", path.display());
        create_private(path).with_context(unusable)?;
        let lock = File::create(path.join("lock")).with_context(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => bail!(
                "the data folder {} is in use by another feedback",
                path.display()
            ),
            Err(TryLockError::Error(error)) => Err(error).with_context(unusable),
        }
    }

    /// Returns the path of the database, which holds all tables.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Returns whether this is a data folder with a database.
    pub(crate) fn holds_tables(path: &Path) -> bool {
        path.join(DATABASE).exists()
    }
}

/// Creates the folder if it does not exist, readable by its owner only: it will hold personal data.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
