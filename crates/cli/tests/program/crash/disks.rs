//! Disks that fill up.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// What the shell runs before a program that is to see the error of a file that is too large, instead of
/// being ended by a signal.
pub(super) const IGNORE_FILE_LIMIT: &str = "trap '' XFSZ";

/// A disk that fills up, and is emptied, while a process writes to it.
pub(super) trait Disk {
    /// Leaves room for this many bytes more, or for files of this length.
    fn fill(&self, process: u32, left: u64);
    fn empty(&self, process: u32);
}

/// The limit of the length of files, which stands in for a full disk where nothing can be mounted.
pub(super) struct FileLimit;

impl Disk for FileLimit {
    fn fill(&self, process: u32, left: u64) {
        limit_files(process, &format!("--fsize={left}:"));
    }

    fn empty(&self, process: u32) {
        limit_files(process, "--fsize=unlimited:");
    }
}

fn limit_files(process: u32, limit: &str) {
    let mut prlimit = Command::new("prlimit");
    let prlimit = prlimit.args(["--pid", &process.to_string(), limit]);
    assert!(prlimit.status().unwrap().success());
}

/// A file system of a few megabytes in memory.
pub(crate) struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// Mounts it; returns `None` if that is not permitted.
    pub(crate) fn mount() -> Option<Self> {
        let disk = Self(tempfile::tempdir().unwrap());
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=32m", "none"]);
        let is_mounted = mount.arg(disk.path()).output().unwrap().status.success();
        is_mounted.then_some(disk)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, or more of it, that leaves this many bytes, about.
    pub(super) fn fill(&self, left: u64) {
        let mut ballast = File::options();
        let ballast = ballast.append(true).create(true);
        let mut ballast = ballast.open(self.path().join("ballast")).unwrap();
        while ballast.write_all(&[0; 4096]).is_ok() {}
        let length = ballast.metadata().unwrap().len();
        ballast.set_len(length.saturating_sub(left)).unwrap();
    }

    pub(super) fn empty(&self) {
        std::fs::remove_file(self.path().join("ballast")).unwrap();
    }

    /// Lets nobody write.
    pub(crate) fn set_read_only(&self) {
        let mut mount = Command::new("mount");
        let mount = mount.args(["-o", "remount,ro"]).arg(self.path());
        assert!(mount.status().unwrap().success());
    }
}

impl Disk for SmallDisk {
    fn fill(&self, _process: u32, left: u64) {
        Self::fill(self, left);
    }

    fn empty(&self, _process: u32) {
        Self::empty(self);
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}
