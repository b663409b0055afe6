//! The data folder of `--data`: it is locked, its files are its owner's alone, and its database is rewritten to
//! erase what was deleted.

use std::fs::{DirBuilder, File, Metadata, Permissions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use rusqlite::Connection;
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;
use tempfile::TempDir;

use super::access_key::{ACCESS_KEY, AccessKey};
use super::connections::BUSY_TIMEOUT;
use super::folder_socket;
use super::private_file;

pub(super) const DATABASE: &str = "tables.sqlite";
const LOG: &str = "tables.sqlite-wal";
/// The database, and what `SQLite` keeps beside it.
const FILES: [&str; 3] = [DATABASE, LOG, "tables.sqlite-shm"];

/// A locked data folder. No other `feedback` uses it until this is dropped or the process ends.
pub struct DataFolder {
    /// Absolute, because `SQLite` takes some other paths for URIs.
    pub(super) path: PathBuf,
    /// The key that its DynamoDB address requires of programs; that of a temporary folder accepts any.
    pub(super) access_key: Option<AccessKey>,
    /// Whether its last use closed the database, so that nobody has to check it.
    pub(super) was_closed: bool,
    /// Deletes the folder, if it is temporary.
    _temporary: Option<TempDir>,
    /// Releases the lock when it is closed, after all else.
    locked: File,
}

/// The error of a folder that another process has locked.
#[derive(Debug, thiserror::Error)]
#[error("the data folder {} is in use by another feedback", .0.display())]
pub struct InUse(PathBuf);

impl DataFolder {
    /// Creates the folder if it does not exist, locks it, and makes its files private.
    ///
    /// # Errors
    ///
    /// Fails with [`InUse`] if another process has locked it, and if nothing can be written there.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let unusable = || unusable(path);
        ensure!(!path.is_file(), "{}: it is a file", unusable());
        create_private(path).with_context(unusable)?;
        Self::refuse_links(path).with_context(unusable)?;
        refuse_lost_database(path).with_context(unusable)?;
        let locked = lock(path)?;
        require_own(path, &locked).with_context(unusable)?;
        require_writable(path).with_context(unusable)?;
        AccessKey::create_missing(path)?;
        let folder = Self {
            path: std::path::absolute(path).with_context(unusable)?,
            access_key: Some(AccessKey::read(path)?),
            // SQLite deletes or empties the log.
            was_closed: length(path, LOG) == 0,
            _temporary: None,
            locked,
        };
        folder.make_private().with_context(unusable)?;
        Ok(folder)
    }

    /// Creates a folder that is deleted when this is dropped.
    pub fn temporary() -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o700))
            .prefix("feedback-")
            .tempdir();
        let parent = std::env::temp_dir();
        let folder =
            folder.with_context(|| format!("cannot create a folder in {}", parent.display()))?;
        let opened = Self::open(folder.path())?;
        Ok(Self {
            access_key: None,
            _temporary: Some(folder),
            ..opened
        })
    }

    pub fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Refuses a folder without tables, because a mistyped folder would look like an empty one.
    pub fn require_tables(path: &Path) -> anyhow::Result<()> {
        refuse_lost_database(path)?;
        ensure!(
            path.join(DATABASE).symlink_metadata().is_ok(),
            "there are no tables in {}",
            path.display()
        );
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
        let file = std::path::absolute(file).with_context(failed)?;
        let parent = file.parent().unwrap_or(&file).canonicalize();
        let data_folder = data.and_then(|data| data.canonicalize().ok());
        let is_database = file.file_name().is_some_and(|name| name == DATABASE);
        let is_data = |folder: &&Path| {
            let is_used = is_database || folder.join(ACCESS_KEY).exists();
            data_folder.as_deref() == Some(*folder) || is_used && folder.join(DATABASE).exists()
        };
        if let Some(folder) = parent.with_context(failed)?.ancestors().find(is_data) {
            bail!(
                "{}: it is inside the data folder {}",
                failed(),
                folder.display()
            );
        }
        Ok(())
    }

    /// Refuses a folder whose files are links: two folders with one database would have two writers.
    fn refuse_links(path: &Path) -> anyhow::Result<()> {
        let mut files = FILES.iter().map(|name| path.join(name));
        files.try_for_each(|file| private_file::refuse_elsewhere(&file))
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

    /// Moves what was written from `SQLite`'s log into the database, and syncs it. While another process
    /// reads the database, such as a backup, it remains in the log, which is synced with every write.
    pub fn checkpoint(&self) -> anyhow::Result<()> {
        let checkpoint = || checkpoint(&self.connect()?);
        let _is_busy = checkpoint().context("cannot complete the database")?;
        Ok(())
    }

    /// Writes the whole database anew and empties its log, through the connection of the [`Writer`], so that the files
    /// hold nothing but what is stored. This takes up to twice the room of the database, beside it.
    ///
    /// # Errors
    ///
    /// Fails if another process reads the database, such as a backup: then its log still holds what was erased.
    ///
    /// [`Writer`]: super::connections::Writer
    pub(super) fn rewrite(&self, database: &Connection) -> anyhow::Result<()> {
        self.require_in_place()?;
        // Where there is room for the data. It applies to the whole process.
        let folder = self.path.to_string_lossy();
        database.pragma_update(None, "temp_store_directory", folder)?;
        // What is left of a stream may hold what was erased.
        database.execute("DELETE FROM _stream_records", [])?;
        database.execute("VACUUM", [])?;
        ensure!(
            !checkpoint(database)?,
            "it is being read, such as by a backup, or by the check after a crash"
        );
        Ok(())
    }

    /// Opens a connection that may write.
    ///
    /// Of the connections of a database, only one may write or checkpoint at a time: in `SQLite` before
    /// 3.51.3, two that do at the same moment can corrupt it. These are all that can:
    ///
    /// - while it is opened, the thread that opens it, before any other exists;
    /// - then dynoxide, the transactions of `FolderStore::transact`, what completes a new table, and `rewrite`, in
    ///   turn, on the thread of the `Writer`;
    /// - after that thread has ended, `checkpoint`, while nothing else is open here;
    /// - the last connection to close, which empties the log. That may be a reader, also one of a `backup` in
    ///   another process, but `SQLite` lets it do so only when no other connection is open.
    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
        let database = Connection::open(self.database())?;
        database.busy_timeout(BUSY_TIMEOUT)?;
        Ok(database)
    }

    /// Creates the database before `SQLite` does, which would let others read it. The files beside it
    /// get its permissions.
    fn make_private(&self) -> anyhow::Result<()> {
        for name in FILES.into_iter().chain([ACCESS_KEY]) {
            let path = self.path.join(name);
            if name == DATABASE || path.exists() {
                let private = private_file::make_private(&path);
                private.with_context(|| format!("{name} cannot be read and written"))?;
            }
        }
        Ok(())
    }
}

pub(super) fn unusable(path: &Path) -> String {
    format!("cannot use the data folder {}", path.display())
}

/// Refuses a folder, or a database in it, of another user than this one or root: its owner could read what is
/// written there, and put something else in its place.
pub(super) fn require_own(path: &Path, folder: &File) -> anyhow::Result<()> {
    let database = path.join(DATABASE).symlink_metadata().ok();
    let owners = [Some(folder.metadata()?), database].into_iter().flatten();
    let mut strangers = owners
        .map(|owned| owned.uid())
        .filter(|it| !is_trusted(*it));
    let Some(owner) = strangers.next() else {
        return Ok(());
    };
    let this = rustix::process::geteuid();
    let advice = if this.is_root() {
        format!("run this as that user: sudo -u '#{owner}' …")
    } else {
        format!("you are user {}", this.as_raw())
    };
    bail!("it belongs to user {owner}, who can read and replace what is stored there; {advice}");
}

pub(super) fn is_trusted(user: u32) -> bool {
    user == 0 || user == rustix::process::geteuid().as_raw()
}

/// Locks a folder until the returned file is closed. Fails with [`InUse`] if another process has locked it.
///
/// The folder itself is locked: a file in it could be deleted or replaced, and its new version locked by a second
/// writer.
fn lock(path: &Path) -> anyhow::Result<File> {
    let folder = File::open(path).with_context(|| unusable(path))?;
    match folder.try_lock() {
        Ok(()) => Ok(folder),
        Err(TryLockError::WouldBlock) => Err(InUse(path.to_owned()).into()),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| unusable(path)),
    }
}

/// Refuses a folder in which this process can write nothing, such as on a read-only mount.
pub(super) fn require_writable(path: &Path) -> anyhow::Result<()> {
    let may_write = accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS);
    ensure!(
        !matches!(may_write, Err(Errno::ROFS | Errno::ACCESS | Errno::PERM)),
        "nothing can be written there; copy the folder to where it can be written"
    );
    Ok(())
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
