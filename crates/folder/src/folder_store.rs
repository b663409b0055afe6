//! The store of a data folder: its database, whose tables commands read and write and the API reads, each with the
//! connection for it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use bytes::Bytes;
use dynoxide::{Database, DynoxideError};
use items::{ItemKey, Partition, Table};
use model::ProjectId;
use rusqlite::ffi::SQLITE_NOTADB;
use rusqlite::{Connection, TransactionBehavior};
use store::{
    CredentialRead, Error, ErrorKind, PageBody, PageRead, ReaderFuture, TableReader, in_time,
};
use tables::{ItemChange, TableWriter, WriterFuture};

use super::connections::{Readers, Writer, Writing, connect_to_read, uri};
use super::data_folder::DataFolder;
use super::dynamodb_operations::{CREATE_TABLE, Operation};
use super::stored_items::{self, FoundItems, ItemError, ItemsAfter, TableItems};
use super::{layout, page_query};

/// The operation of reads of many items, in errors.
pub(super) const READ: &str = "read items";

/// The operation of writes of many items, in errors.
pub(super) const WRITE: &str = "write items";

/// Passes all items to `page`; `after` returns those that follow a row.
pub(super) async fn each_page(
    after: impl AsyncFn(i64) -> Result<ItemsAfter, Error>,
    page: &mut dyn FnMut(Vec<String>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut row = 0;
    while let (items, Some(last)) = after(row).await? {
        page(items)?;
        row = last;
    }
    Ok(())
}

/// Returns the credential that was found by its key, if it was.
pub(super) fn credential_in((found, _): FoundItems) -> CredentialRead {
    CredentialRead {
        item: found.into_iter().next().map(|(_, item)| item),
        // What DynamoDB consumes for the consistent read of a small item.
        capacity_units: 1.0,
    }
}

/// The tables of a data folder. Cloning it is cheap.
#[derive(Clone)]
pub struct FolderStore(Arc<Inner>);

struct Inner {
    failures: WriteFailures,
    readers: Arc<Readers>,
    writer: Writer,
    /// Dropped last: another process may use the folder only when the writer has ended.
    folder: Arc<DataFolder>,
}

impl FolderStore {
    /// Opens the database of a folder, or creates it. Tables that do not exist have to be
    /// [created](Self::create_missing_tables).
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read, or has another version of the layout.
    pub fn open(folder: Arc<DataFolder>) -> anyhow::Result<Self> {
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
        Ok(Self(Arc::new(Inner {
            failures: WriteFailures::default(),
            readers: Arc::new(Readers::new(path)),
            writer: Writer::start(connect(&folder)?).context("cannot start a thread")?,
            folder,
        })))
    }

    /// Creates the tables that do not exist, and completes those whose creation was interrupted.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub async fn create_missing_tables(&self) -> Result<(), Error> {
        for table in Table::ALL {
            let request = layout::creation(table).to_string();
            match self.operate(CREATE_TABLE, request.into()).await {
                Ok(_) | Err(DynoxideError::ResourceInUseException(_)) => {}
                Err(error) => {
                    let (kind, cause) = (ErrorKind::Unavailable, error.to_string());
                    return Err(Error::new(kind, CREATE_TABLE.name, &cause));
                }
            }
        }
        Ok(())
    }

    /// Reads the whole database on a read-only connection, which takes seconds for a large one, unless its last
    /// use closed it. If it is damaged, it stays open until the process ends.
    ///
    /// # Errors
    ///
    /// Fails if the database is damaged, or cannot be read.
    pub async fn check(self) -> anyhow::Result<()> {
        if self.0.folder.was_closed {
            return Ok(());
        }
        let readers = &self.0.readers;
        let check = readers.with_reader(|it| layout::check_pages(it, "quick_check"));
        let checked = check.await.context("the thread failed")?;
        let path = self.0.folder.database();
        if checked.is_err() {
            // Closing the database would delete its log, and the next start would find nothing to check.
            std::mem::forget(self);
        }
        checked
            .with_context(|| format!("cannot read all of {}, so restore a backup", path.display()))
    }

    /// Runs an operation on a request in DynamoDB's JSON, and returns the response.
    pub(super) async fn operate(
        &self,
        operation: Operation,
        request: Bytes,
    ) -> dynoxide::Result<String> {
        // Not the store itself: where it is dropped last, it waits for the thread that runs this.
        let folder = self.folder().clone();
        let operated = self.0.writer.run(move |writing| {
            let response = (operation.run)(&writing.dynoxide, &request);
            if operation.name == CREATE_TABLE.name {
                layout::complete(&mut folder.connect()?)?;
            }
            response
        });
        let operated = operated.await.unwrap_or_else(|| {
            let cause = "the operation panicked".to_owned();
            Err(DynoxideError::InternalServerError(cause))
        });
        operated.inspect_err(|error| self.count_failure(operation.name, error))
    }

    /// Reads the items with these keys until they have this many bytes; returns them, and how many keys were read.
    pub(super) fn some(
        &self,
        table: Table,
        keys: Vec<ItemKey>,
        max_bytes: usize,
    ) -> ReaderFuture<FoundItems> {
        self.read(READ, move |reader| {
            stored_items::with_keys(reader, table, keys, max_bytes)
        })
    }

    /// Reads some items of the rows after this one; returns them, and the last of their rows, if there is one.
    pub(super) fn after_row(&self, table: Table, row: i64) -> ReaderFuture<ItemsAfter> {
        self.read(READ, move |reader| {
            Ok(stored_items::after_row(reader, table, row)?)
        })
    }

    /// Makes changes in one transaction; returns which of them were made.
    pub(super) async fn replace_items(
        &self,
        table: Table,
        changes: Vec<ItemChange>,
    ) -> Result<Vec<bool>, Error> {
        self.transact(table, move |items| {
            changes.iter().map(|change| items.replace(change)).collect()
        })
        .await
    }

    pub(super) async fn delete_items(&self, table: Table, keys: Vec<ItemKey>) -> Result<(), Error> {
        self.transact(table, move |items| {
            keys.iter().try_for_each(|key| items.delete(key))
        })
        .await
    }

    /// Finds the shards of a project, also those that nothing reads, which another program may have written.
    /// Without a project, finds those of all.
    pub(super) fn shards_of(&self, project: Option<&str>) -> ReaderFuture<Vec<Partition>> {
        let beginning = project.map_or(String::new(), |project| format!("{project}#"));
        self.read(READ, move |reader| {
            let keys = stored_items::hash_keys(reader, &beginning)?;
            Ok(keys.into_iter().map(Partition::Responses).collect())
        })
    }

    /// Rewrites the files, so that they hold nothing of what was deleted or replaced. Reads go on meanwhile, and writes
    /// wait.
    pub(super) async fn rewrite_files(&self) -> Result<(), Error> {
        let folder = self.folder().clone();
        self.write("rewrite the files", move |connection| {
            Ok(folder.rewrite(connection)?)
        })
        .await
    }

    /// Runs a function on a connection that reads; `operation` names it in errors.
    fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        function: impl FnOnce(&Connection) -> Result<T, ItemError> + Send + 'static,
    ) -> ReaderFuture<T> {
        let (readers, folder) = (self.0.readers.clone(), self.folder().clone());
        Box::pin(async move {
            let read = readers.with_reader(move |reader| {
                folder.require_in_place()?;
                function(reader)
            });
            returned(operation, read.await)
        })
    }

    /// Runs a function on the connection that writes; `operation` names it in errors.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        operation: &'static str,
        function: impl FnOnce(&mut Connection) -> Result<T, ItemError> + Send + 'static,
    ) -> Result<T, Error> {
        let writer = &self.0.writer;
        let write = writer.run(|writing| function(&mut writing.connection));
        returned(operation, write.await)
    }

    /// Runs a function that changes items of a table in one transaction, which is committed if the function succeeds.
    async fn transact<T: Send + 'static>(
        &self,
        table: Table,
        function: impl FnOnce(&mut TableItems<'_>) -> Result<T, ItemError> + Send + 'static,
    ) -> Result<T, Error> {
        self.write(WRITE, move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let changed = function(&mut TableItems::new(&transaction, table)?)?;
            transaction.commit()?;
            Ok(changed)
        })
        .await
    }

    /// Counts an operation that failed, if it writes and the database refused that.
    fn count_failure(&self, operation: &str, error: &DynoxideError) {
        const WRITES: [&str; 5] = ["Create", "Delete", "Put", "Update", "Write"];
        use DynoxideError::{InternalServerError, SqliteError};
        let is_refused = matches!(error, SqliteError(_) | InternalServerError(_));
        if is_refused && WRITES.iter().any(|write| operation.contains(write)) {
            self.0.failures.count(operation, &error.to_string());
        }
    }

    /// Counts a write of another process that failed, if the database refused it.
    pub(super) fn count_refused(&self, error: &Error) {
        if error.kind() == ErrorKind::Unavailable {
            self.0.failures.count(WRITE, error.code());
        }
    }

    /// Returns how many writes of other processes the database has refused.
    pub fn write_failures(&self) -> u64 {
        self.0.failures.count.load(Ordering::Relaxed)
    }

    pub(super) fn folder(&self) -> &Arc<DataFolder> {
        &self.0.folder
    }
}

#[derive(Default)]
struct WriteFailures {
    count: AtomicU64,
    last_logged: Mutex<Option<Instant>>,
}

impl WriteFailures {
    /// Counts a write, and logs one a minute: a program that imports tries many.
    fn count(&self, operation: &str, error: &str) {
        const PAUSE: Duration = Duration::from_mins(1);
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let mut last = self
            .last_logged
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= PAUSE) {
            *last = Some(Instant::now());
            let reason = if error.contains("disk is full") {
                "the disk is full"
            } else {
                "an error of the database"
            };
            tracing::error!(operation, reason, count, "a write failed");
        }
    }
}

impl TableReader for FolderStore {
    fn page(&self, read: PageRead) -> ReaderFuture<PageBody> {
        let operation = read.operation();
        let page = self.read(operation, move |reader| {
            Ok(page_query::read_page(reader, &read)?.into())
        });
        in_time(operation, page)
    }

    fn credential(&self, digest: String) -> ReaderFuture<CredentialRead> {
        let key = ItemKey::of_credential(&digest);
        let found = self.some(Table::Credentials, vec![key], usize::MAX);
        in_time(READ, Box::pin(async { Ok(credential_in(found.await?)) }))
    }

    /// Fewer than there are shards, because all requests share the connections.
    fn concurrent_pages(&self) -> usize {
        4
    }

    fn has_index(&self) -> bool {
        true
    }
}

impl TableWriter for FolderStore {
    fn get(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, HashMap<ItemKey, String>> {
        Box::pin(async move {
            let (found, _) = self.some(table, keys, usize::MAX).await?;
            Ok(found.into_iter().collect())
        })
    }

    fn all<'a>(
        &'a self,
        table: Table,
        page: &'a mut dyn FnMut(Vec<String>) -> Result<(), Error>,
    ) -> WriterFuture<'a, ()> {
        Box::pin(each_page(
            async move |row| self.after_row(table, row).await,
            page,
        ))
    }

    fn replace(&self, table: Table, changes: Vec<ItemChange>) -> WriterFuture<'_, Vec<bool>> {
        Box::pin(self.replace_items(table, changes))
    }

    fn delete(&self, table: Table, keys: Vec<ItemKey>) -> WriterFuture<'_, ()> {
        Box::pin(self.delete_items(table, keys))
    }

    fn create_missing(&self) -> WriterFuture<'_, ()> {
        Box::pin(self.create_missing_tables())
    }

    fn shards(&self, project: Option<&ProjectId>) -> WriterFuture<'_, Vec<Partition>> {
        self.shards_of(project.map(ProjectId::as_str))
    }

    fn is_exclusive(&self) -> bool {
        true
    }

    fn rewrite(&self) -> WriterFuture<'_, ()> {
        Box::pin(self.rewrite_files())
    }
}

/// Opens the connections that write to a folder.
fn connect(folder: &DataFolder) -> anyhow::Result<Writing> {
    let path = folder.database();
    let database =
        Database::new(&path.to_string_lossy()).or_else(|error| on_full_disk(&path, error));
    let dynoxide = database.map_err(|error| anyhow!("cannot open {}: {error}", path.display()))?;
    let prepared = || -> anyhow::Result<Connection> {
        let connection = folder.connect()?;
        layout::check_version(&connection)?;
        forget_incomplete_tables(&connection)?;
        connection.execute_batch(WRITING)?;
        Ok(connection)
    };
    let connection = prepared().with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Writing {
        dynoxide,
        connection,
    })
}

/// Returns what an operation returned, or that it panicked if that is nothing; its errors name it.
fn returned<T>(
    operation: &'static str,
    returned: Option<Result<T, ItemError>>,
) -> Result<T, Error> {
    match returned {
        Some(Ok(value)) => Ok(value),
        Some(Err(ItemError(kind, code))) => Err(Error::new(kind, operation, &code)),
        None => Err(Error::new(ErrorKind::Internal, operation, "panicked")),
    }
}

/// Opens a database on a full disk, if this error means that the disk is full: the index of `SQLite`'s log is a file,
/// which other processes share, and does not fit. With this VFS, the index is in the memory of this process.
fn on_full_disk(path: &Path, error: DynoxideError) -> dynoxide::Result<Database> {
    let is_full =
        matches!(&error, DynoxideError::SqliteError(cause) if code(cause) == Some(NO_ROOM));
    let database = match uri(path, "vfs=unix-excl") {
        Some(uri) if is_full => Database::new(&uri).map_err(|_| error)?,
        _ => return Err(error),
    };
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
