//! The data folder of `--data`: it is locked, its files are its owner's alone, and its database is rewritten to
//! erase what was deleted. One in which nothing can be written is only read.

use std::fmt;
use std::fs::{DirBuilder, File, Metadata, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail, ensure};
use rusqlite::Connection;
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::access_key::{ACCESS_KEY, AccessKey};
use super::connections::{BUSY_TIMEOUT, ReadSource};
use super::folder_socket;
use super::private_file;
use super::temporary_folder::{self, TemporaryFolder};

pub(super) const DATABASE: &str = "tables.sqlite";
/// What `SQLite` keeps beside the database.
const COMPANIONS: [&str; 2] = [LOG, "tables.sqlite-shm"];
const LOG: &str = "tables.sqlite-wal";
/// What `SQLite` keeps there instead until the database has a log.
const JOURNAL: &str = "tables.sqlite-journal";
/// The database while it is being rewritten.
const REWRITTEN: &str = "tables.sqlite.new";

/// A locked data folder. No other `feedback` uses it until this is dropped or the process ends.
pub struct DataFolder {
    /// Absolute, because `SQLite` takes some other paths for URIs.
    path: PathBuf,
    /// Whether nothing in the folder can be written.
    is_read_only: bool,
    /// The key that its DynamoDB address requires, unless the folder is temporary or only read.
    access_key: Option<AccessKey>,
    /// Whether its last use closed the database.
    was_closed: bool,
    /// Deletes the folder, if it is temporary.
    _temporary: Option<TemporaryFolder>,
    /// Releases the lock when it is closed, after all else.
    locked: File,
}

/// The error of a folder that another process has locked.
#[derive(Debug)]
pub struct InUse(PathBuf);

impl fmt::Display for InUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.0.display();
        write!(f, "the data folder {path} is in use by another feedback")
    }
}

impl std::error::Error for InUse {}

impl DataFolder {
    /// Creates the folder if it does not exist, locks it, and makes its files private. Deletes the temporary
    /// folders that killed processes left behind.
    ///
    /// # Errors
    ///
    /// Fails with [`InUse`] if another process has locked it.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let unusable = || unusable(path);
        ensure!(!path.is_file(), "{}: it is a file", unusable());
        create_private(path).with_context(unusable)?;
        Self::refuse_links(path).with_context(unusable)?;
        refuse_lost_database(path).with_context(unusable)?;
        Self::of_locked(path, lock_or_in_use(path)?)
    }

    /// Opens an existing folder to read it. Where this process may not write, such as on a read-only mount, it
    /// writes nothing; elsewhere this is [`Self::open`].
    ///
    /// # Errors
    ///
    /// Fails with [`InUse`] if another process has locked it, and if nothing can be written while the log of the
    /// database has content, which cannot be read without writing.
    pub fn open_to_read(path: &Path) -> anyhow::Result<Self> {
        if Self::may_be_written(path) {
            Self::open(path)
        } else {
            Self::open_unwritable(path)
        }
    }

    /// Opens a folder in which nothing can be written. Fails as [`Self::open_to_read`] does.
    pub(super) fn open_unwritable(path: &Path) -> anyhow::Result<Self> {
        let unusable = || unusable(path);
        Self::refuse_links(path).with_context(unusable)?;
        refuse_lost_database(path).with_context(unusable)?;
        let locked = lock_or_in_use(path)?;
        for name in [LOG, JOURNAL] {
            ensure!(
                length(path, name) == 0,
                "{}: nothing can be written there, and its log holds writes that are not in the database yet; \
                 use the folder once where it can be written",
                unusable()
            );
        }
        Ok(Self {
            path: std::path::absolute(path).with_context(unusable)?,
            is_read_only: true,
            access_key: None,
            was_closed: true,
            _temporary: None,
            locked,
        })
    }

    /// Returns whether this process may create files in a folder.
    pub(super) fn may_be_written(path: &Path) -> bool {
        let may_write = accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS);
        !matches!(may_write, Err(Errno::ROFS | Errno::ACCESS | Errno::PERM))
    }

    /// Creates a folder that is deleted when this is dropped.
    pub fn temporary() -> anyhow::Result<Self> {
        let (folder, locked) = TemporaryFolder::create()?;
        let opened = Self::of_locked(folder.path(), locked)?;
        Ok(Self {
            access_key: None,
            _temporary: Some(folder),
            ..opened
        })
    }

    /// Prepares a folder that this process has locked.
    fn of_locked(path: &Path, locked: File) -> anyhow::Result<Self> {
        let unusable = || unusable(path);
        AccessKey::create_missing(path)?;
        let folder = Self {
            path: std::path::absolute(path).with_context(unusable)?,
            is_read_only: false,
            access_key: Some(AccessKey::read(path)?),
            // SQLite deletes or empties the log.
            was_closed: length(path, LOG) == 0,
            _temporary: None,
            locked,
        };
        folder.make_private().with_context(unusable)?;
        folder.delete_rewritten();
        temporary_folder::delete_abandoned();
        Ok(folder)
    }

    /// Returns the path of the database, which holds all tables.
    pub fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Returns how the database is read.
    pub(super) fn read_source(&self) -> ReadSource {
        ReadSource {
            database: self.database(),
            // Nobody else writes a locked folder.
            is_immutable: self.is_read_only(),
        }
    }

    /// Returns whether nothing in the folder can be written.
    pub(super) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Refuses a folder without tables, because a mistyped folder would look like an empty one.
    pub fn require_tables(path: &Path) -> anyhow::Result<()> {
        refuse_lost_database(path)?;
        let is_there = path.join(DATABASE).symlink_metadata().is_ok();
        ensure!(is_there, "there are no tables in {}", path.display());
        Ok(())
    }

    /// Returns the absolute path of the database of a folder that another process may be using.
    pub(super) fn database_of(path: &Path) -> anyhow::Result<PathBuf> {
        Self::refuse_links(path)?;
        refuse_lost_database(path)?;
        Ok(std::path::absolute(path.join(DATABASE))?)
    }

    /// Refuses to create this file inside of the folder, or of another one that has been used, or in the
    /// place of a restored database. It could replace the database, `SQLite` would take some names for its
    /// own, and `erase` promises that nothing of a person remains in the folder.
    pub fn refuse_inside(data: Option<&Path>, file: &Path) -> anyhow::Result<()> {
        let failed = || format!("cannot create {}", file.display());
        let parent = file
            .parent()
            .filter(|parent| *parent != Path::new(""))
            .unwrap_or(Path::new("."))
            .canonicalize()
            .with_context(failed)?;
        let data_folder = data.and_then(|data| data.canonicalize().ok());
        let is_database = file.file_name().is_some_and(|name| name == DATABASE);
        let is_used = |folder: &Path| {
            folder.join(DATABASE).exists() && (is_database || folder.join(ACCESS_KEY).exists())
        };
        let is_data = |folder: &Path| data_folder.as_deref() == Some(folder) || is_used(folder);
        if let Some(folder) = parent.ancestors().find(|folder| is_data(folder)) {
            bail!(
                "{}: it is inside the data folder {}",
                failed(),
                folder.display()
            );
        }
        Ok(())
    }

    /// Refuses a folder whose files are links: an erasure would leave what they lead to, and two folders with
    /// one database would have two writers.
    fn refuse_links(path: &Path) -> anyhow::Result<()> {
        let mut names = [DATABASE].into_iter().chain(COMPANIONS);
        names.try_for_each(|name| private_file::refuse_elsewhere(&path.join(name)))
    }

    /// Returns its path, which is absolute.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a folder that is not at its path any more: whatever is there now may be used by another process.
    pub(super) fn require_in_place(&self) -> anyhow::Result<()> {
        let identity = |found: Metadata| (found.dev(), found.ino());
        let locked = self.locked.metadata().map(identity)?;
        let is_here = self.path.metadata().is_ok_and(|it| identity(it) == locked);
        ensure!(
            is_here,
            "{} was moved: start serve again",
            self.path.display()
        );
        Ok(())
    }

    /// Returns the path by which its socket is reached, for as long as this is there.
    pub(super) fn socket(&self) -> std::io::Result<PathBuf> {
        folder_socket::address(&self.path, &self.locked)
    }

    /// Returns the key that its DynamoDB address requires of programs; that of a temporary folder accepts any.
    pub(super) fn access_key(&self) -> Option<&AccessKey> {
        self.access_key.as_ref()
    }

    /// Returns whether the last use of the folder closed the database, so that nobody has to check it.
    pub(super) fn was_closed(&self) -> bool {
        self.was_closed
    }

    /// Moves what was written from `SQLite`'s log into the database, and syncs it. While another process
    /// reads the database, such as a backup, it remains in the log, which is synced with every write.
    pub fn checkpoint(&self) -> anyhow::Result<()> {
        let checkpoint = || checkpoint(&self.connect()?);
        let _is_busy = checkpoint().context("cannot complete the database")?;
        Ok(())
    }

    /// Writes a new database that holds nothing but what is stored, and calls `replace` with the function that puts
    /// it into the place of the old one, which nobody here may have open by then. No other connection may write
    /// meanwhile. If this fails, the database is as it was. A copy ends soon after `is_ending` is set, and fails.
    pub(super) fn rewrite(
        &self,
        is_ending: Arc<AtomicBool>,
        replace: impl FnOnce(&dyn Fn() -> anyhow::Result<()>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let new = self.path.join(REWRITTEN);
        let copied = || -> anyhow::Result<()> {
            self.require_in_place()?;
            let file = private_file::create_new(&new)?;
            let database = self.connect()?;
            // Asked every few microseconds.
            database.progress_handler(1_000, Some(move || is_ending.load(Ordering::Relaxed)));
            // What is left of a stream may hold what was erased.
            database.execute("DELETE FROM _stream_records", [])?;
            database.execute("VACUUM INTO ?1", [&*new.to_string_lossy()])?;
            // Every use of the folder needs this mode, and it cannot be changed while a backup reads.
            let mode = "PRAGMA journal_mode = WAL";
            Connection::open(&new)?.query_row(mode, [], |_| Ok(()))?;
            file.sync_all()?;
            // With an emptied log, the files beside the database say nothing about the new one.
            let busy = checkpoint(&database)?;
            ensure!(
                !busy,
                "it is being read, such as by a backup, or by the check after a crash"
            );
            Ok(())
        };
        copied()
            .and_then(|()| {
                replace(&|| {
                    self.require_in_place()?;
                    std::fs::rename(&new, self.database())?;
                    Ok(File::open(&self.path)?.sync_all()?)
                })
            })
            .inspect_err(|_| self.delete_rewritten())
    }

    /// Deletes the files that an interrupted rewriting left.
    fn delete_rewritten(&self) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let _ = std::fs::remove_file(self.path.join(format!("{REWRITTEN}{suffix}")));
        }
    }

    /// Opens a connection that may write.
    ///
    /// Of the connections of a database, only one may write or checkpoint at a time: in `SQLite` before
    /// 3.51.3, two that do at the same moment can corrupt it. These are all that can:
    ///
    /// - while it is opened, the thread that opens it, before any other exists;
    /// - then dynoxide, the transactions of `FolderStore::transact`, what completes a new table, and `rewrite`, in
    ///   turn, on the thread of the `Writer`, whose first two connections are closed before `rewrite` puts another
    ///   file into the place of the database, and opened again afterwards, as those of all readers are;
    /// - after that thread has ended, `checkpoint`, while nothing else is open here;
    /// - the last connection to close, which empties the log. That may be a reader, also one of a `backup` in
    ///   another process, but `SQLite` lets it do so only when no other connection is open.
    ///
    /// Nothing can be written through one to a folder that is only read.
    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        if self.is_read_only() {
            return self.read_source().connect();
        }
        let database = Connection::open(self.database())?;
        database.busy_timeout(BUSY_TIMEOUT)?;
        Ok(database)
    }

    /// Creates the database before `SQLite` does, which would let others read it. The files beside it
    /// get its permissions.
    fn make_private(&self) -> std::io::Result<()> {
        private_file::make_private(&private_file::open_or_create(&self.database())?)?;
        for name in COMPANIONS.into_iter().chain([ACCESS_KEY]) {
            let path = self.path.join(name);
            if path.exists() {
                private_file::make_private(&private_file::open_or_create(&path)?)?;
            }
        }
        Ok(())
    }
}

fn unusable(path: &Path) -> String {
    format!("cannot use the data folder {}", path.display())
}

/// Locks a folder. Fails with [`InUse`] if another process has locked it.
fn lock_or_in_use(path: &Path) -> anyhow::Result<File> {
    lock(path).map_err(|refused| match refused {
        TryLockError::WouldBlock => InUse(path.to_owned()).into(),
        TryLockError::Error(error) => anyhow::Error::new(error).context(unusable(path)),
    })
}

/// Locks a folder until the returned file is closed.
///
/// The folder itself is locked: a file in it could be deleted or replaced, and its new version locked by a second
/// writer.
pub(super) fn lock(folder: &Path) -> Result<File, TryLockError> {
    let locked = File::open(folder).map_err(TryLockError::Error)?;
    locked.try_lock()?;
    Ok(locked)
}

/// Refuses a folder whose database is empty or missing beside its log, which `SQLite` would then delete. It holds
/// acknowledged writes.
fn refuse_lost_database(path: &Path) -> anyhow::Result<()> {
    // In this order: a database that is being created has content before its log has.
    let log = length(path, LOG);
    ensure!(
        log == 0 || length(path, DATABASE) > 0,
        "{DATABASE} is empty or missing, and its log is left: restore a backup into a new folder"
    );
    Ok(())
}

/// Returns the length of a file of a folder, which is 0 if it is missing.
fn length(folder: &Path, name: &str) -> u64 {
    folder.join(name).metadata().map_or(0, |file| file.len())
}

/// Empties the log of the database into it; returns whether a reader prevents that.
fn checkpoint(database: &Connection) -> rusqlite::Result<bool> {
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
}

/// Creates the folder if it does not exist, readable by its owner only: it will hold personal data.
fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path)
}
