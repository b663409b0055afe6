//! Files with personal data: readable and writable by their owner only, whatever the folder allows.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Creates the file. Fails if it exists.
pub fn create_new(path: &Path) -> io::Result<File> {
    options().write(true).create_new(true).open(path)
}

/// Opens the file without changing its content; creates it if it does not exist.
pub(super) fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = options();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path)
}

/// Restricts an existing file to its owner.
#[cfg(unix)]
pub(super) fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut permissions = file.metadata()?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(MODE);
        file.set_permissions(permissions)?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

/// Refuses what exists and is a link, or not a file.
pub(super) fn refuse_elsewhere(path: &Path) -> anyhow::Result<()> {
    let found = path.symlink_metadata();
    let is_elsewhere = found.is_ok_and(|found| is_elsewhere(&found));
    let path = path.display();
    anyhow::ensure!(!is_elsewhere, "{path} is a link or not a file");
    Ok(())
}

/// Returns whether this is no file, or its content also has another name.
#[cfg(unix)]
fn is_elsewhere(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    !found.is_file() || found.nlink() > 1
}

#[cfg(not(unix))]
fn is_elsewhere(found: &Metadata) -> bool {
    !found.is_file()
}

/// Returns whether both belong to the same user.
#[cfg(unix)]
pub(super) fn have_one_owner(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.uid() == other.uid()
}

#[cfg(not(unix))]
pub(super) fn have_one_owner(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(unix)]
const MODE: u32 = 0o600;

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, MODE);
    options
}
