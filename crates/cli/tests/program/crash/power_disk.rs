//! A disk whose power is cut.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// An ext4 file system in a file.
pub(super) struct PowerDisk {
    folder: tempfile::TempDir,
    has_power: AtomicBool,
}

impl PowerDisk {
    /// Makes and mounts it.
    ///
    /// # Errors
    ///
    /// Says why that is not possible here.
    pub(super) fn mount() -> Result<Self, String> {
        if !rustix::process::geteuid().is_root() {
            return Err("only root can mount a file system".to_owned());
        }
        let disk = Self {
            folder: tempfile::tempdir().unwrap(),
            has_power: AtomicBool::new(true),
        };
        std::fs::create_dir(disk.path()).unwrap();
        let image = std::fs::File::create(disk.image()).unwrap();
        image.set_len(96 << 20).unwrap();
        try_run(
            Command::new("mkfs.ext4")
                .args(["-q", "-F"])
                .arg(disk.image()),
        )?;
        disk.try_mount()?;
        Ok(disk)
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("disk")
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn try_mount(&self) -> Result<(), String> {
        let mut mount = Command::new("mount");
        try_run(
            mount
                .args(["-o", "loop"])
                .arg(self.image())
                .arg(self.path()),
        )
    }

    /// Returns whether the power is still on: what is acknowledged later is read by nobody.
    pub(super) fn has_power(&self) -> bool {
        self.has_power.load(Ordering::SeqCst)
    }

    /// Waits for this time, and ends all writing at once. What was not synced is lost, and what is written
    /// from then on fails.
    pub(super) fn cut_power_after(&self, time: Duration) {
        // EXT4_IOC_SHUTDOWN, without flushing the log. It has no safe wrapper in Rust. Python starts before
        // the moment.
        const SHUT_DOWN: &str = "import fcntl, os, struct, sys\ndisk = os.open(sys.argv[1], os.O_RDONLY)\nprint(flush=True)\ninput()\nfcntl.ioctl(disk, 0x8004587d, struct.pack('I', 2))";
        let mut python = Command::new("python3");
        python.args(["-c", SHUT_DOWN]).arg(self.path());
        let mut python = python
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0];
        python
            .stdout
            .take()
            .unwrap()
            .read_exact(&mut ready)
            .unwrap();
        std::thread::sleep(time);
        self.has_power.store(false, Ordering::SeqCst);
        python.stdin.take().unwrap().write_all(b"\n").unwrap();
        assert!(python.wait().unwrap().success());
    }

    /// Mounts what is left, which nothing may use.
    pub(super) fn restore(&self) {
        try_run(Command::new("umount").arg(self.path())).unwrap();
        self.try_mount().unwrap();
        self.has_power.store(true, Ordering::SeqCst);
    }
}

impl Drop for PowerDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

fn try_run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let failure = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    output.status.success().then_some(()).ok_or_else(failure)
}
