//! Reads items from dynoxide's tables without dynoxide: on read-only connections, which wait for no
//! writer, and without parsing an item.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::items::PagedTable;
use rusqlite::Connection;
use store::{KeyRange, PageRead};
use tokio::sync::Semaphore;

use super::data_folder::connect_to_read;
use super::item_error::ItemError;
use super::key::{STRING, StoredKey, key_text};
use super::outcomes;
use super::page::PageBody;

/// The largest size of a page as DynamoDB counts it.
const MAX_SIZE: usize = 1 << 20;

/// The largest size of the first page of a shard: those of all shards may be in memory at once.
const FIRST_SIZE: usize = 256 << 10;

/// The largest size of a page of all users: what a list holds for as long as its client takes to read it
/// depends on this.
const LIST_SIZE: usize = 48 << 10;

/// The largest size of a page of the index of outcomes, which has some hundreds of items. Larger ones are
/// not faster, and other requests wait for them.
const OUTCOMES_SIZE: usize = 64 << 10;

/// Read-only connections to a database, each of which reads for one request at a time.
#[derive(Debug)]
pub(super) struct Readers {
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

/// Reads the JSON of the items with these keys; keys without an item are skipped.
pub(super) fn items(
    database: &Connection,
    name: &str,
    keys: impl IntoIterator<Item = Result<StoredKey, ItemError>>,
) -> Result<Vec<String>, ItemError> {
    let sql = format!("SELECT item_json FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
    let mut statement = database.prepare_cached(&sql)?;
    let mut items = Vec::new();
    for key in keys {
        let mut rows = statement.query(key?.0)?;
        if let Some(row) = rows.next()? {
            items.push(row.get(0)?);
        }
    }
    Ok(items)
}

/// Reads the JSON of all items.
pub(super) fn all(database: &Connection, name: &str) -> rusqlite::Result<Vec<String>> {
    let sql = format!("SELECT item_json FROM \"{name}\"");
    let mut statement = database.prepare_cached(&sql)?;
    let items = statement.query_map([], |row| row.get(0))?;
    items.collect()
}

/// Reads the hash keys that begin with this text, in order, without a step for each item.
pub(super) fn hash_keys(
    database: &Connection,
    name: &str,
    beginning: &str,
) -> rusqlite::Result<Vec<String>> {
    let sql = format!("SELECT min(pk) FROM \"{name}\" WHERE pk >= ?1");
    let mut statement = database.prepare_cached(&sql)?;
    let (mut keys, mut least) = (Vec::new(), key_text(beginning));
    while let Some(next) = statement.query_row([&least], |row| row.get::<_, Option<String>>(0))? {
        match next.strip_prefix(STRING) {
            Some(key) if key.starts_with(beginning) => keys.push(key.to_owned()),
            _ => break,
        }
        // The text that sorts directly after this one.
        least = next + "\0";
    }
    Ok(keys)
}

/// Reads a page with one statement, which ends before the response is sent; returns its body as DynamoDB's
/// JSON.
pub(super) fn page(
    database: &Connection,
    name: &str,
    read: &PageRead,
) -> rusqlite::Result<Vec<u8>> {
    let of_outcomes = read.attributes.are_indexed();
    let (sql, values) = query(name, read, of_outcomes);
    let mut statement = database.prepare_cached(&sql)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values))?;
    let mut page = PageBody::new(match read.partition.table {
        PagedTable::Users if read.limit.is_none() => LIST_SIZE,
        PagedTable::Responses if of_outcomes => OUTCOMES_SIZE,
        PagedTable::Responses if read.after.is_none() => FIRST_SIZE,
        PagedTable::Users | PagedTable::Responses => MAX_SIZE,
    });
    let mut indexed = Vec::new();
    while let Some(row) = rows.next()? {
        let key = row.get_ref(0)?.as_str()?;
        let key = key.strip_prefix(STRING).unwrap_or(key);
        let (item, size) = if of_outcomes {
            outcomes::write_item(&mut indexed, key, row, read)?;
            (&*indexed, indexed.len())
        } else {
            // The decoder of the page checks that the text is UTF-8.
            (row.get_ref(1)?.as_bytes()?, row.get(2)?)
        };
        if !page.add(key, item, size, read.limit) {
            break;
        }
    }
    Ok(page.response(read))
}

/// Returns the statement that reads a page from a table or its index of outcomes, and its parameters.
pub(super) fn query(name: &str, read: &PageRead, of_outcomes: bool) -> (String, Vec<String>) {
    let mut sql = if of_outcomes {
        outcomes::selection(name)
    } else {
        format!("SELECT sk, item_json, item_size FROM \"{name}\"")
    };
    sql.push_str(" WHERE pk = ?1");
    let mut values = vec![key_text(&read.partition.key)];
    for (operator, bound) in bounds(read) {
        values.push(key_text(bound));
        write!(sql, " AND sk {operator} ?{}", values.len()).unwrap_or_default();
    }
    sql.push_str(" ORDER BY sk");
    (sql, values)
}

/// Returns the bounds of the range keys of a page. There is one lower bound: `SQLite` would begin at one of
/// two, and skip what precedes the other row by row.
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
