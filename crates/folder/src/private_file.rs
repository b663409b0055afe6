//! Files with personal data: readable and writable by their owner only, whatever the folder allows.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

const MODE: u32 = 0o600;

pub fn create_new(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(MODE).open(path)
}

/// Restricts a file to its owner, without changing its content; creates it if it does not exist.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.mode(MODE).open(path)?;
    let mut permissions = file.metadata()?.permissions();
    if permissions.mode() & 0o077 != 0 {
        permissions.set_mode(MODE);
        file.set_permissions(permissions)?;
    }
    Ok(())
}

/// Refuses a path at which there is something else than a file, such as a link, or a file with another name, too.
pub(super) fn refuse_elsewhere(path: &Path) -> anyhow::Result<()> {
    let found = path.symlink_metadata();
    let is_elsewhere = found.is_ok_and(|found| !found.is_file() || found.nlink() > 1);
    anyhow::ensure!(!is_elsewhere, "{} is a link or not a file", path.display());
    Ok(())
}
