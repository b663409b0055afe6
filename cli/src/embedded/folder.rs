//! The folder of `--data`.

use std::fs::{DirBuilder, File, TryLockError};
use std::path::{Path, PathBuf};

const DATABASE: &str = "tables.sqlite";

/// A data folder that no other `feedback` uses as long as this lives, however this process ends.
pub(crate) struct DataFolder {
    path: PathBuf,
    _lock: File,
}

impl DataFolder {
    /// Creates the folder when it is missing, and takes it.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let error = |error: std::io::Error| {
            format!("cannot use the data folder {}: {error}", path.display())
        };
        create_private(path).map_err(error)?;
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
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Whether this is a data folder that has been used.
    pub(crate) fn holds_tables(path: &Path) -> bool {
        path.join(DATABASE).exists()
    }
}

/// Creates the folder when it is missing, for nobody else on this machine: it will hold personal
/// data.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
