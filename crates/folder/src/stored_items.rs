//! The items in dynoxide's tables, read and written with SQL, without dynoxide and without parsing them: their
//! keys, reads of many, a transaction that changes single ones, and how all of that fails.

use dynoxide::storage::compute_hash_prefix;
use encoding::{ItemMembers, item_size};
use model::items::Table;
use rusqlite::ffi::SQLITE_ERROR;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Transaction};
use store::{Error, ErrorKind};

/// What a stored key of type string begins with.
pub(super) const STRING: &str = "S:";

/// Returns a text as a stored key.
pub(super) fn key_text(value: &str) -> String {
    format!("{STRING}{value}")
}

/// The stored key of an item: a hash key, and a range key, which is empty in a table without one.
pub struct StoredKey([String; 2]);

impl StoredKey {
    /// Returns the stored key of an item of a table with a hash key and a range key.
    pub fn new(key: [&str; 2]) -> Self {
        Self(key.map(key_text))
    }

    /// Returns the stored key of an item, which is in DynamoDB's JSON.
    pub(super) fn of_item(table: Table, item: &str) -> Result<Self, ItemError> {
        let item = ItemMembers::of_item(item).ok_or_else(ItemError::no_item)?;
        let stored = |name| match item.string(name) {
            Some(text) => Ok(key_text(&text)),
            None => Err(ItemError::no_item()),
        };
        let (hash, range) = table.key_names();
        let of_range = range.map_or_else(|| Ok(String::new()), stored)?;
        Ok(Self([stored(hash)?, of_range]))
    }
}

/// Reads the JSON of the items with these keys; keys without an item are skipped.
pub(super) fn with_keys(
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
    let mut keys = Vec::new();
    let mut least = key_text(beginning);
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

/// The items of a table in a transaction. Those that are put in the order of their keys touch each page of the
/// indexes once.
pub struct TableItems<'t> {
    reading: CachedStatement<'t>,
    putting: CachedStatement<'t>,
    deleting: CachedStatement<'t>,
    /// The hash key of the latest item that was put, and what dynoxide orders partitions by in a Scan.
    prefix: [String; 2],
}

impl<'t> TableItems<'t> {
    pub(super) fn new(transaction: &'t Transaction<'_>, name: &str) -> rusqlite::Result<Self> {
        let select = format!("SELECT item_json FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
        // A replaced row would move to the end of the table.
        let put = format!(
            "INSERT INTO \"{name}\" (pk, sk, item_json, item_size, hash_prefix) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (pk, sk) DO UPDATE SET item_json = ?3, item_size = ?4"
        );
        let delete = format!("DELETE FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
        Ok(Self {
            reading: transaction.prepare_cached(&select)?,
            putting: transaction.prepare_cached(&put)?,
            deleting: transaction.prepare_cached(&delete)?,
            prefix: Default::default(),
        })
    }

    /// Reads the JSON of the item with this key, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn get(&mut self, key: &StoredKey) -> Result<Option<String>, ItemError> {
        let stored = self.reading.query_row(key.0.each_ref(), |row| row.get(0));
        Ok(stored.optional()?)
    }

    /// Puts an item with this key, in the place of the one that has it.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub fn put(&mut self, StoredKey([pk, sk]): &StoredKey, json: &str) -> Result<(), ItemError> {
        let size = item_size(json).ok_or_else(ItemError::no_item)?;
        // The size of an item fits into 64 bits.
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if self.prefix[0] != *pk {
            self.prefix = [pk.clone(), hash_prefix(pk)];
        }
        let [_, prefix] = &self.prefix;
        self.putting.execute((pk, sk, json, size, prefix))?;
        Ok(())
    }

    /// Deletes the item with this key, if there is one.
    pub(super) fn delete(&mut self, key: &StoredKey) -> Result<(), ItemError> {
        self.deleting.execute(key.0.each_ref())?;
        Ok(())
    }
}

/// Returns what dynoxide orders partitions by in a Scan.
fn hash_prefix(pk: &str) -> String {
    let hash = pk.strip_prefix(STRING).unwrap_or_default();
    compute_hash_prefix(&dynoxide::AttributeValue::S(hash.to_owned()))
}

/// Why items cannot be read or written.
#[derive(Debug)]
pub enum ItemError {
    /// The database, or an item, is at fault in this way.
    Failed(ErrorKind, String),
    /// What was done with the items failed.
    Other(Error),
}

impl ItemError {
    /// An item to write cannot be stored.
    fn no_item() -> Self {
        Self::Failed(ErrorKind::Internal, "not an item of the table".to_owned())
    }
}

impl From<rusqlite::Error> for ItemError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error() {
            // Of the statements that are run here, because their table is missing.
            Some(error) if error.extended_code == SQLITE_ERROR => {
                Self::Failed(ErrorKind::Refused, "the table does not exist".to_owned())
            }
            _ => Self::Failed(ErrorKind::Unavailable, error.to_string()),
        }
    }
}

impl From<Error> for ItemError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}
