//! Temporary data folders: one is deleted when its process ends or, if that was killed, when a later process opens
//! any data folder.
//!
//! They lie in one private folder of the user, `feedback-UID`, beside other temporary files. Each is locked before
//! it has a marker, and has a marker before it has anything else. So a folder with a marker whose lock can be taken
//! is abandoned, and nothing but such folders is deleted.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, anyhow, ensure};

use super::data_folder::lock;
use super::private_file;

/// The file that marks a folder as temporary. It names the process that created the folder, and when.
const MARKER: &str = "temporary";
/// What the marker begins with.
const MARK: &str = "feedback, process ";

/// A folder that is deleted when this is dropped.
pub(super) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates a folder, and locks it until the returned file is closed.
    pub(super) fn create() -> anyhow::Result<(Self, File)> {
        let parent = private_folder();
        let failed = || format!("cannot create a folder in {}", parent.display());
        match DirBuilder::new().mode(0o700).create(&parent) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(error).with_context(|| format!("cannot create {}", parent.display()));
            }
            _ => {}
        }
        ensure!(
            is_private(&parent),
            "{} is not a private folder of this user: delete it, or set TMPDIR to another folder",
            parent.display()
        );
        let created = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o700))
            .prefix("")
            .tempdir_in(&parent)
            .with_context(failed)?;
        let locked = lock(created.path()).map_err(|error| anyhow!("{}: {error}", failed()))?;
        let folder = Self(created.keep());
        folder.mark().with_context(failed)?;
        Ok((folder, locked))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn mark(&self) -> io::Result<()> {
        let started = SystemTime::now().duration_since(UNIX_EPOCH);
        let seconds = started.map_or(0, |started| started.as_secs());
        let mut marker = private_file::create_new(&self.0.join(MARKER))?;
        let process = std::process::id();
        writeln!(marker, "{MARK}{process}, {seconds} s after 1970")
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = delete(&self.0);
    }
}

/// Deletes the temporary folders that killed processes of this user left behind: people who are erased elsewhere
/// would live on in them.
pub(super) fn delete_abandoned() {
    let parent = private_folder();
    if !is_private(&parent) {
        return;
    }
    let entries = std::fs::read_dir(parent);
    for entry in entries.into_iter().flatten().flatten() {
        // Of a link, this is its own type.
        let is_folder = entry.file_type().is_ok_and(|found| found.is_dir());
        let folder = entry.path();
        if is_folder
            && is_marked(&folder)
            && let Ok(_locked) = lock(&folder)
        {
            let _ = delete(&folder);
        }
    }
}

/// Returns the folder of this user's temporary folders.
fn private_folder() -> PathBuf {
    let user = rustix::process::geteuid();
    std::env::temp_dir().join(format!("feedback-{}", user.as_raw()))
}

/// Returns whether this is a folder, and no link to one, that nobody but this user may use.
fn is_private(path: &Path) -> bool {
    let user = rustix::process::geteuid();
    path.symlink_metadata().is_ok_and(|found| {
        found.is_dir() && found.uid() == user.as_raw() && found.mode() & 0o777 == 0o700
    })
}

fn is_marked(folder: &Path) -> bool {
    let marker = folder.join(MARKER);
    // Opening a pipe would wait.
    let is_file = marker.symlink_metadata().is_ok_and(|found| found.is_file());
    let begins = || -> io::Result<bool> {
        let mut beginning = [0; MARK.len()];
        File::open(&marker)?.read_exact(&mut beginning)?;
        Ok(beginning == MARK.as_bytes())
    };
    is_file && begins().unwrap_or(false)
}

/// Deletes the files of a folder, its marker last, so that the rest of an interrupted deletion is deleted later.
/// A folder in it is not of this program, and stays.
fn delete(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() != MARKER {
            delete_file(&entry.path())?;
        }
    }
    delete_file(&folder.join(MARKER))?;
    std::fs::remove_dir(folder)
}

/// Deletes a file that `SQLite` may be deleting, too.
fn delete_file(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
