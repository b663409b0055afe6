//! The database of a folder: the connections to it, and the thread that writes it.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use axum::body::Bytes;
use dynoxide::{Database, DynoxideError};
use model::items::Tables;
use rusqlite::Connection;
use rusqlite::ffi::SQLITE_NOTADB;
use store::LocalRead;
use url::Url;

use super::data_folder::{DataFolder, connect_to_read};
use super::item_error::{ItemError, named};
use super::readers::Readers;
use super::worker::Worker;
use super::{layout, operations};

/// The tables of a data folder. Cloning it is cheap.
#[derive(Clone)]
pub struct FolderStore(Arc<Inner>);

struct Inner {
    tables: Tables,
    readers: Arc<Readers>,
    worker: Worker,
    /// Dropped last: another process may use the folder only when the worker has ended.
    folder: Arc<DataFolder>,
}

impl std::fmt::Debug for FolderStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("FolderStore")
            .finish_non_exhaustive()
    }
}

impl FolderStore {
    pub(super) fn folder(&self) -> &DataFolder {
        &self.0.folder
    }

    /// Reads the whole database on a read-only connection, which takes seconds for a large one, unless its last
    /// use closed it. If it is damaged, it stays open until the process ends.
    ///
    /// # Errors
    ///
    /// Fails if the database is damaged, or cannot be read.
    pub async fn check(self) -> anyhow::Result<()> {
        if self.0.folder.was_closed() {
            return Ok(());
        }
        let check = self
            .0
            .readers
            .with_reader(|it| anyhow::Ok(layout::check_pages(it, "quick_check")?));
        let checked = check.await.context("the thread failed")?;
        let path = self.0.folder.database();
        if checked.is_err() {
            // Closing the database would delete its log, and the next start would find nothing to check.
            std::mem::forget(self);
        }
        checked
            .with_context(|| format!("cannot read all of {}, so restore a backup", path.display()))
    }

    /// Opens the database of a folder, or creates it. Its tables have these names; those that do not exist
    /// have to be [created](Self::create_missing_tables).
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or has another version of the layout.
    pub fn open(folder: Arc<DataFolder>, tables: Tables) -> anyhow::Result<Self> {
        let path = folder.database();
        let unusable = || format!("cannot open {}", path.display());
        // Before dynoxide changes anything. What only a writer can read is checked below.
        let checked = connect_to_read(&path).map_err(anyhow::Error::from);
        if let Err(error) = checked.and_then(|it| layout::check_version(&it)) {
            match error.downcast_ref().and_then(code) {
                Some(NO_ROOM | HOT_JOURNAL) => {}
                Some(SQLITE_NOTADB) => bail!("{}: it is not a database", unusable()),
                _ => bail!("{}: {error}", unusable()),
            }
        }
        let database = Database::new(&path.to_string_lossy())
            .or_else(|error| on_full_disk(&path, error))
            .map_err(|error| anyhow!("{}: {error}", unusable()))?;
        let connected = folder.connect().map_err(anyhow::Error::from);
        let writer = connected
            .and_then(|connection| {
                layout::check_version(&connection)?;
                forget_incomplete_tables(&connection)?;
                connection.execute_batch(WRITING)?;
                Ok(connection)
            })
            .with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self(Arc::new(Inner {
            tables,
            readers: Arc::new(Readers::new(&path)),
            worker: Worker::start(database, writer).context("cannot start a thread")?,
            folder,
        })))
    }

    /// Runs an operation on a request in DynamoDB's JSON, and returns the response.
    pub(super) async fn operate(&self, operation: String, body: Bytes) -> dynoxide::Result<String> {
        let (folder, tables) = (self.0.folder.clone(), self.tables().clone());
        let running = self.0.worker.run(move |database, _| {
            let body = str::from_utf8(&body).map_err(|_| {
                DynoxideError::SerializationException("the body is not UTF-8".to_owned())
            })?;
            let response = operations::run(database, &tables, &operation, body);
            if operation == "CreateTable" {
                layout::complete(&mut folder.connect()?, &tables.responses)?;
            }
            response
        });
        let panicked = || DynoxideError::InternalServerError("the operation panicked".to_owned());
        running.await.unwrap_or_else(|| Err(panicked()))
    }

    /// Runs a function that reads or writes many items. Returns `None` if it panics.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        function: impl FnOnce(&mut Connection) -> Result<T, ItemError> + Send + 'static,
    ) -> Option<Result<T, ItemError>> {
        self.0.worker.run(|_, writer| function(writer)).await
    }

    /// Runs a read; `operation` names it in errors.
    pub(super) fn read<T, E>(
        &self,
        operation: &'static str,
        read: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> LocalRead<T>
    where
        T: Send + 'static,
        E: From<rusqlite::Error> + Into<ItemError> + Send + 'static,
    {
        let readers = self.0.readers.clone();
        Box::pin(async move { named(operation, readers.with_reader(read).await) })
    }

    pub(super) fn tables(&self) -> &Tables {
        &self.0.tables
    }
}

/// Opens a database on a full disk, if this error means that the disk is full: the index of `SQLite`'s log is a file,
/// which other processes share, and does not fit. With this VFS, the index is in the memory of this process.
fn on_full_disk(path: &Path, error: DynoxideError) -> dynoxide::Result<Database> {
    let is_full =
        matches!(&error, DynoxideError::SqliteError(cause) if code(cause) == Some(NO_ROOM));
    let path = std::path::absolute(path).ok().filter(|_| is_full);
    let Some(mut url) = path.and_then(|path| Url::from_file_path(path).ok()) else {
        return Err(error);
    };
    url.set_query(Some("vfs=unix-excl"));
    let database = Database::new(url.as_str()).map_err(|_| error)?;
    tracing::warn!(
        "the disk is full: writes fail until it has room, and backups until this is started again"
    );
    Ok(database)
}

/// Prepares a connection for large transactions of random keys: it gets a cache for the pages of the indexes,
/// and a log that holds several transactions.
const WRITING: &str =
    "PRAGMA synchronous = FULL; PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 16384";

/// The index of `SQLite`'s log has no room on the disk.
const NO_ROOM: i32 = rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

/// A process that was killed has left a journal, which only a writer rolls back.
const HOT_JOURNAL: i32 = rusqlite::ffi::SQLITE_READONLY_ROLLBACK;

fn code(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

/// Forgets tables of which dynoxide wrote the description alone before its process was killed, so that they
/// can be created again.
fn forget_incomplete_tables(database: &Connection) -> rusqlite::Result<()> {
    let missing = "NOT IN (SELECT name FROM sqlite_master WHERE type = 'table')";
    let delete = format!("DELETE FROM _tables WHERE table_name {missing}");
    database.execute(&delete, []).map(drop)
}
