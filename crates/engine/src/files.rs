//! Files with personal data: readable and writable by their owner only, whatever the folder allows.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use tempfile::NamedTempFile;

/// Creates the file. Fails if it exists.
pub fn create_new(path: &Path) -> io::Result<File> {
    options().write(true).create_new(true).open(path)
}

/// Opens the file without changing its content; creates it if it does not exist.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = options();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path)
}

/// Restricts an existing file to its owner.
#[cfg(unix)]
pub fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = file.metadata()?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(MODE);
        file.set_permissions(permissions)?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

/// Returns whether the content also has another name.
#[cfg(unix)]
pub fn is_link(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    found.is_symlink() || (found.is_file() && found.nlink() > 1)
}

#[cfg(not(unix))]
pub fn is_link(found: &Metadata) -> bool {
    found.is_symlink()
}

#[cfg(unix)]
const MODE: u32 = 0o600;

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, MODE);
    options
}

/// What happens to a file that is there already.
#[derive(Clone, Copy)]
pub enum Existing {
    /// It stays, and the error ends with this hint.
    Refuse {
        /// What the user can do.
        hint: &'static str,
    },
    /// It is replaced.
    Replace,
}

/// A private file that is whole or absent: it has another name until it is published, and is removed if
/// it is never published.
pub struct WholeFile {
    path: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
    existing: Existing,
}

impl WholeFile {
    /// Creates the file beside `path`, where it is to be published. Never replaces anything but a file, such
    /// as a device.
    pub fn create(path: &Path, existing: Existing) -> anyhow::Result<Self> {
        let failed = || format!("cannot create {}", path.display());
        if let Ok(found) = path.symlink_metadata() {
            match existing {
                Existing::Refuse { hint } => bail!("{}: it exists; {hint}", failed()),
                Existing::Replace => ensure!(found.is_file(), "{}: it is not a file", failed()),
            }
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
            existing,
        })
    }

    /// Returns the file, to write it.
    pub fn as_file(&self) -> &File {
        self.file.as_file()
    }

    /// Returns where the file is until it is published.
    pub fn unpublished_path(&self) -> &Path {
        self.file.path()
    }

    /// Renames the file to its final name once its content is on disk.
    pub fn publish(self) -> anyhow::Result<()> {
        let failed = || format!("cannot create {}", self.path.display());
        self.file.as_file().sync_all().with_context(failed)?;
        let published = match self.existing {
            Existing::Replace => self.file.persist(&self.path),
            Existing::Refuse { .. } => self.file.persist_noclobber(&self.path),
        };
        published
            .map_err(|refused| refused.error)
            .with_context(failed)?;
        // Only Unix can open a folder.
        #[cfg(unix)]
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .with_context(failed)?;
        Ok(())
    }
}
