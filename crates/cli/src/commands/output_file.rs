//! Files of exports and backups: whole or absent, and readable and writable by their owner only.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tempfile::NamedTempFile;

/// A private file that is whole or absent: it has another name until it is published, and is removed if
/// it is never published.
pub(crate) struct OutputFile {
    path: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
    overwrite: bool,
}

impl OutputFile {
    /// Creates the file beside `path`, where it is to be published; there, it replaces nothing but a file, and
    /// only if it is to overwrite one.
    pub(crate) fn create(path: &Path, overwrite: bool) -> anyhow::Result<Self> {
        let failed = || format!("cannot create {}", path.display());
        if let Ok(found) = path.symlink_metadata() {
            ensure!(overwrite, "{}: it exists", failed());
            ensure!(found.is_file(), "{}: it is not a file", failed());
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let file = tempfile::Builder::new()
            .prefix(".feedback-partial-")
            .tempfile_in(folder)
            .with_context(failed)?;
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            file,
            overwrite,
        })
    }

    pub(crate) fn as_file(&self) -> &File {
        self.file.as_file()
    }

    /// Returns where the file is until it is published.
    pub(crate) fn unpublished_path(&self) -> &Path {
        self.file.path()
    }

    /// Renames the file to its final name once its content is on disk.
    pub(crate) fn publish(self) -> anyhow::Result<()> {
        let failed = || format!("cannot create {}", self.path.display());
        self.file.as_file().sync_all().with_context(failed)?;
        let published = if self.overwrite {
            self.file.persist(&self.path)
        } else {
            self.file.persist_noclobber(&self.path)
        };
        published
            .map_err(|refused| refused.error)
            .with_context(failed)?;
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .with_context(failed)
    }
}
