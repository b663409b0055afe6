//! The data folder of `--data`: it is locked, its files are its owner's alone, and its database is rewritten to
//! erase what was deleted. A temporary one is deleted when its process ends, or when a later one opens any folder.

use std::fmt;
use std::fs::{DirBuilder, File, Metadata, Permissions, TryLockError};
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use items::TableNames;
use rusqlite::Connection;
use server::reachable;
use tempfile::TempDir;
use uuid::Uuid;

use super::access_key::{ACCESS_KEY, AccessKey};
use super::connections::BUSY_TIMEOUT;
use super::private_file;
use super::served_folder::{self, LOCK, ServedFolder};

const DATABASE: &str = "tables.sqlite";
/// What `SQLite` keeps beside the database.
const COMPANIONS: [&str; 2] = [LOG, "tables.sqlite-shm"];
const LOG: &str = "tables.sqlite-wal";
/// The database while it is being rewritten.
const REWRITTEN: &str = "tables.sqlite.new";

/// What the names of temporary folders begin with.
const TEMPORARY_PREFIX: &str = "feedback-data-";

/// A locked data folder. No other `feedback` uses it until this is dropped or the process ends.
pub struct DataFolder {
    path: PathBuf,
    /// Releases the lock when it is closed.
    _locked: File,
    note: File,
    /// A random id of this use of the folder.
    id: String,
    /// The key that its DynamoDB address requires, unless the folder is temporary.
    access_key: Option<AccessKey>,
    /// Whether its last use closed the database.
    was_closed: bool,
    /// Deletes the folder, if it is temporary.
    _temporary: Option<TempDir>,
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
        let unusable = || format!("cannot use the data folder {}", path.display());
        create_private(path).with_context(unusable)?;
        Self::refuse_links(path).with_context(unusable)?;
        refuse_lost_database(path).with_context(unusable)?;
        let locked = match lock(path) {
            Ok(locked) => locked,
            Err(TryLockError::WouldBlock) => return Err(InUse(path.to_owned()).into()),
            Err(TryLockError::Error(error)) => return Err(error).with_context(unusable),
        };
        let note = private_file::open_or_create(&path.join(LOCK)).with_context(unusable)?;
        AccessKey::create_missing(path)?;
        let log = path.join(LOG).metadata();
        let folder = Self {
            path: path.to_owned(),
            _locked: locked,
            note,
            id: Uuid::new_v4().to_string(),
            access_key: Some(AccessKey::read(path)?),
            // SQLite deletes or empties the log.
            was_closed: log.map_or(true, |log| log.len() == 0),
            _temporary: None,
        };
        folder.make_private().with_context(unusable)?;
        folder.delete_rewritten();
        served_folder::write(&folder.note, None).with_context(unusable)?;
        delete_abandoned();
        Ok(folder)
    }

    /// Creates a folder that is deleted when this is dropped.
    pub fn temporary() -> anyhow::Result<Self> {
        let folder = create_temporary()?;
        let opened = Self::open(folder.path())?;
        Ok(Self {
            access_key: None,
            _temporary: Some(folder),
            ..opened
        })
    }

    /// Returns the path of the database, which holds all tables.
    pub fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// Refuses a folder without tables, because a mistyped folder would look like an empty one.
    pub fn require_tables(path: &Path) -> anyhow::Result<()> {
        refuse_lost_database(path)?;
        let is_there = path.join(DATABASE).symlink_metadata().is_ok();
        ensure!(is_there, "there are no tables in {}", path.display());
        Ok(())
    }

    /// Returns the path of the database of a folder that another process may be using.
    pub(super) fn database_of(path: &Path) -> anyhow::Result<PathBuf> {
        Self::refuse_links(path)?;
        refuse_lost_database(path)?;
        Ok(path.join(DATABASE))
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
            folder.join(DATABASE).exists() && (is_database || folder.join(LOCK).exists())
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
        let mut names = [DATABASE, LOCK].into_iter().chain(COMPANIONS);
        names.try_for_each(|name| private_file::refuse_elsewhere(&path.join(name)))
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the key that its DynamoDB address requires of programs; that of a temporary folder accepts any.
    pub(super) fn access_key(&self) -> Option<&AccessKey> {
        self.access_key.as_ref()
    }

    /// Returns whether the last use of the folder closed the database, so that nobody has to check it.
    pub(super) fn was_closed(&self) -> bool {
        self.was_closed
    }

    /// Notes how the commands that find the folder in use reach it. On a full disk, they are refused.
    pub fn note(&self, api: SocketAddr, dynamodb: SocketAddr, tables: TableNames) {
        let served = ServedFolder {
            api: reachable(api),
            dynamodb: reachable(dynamodb),
            tables,
            id: self.id.clone(),
        };
        let _ = served_folder::write(&self.note, Some(&served));
    }

    /// Returns how a folder that is in use is reached, if the process that uses it has noted that. Addresses
    /// of other machines are not followed: whoever can write the file could have records and keys sent there.
    pub fn noted(path: &Path) -> Option<ServedFolder> {
        served_folder::read(&File::open(path.join(LOCK)).ok()?)
    }

    /// Moves what was written from `SQLite`'s log into the database, and syncs it. While another process
    /// reads the database, such as a backup, it remains in the log, which is synced with every write.
    pub fn checkpoint(&self) -> anyhow::Result<()> {
        let checkpoint = || checkpoint(&self.connect()?);
        let _is_busy = checkpoint().context("cannot complete the database")?;
        Ok(())
    }

    /// Rewrites the database, so that its files hold nothing but what is stored. `SQLite` leaves deleted
    /// and replaced text in them. The store must have been stopped. If this fails, the database is as it
    /// was.
    pub fn rewrite(&self) -> anyhow::Result<()> {
        let failed = "cannot rewrite the database";
        let new = self.path.join(REWRITTEN);
        let copied = || -> anyhow::Result<()> {
            let file = private_file::create_new(&new)?;
            let database = self.connect()?;
            // What is left of a stream may hold what was erased.
            database.execute("DELETE FROM _stream_records", [])?;
            database.execute("VACUUM INTO ?1", [&*new.to_string_lossy()])?;
            // Every use of the folder needs this mode, and it cannot be changed while a backup reads.
            let mode = "PRAGMA journal_mode = WAL";
            Connection::open(&new)?.query_row(mode, [], |_| Ok(()))?;
            file.sync_all()?;
            // With an emptied log, the files beside the database say nothing about the new one.
            let busy = checkpoint(&database)?;
            ensure!(!busy, "it is being read");
            Ok(())
        };
        copied()
            .inspect_err(|_| self.delete_rewritten())
            .context(failed)?;
        std::fs::rename(&new, self.database()).context(failed)?;
        let folder = File::open(&self.path).context(failed)?;
        folder.sync_all().context(failed)
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
    /// - then dynoxide, the transactions of `FolderStore::transact`, and what completes a new table, in turn, on
    ///   the thread of the `Writer`;
    /// - after that thread has ended, `checkpoint` and `rewrite`, while nothing else is open here;
    /// - the last connection to close, which empties the log. That may be a reader, also one of a `backup` in
    ///   another process, but `SQLite` lets it do so only when no other connection is open.
    pub(super) fn connect(&self) -> rusqlite::Result<Connection> {
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

/// Locks a folder until the returned file is closed.
///
/// The folder itself is locked: a file in it could be deleted or replaced, and its new version locked by a second
/// writer.
fn lock(folder: &Path) -> Result<File, TryLockError> {
    let locked = File::open(folder).map_err(TryLockError::Error)?;
    locked.try_lock()?;
    Ok(locked)
}

/// Refuses a folder whose database is empty or missing beside its log, which `SQLite` would then delete. It holds
/// acknowledged writes.
fn refuse_lost_database(path: &Path) -> anyhow::Result<()> {
    let length = |name| path.join(name).metadata().map_or(0, |file| file.len());
    // In this order: a database that is being created has content before its log has.
    let log = length(LOG);
    ensure!(
        log == 0 || length(DATABASE) > 0,
        "{DATABASE} is empty or missing, and its log is left: restore a backup into a new folder"
    );
    Ok(())
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

/// Creates a temporary folder that is deleted when this is dropped.
fn create_temporary() -> anyhow::Result<TempDir> {
    let parent = std::env::temp_dir();
    tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o700))
        .prefix(TEMPORARY_PREFIX)
        .tempdir_in(&parent)
        .with_context(|| format!("cannot create a folder in {}", parent.display()))
}

/// Deletes the temporary folders that killed processes of this user left behind: people who are erased
/// elsewhere would live on in them. Folders of others are not opened, and no link is followed, because anyone
/// may write where they are.
fn delete_abandoned() {
    // What this process creates has its owner.
    let Ok(ours) = tempfile::tempfile().and_then(|file| file.metadata()) else {
        return;
    };
    let entries = std::fs::read_dir(std::env::temp_dir());
    for entry in entries.into_iter().flatten().flatten() {
        // Of a link, these are its own.
        let is_ours = entry
            .file_name()
            .to_string_lossy()
            .starts_with(TEMPORARY_PREFIX)
            && entry
                .metadata()
                .is_ok_and(|found| found.is_dir() && found.uid() == ours.uid() && !is_new(&found));
        if is_ours && let Ok(_locked) = lock(&entry.path()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether the process that created a folder may not have locked it yet.
fn is_new(folder: &Metadata) -> bool {
    let age = folder.modified().map(|modified| modified.elapsed());
    age.is_ok_and(|age| age.is_ok_and(|age| age < Duration::from_secs(2)))
}
