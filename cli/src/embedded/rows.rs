//! Reads items from dynoxide's tables without dynoxide: on read-only connections, which wait for no
//! writer, and without parsing an item.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row};
use shared::store::{KeyRange, PageRead};
use tokio::sync::Semaphore;

use super::folder::BUSY_TIMEOUT;
use super::page::Page;
use super::schema::Schemas;

/// Read-only connections to a database, each of which reads for one request at a time.
#[derive(Debug)]
pub(super) struct Rows {
    database: PathBuf,
    idle: Mutex<Vec<Reader>>,
    /// Limits the connections, and serves requests in their order.
    permits: Arc<Semaphore>,
}

/// Why rows do not answer a read.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// There is no such table, or it is not as expected.
    Unfit,
    /// The database cannot be read.
    Failed(rusqlite::Error),
}

impl From<rusqlite::Error> for Unanswered {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns how many connections read at the same time.
pub(crate) fn max_readers() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (2 * cores).clamp(4, 16)
}

impl Rows {
    pub(super) fn new(database: &Path) -> Self {
        Self {
            database: database.to_owned(),
            idle: Mutex::default(),
            permits: Arc::new(Semaphore::new(max_readers())),
        }
    }

    /// Runs a function with a connection on a thread that may block. Returns `None` if it panics.
    pub(super) async fn with_reader<T, E>(
        self: &Arc<Self>,
        function: impl FnOnce(&mut Reader) -> Result<T, E> + Send + 'static,
    ) -> Option<Result<T, E>>
    where
        T: Send + 'static,
        E: From<rusqlite::Error> + Send + 'static,
    {
        // The semaphore is never closed.
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        let rows = self.clone();
        let reading = tokio::task::spawn_blocking(move || {
            // A caller that is gone does not end the reading.
            let _permit = permit;
            let mut reader = rows.reader()?;
            let outcome = function(&mut reader);
            rows.keep(reader);
            outcome
        });
        reading.await.ok()
    }

    fn reader(&self) -> rusqlite::Result<Reader> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        idle.map_or_else(|| Reader::open(&self.database), Ok)
    }

    fn keep(&self, reader: Reader) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(reader);
    }
}

/// A read-only connection.
#[derive(Debug)]
pub(super) struct Reader {
    connection: Connection,
    schemas: Schemas,
}

impl Reader {
    fn open(database: &Path) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(database, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        Ok(Self {
            connection,
            schemas: Schemas::default(),
        })
    }

    /// Passes over all items with this hash key. Converts the JSON of those that contain a text, and counts
    /// all.
    pub(super) fn containing<T>(
        &mut self,
        table: &str,
        hash: &str,
        text: &str,
        convert: impl Fn(&[u8]) -> T,
    ) -> Result<(Vec<T>, u64), Unanswered> {
        let transaction = self.connection.unchecked_transaction()?;
        if self.schemas.keys(&transaction, table)?.is_none() {
            return Err(Unanswered::Unfit);
        }
        let sql = format!("SELECT item_json FROM \"{table}\" WHERE pk = ?1");
        let mut statement = transaction.prepare_cached(&sql)?;
        let mut rows = statement.query([key_text(hash)])?;
        let (mut found, mut count) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            count += 1;
            let json = row.get_ref(0)?.as_str().map_err(wrong_type)?;
            if json.contains(text) {
                found.push(convert(json.as_bytes()));
            }
        }
        Ok((found, count))
    }

    /// Reads the JSON of the item with this key, in a table without a range key.
    pub(super) fn item(
        &mut self,
        table: &str,
        name: &str,
        key: &str,
    ) -> Result<Option<Vec<u8>>, Unanswered> {
        let transaction = self.connection.unchecked_transaction()?;
        let keys = self.schemas.keys(&transaction, table)?;
        keys.filter(|keys| keys.hash == name && keys.range.is_none())
            .ok_or(Unanswered::Unfit)?;
        let sql = format!("SELECT item_json FROM \"{table}\" WHERE pk = ?1 AND sk = ''");
        let mut statement = transaction.prepare_cached(&sql)?;
        let json = statement.query_row([key_text(key)], |row| bytes(row, 0).map(<[u8]>::to_vec));
        Ok(json.optional()?)
    }

    /// Reads a page in one transaction, which ends before the response is sent; returns it as DynamoDB's JSON.
    pub(super) fn page(&mut self, table: &str, read: &PageRead) -> Result<Vec<u8>, Unanswered> {
        let transaction = self.connection.unchecked_transaction()?;
        let keys = self.schemas.keys(&transaction, table)?;
        let [hash, range] = read.table.key_names();
        keys.filter(|keys| keys.hash == hash && keys.range.as_deref() == Some(range))
            .ok_or(Unanswered::Unfit)?;
        let mut sql = format!("SELECT sk, item_json, item_size FROM \"{table}\" WHERE pk = ?1");
        let mut values = vec![key_text(&read.hash)];
        for (operator, bound) in bounds(read) {
            values.push(key_text(bound));
            write!(sql, " AND sk {operator} ?{}", values.len()).unwrap_or_default();
        }
        sql.push_str(" ORDER BY sk");
        let mut statement = transaction.prepare_cached(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        let mut page = Page::new();
        while let Some(row) = rows.next()? {
            let key = row.get_ref(0)?.as_str().map_err(wrong_type)?;
            let key = key.strip_prefix(STRING).unwrap_or(key);
            if !page.add(key, bytes(row, 1)?, row.get(2)?, read.limit) {
                break;
            }
        }
        Ok(page.response(table, read))
    }
}

/// Returns the bounds of the range keys of a page. There is one lower bound: SQLite would begin at one of two, and skip
/// what precedes the other row by row.
fn bounds(read: &PageRead) -> impl Iterator<Item = (&'static str, &str)> {
    let [low, high] = match &read.range {
        KeyRange::All => [None, None],
        KeyRange::Equal(key) => [Some(key), Some(key)],
        KeyRange::Between([low, high]) => [Some(low), Some(high)],
    };
    let low = match &read.after {
        Some(after) => Some((">", after)),
        None => low.map(|low| (">=", low)),
    };
    let high = high.map(|high| ("<=", high));
    let bounds = low.into_iter().chain(high);
    bounds.map(|(operator, bound)| (operator, bound.as_str()))
}

/// What a stored key of type string begins with.
const STRING: &str = "S:";

pub(super) fn key_text(value: &str) -> String {
    format!("{STRING}{value}")
}

/// Returns a text without checking that it is UTF-8, which the decoder of the page does.
pub(super) fn bytes<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    row.get_ref(column)?.as_bytes().map_err(wrong_type)
}

fn wrong_type(error: FromSqlError) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error))
}
