//! The connections to a database: a few that read, which wait for no writer, and the thread that alone writes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use dynoxide::Database;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::{Semaphore, oneshot};
use url::Url;

/// How long a connection waits for others that write or recover the database.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens a connection that changes nothing, to an absolute path or a URI: `SQLite` takes some other paths for URIs.
pub(super) fn connect_to_read(database: impl AsRef<Path>) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(database, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Returns the URI by which `SQLite` opens a database with a parameter of its own, unless the path is not absolute.
pub(super) fn uri(database: &Path, parameter: &str) -> Option<String> {
    let mut uri = Url::from_file_path(database).ok()?;
    uri.set_query(Some(parameter));
    Some(uri.into())
}

/// Read-only connections to a database, each of which reads for one request at a time.
pub(super) struct Readers {
    /// The absolute path of the database.
    database: PathBuf,
    idle: Mutex<Vec<Connection>>,
    /// Limits the connections, and serves requests in their order.
    permits: Arc<Semaphore>,
}

/// Returns how many connections read at the same time.
pub fn max_readers() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (2 * cores).clamp(4, 16)
}

impl Readers {
    pub(super) fn new(database: PathBuf) -> Self {
        Self {
            database,
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(max_readers())),
        }
    }

    /// Runs a function with a connection on a thread that may block. Returns `None` if it panics.
    pub(super) async fn with_reader<T, E>(
        self: &Arc<Self>,
        function: impl FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    ) -> Option<Result<T, E>>
    where
        T: Send + 'static,
        E: From<rusqlite::Error> + Send + 'static,
    {
        // The semaphore is never closed.
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        let readers = self.clone();
        let reading = tokio::task::spawn_blocking(move || {
            // A caller that is gone does not end the reading.
            let _permit = permit;
            let idle = readers.idle().pop();
            let reader = idle.map_or_else(|| connect_to_read(&readers.database), Ok)?;
            let returned = function(&reader);
            readers.idle().push(reader);
            returned
        });
        reading.await.ok()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// dynoxide parses expressions recursively: one of the 4 KB that it accepts takes more than the 2 MB of
/// other threads, and a stack that overflows ends the process. Memory is taken only as it is used.
const STACK: usize = 64 << 20;

pub(super) struct Writing {
    pub(super) dynoxide: Database,
    pub(super) connection: Connection,
}

type Job = Box<dyn FnOnce(&mut Writing) + Send>;

/// Runs functions that write a database, with or without dynoxide, on a thread of its own, one at a time and in
/// their order. Dropping it waits for them and closes the database.
pub(super) struct Writer {
    /// `None` while it is dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(mut writing: Writing) -> std::io::Result<Self> {
        let (jobs, received) = channel::<Job>();
        let thread = Builder::new()
            .name("writer".to_owned())
            .stack_size(STACK)
            .spawn(move || {
                for job in received {
                    let _ = catch_unwind(AssertUnwindSafe(|| job(&mut writing)));
                }
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Runs a function. Returns `None` if it panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        function: impl FnOnce(&mut Writing) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, returned) = oneshot::channel();
        let job: Job = Box::new(move |writing| {
            // The caller may have been dropped before its turn.
            if !sender.is_closed() {
                let _ = sender.send(function(writing));
            }
        });
        self.jobs.as_ref()?.send(job).ok()?;
        returned.await.ok()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
