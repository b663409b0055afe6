//! The items in dynoxide's tables, read and written with SQL, without dynoxide and without parsing them: their
//! keys, reads of many, a transaction that changes single ones, and how all of that fails.

use dynoxide::storage::compute_hash_prefix;
use items::{ItemKey, Table, item_size};
use rusqlite::ffi::SQLITE_ERROR;
use rusqlite::{CachedStatement, Connection, Transaction};
use store::ErrorKind;
use tables::ItemChange;

/// The bytes of items that are read at once, or are in one message, but for the last item.
pub(super) const ITEMS_AT_ONCE: usize = 4 << 20;

/// What a stored key of type string begins with.
pub(super) const STRING: &str = "S:";

pub(super) fn key_text(value: &str) -> String {
    format!("{STRING}{value}")
}

/// Returns a key as it is stored: a hash key, and a range key, which is empty in a table without one.
fn stored_key(key: &ItemKey) -> [String; 2] {
    let range = key.range.as_deref().map(key_text);
    [key_text(&key.hash), range.unwrap_or_default()]
}

/// Items that were found by their keys, and how many keys were read.
pub(super) type FoundItems = (Vec<(ItemKey, String)>, usize);

/// Items of the rows after one, and the last of their rows, if there is one.
pub(super) type ItemsAfter = (Vec<String>, Option<i64>);

/// Reads the JSON of the items with these keys until it has this many bytes; keys without an item are skipped.
pub(super) fn with_keys(
    database: &Connection,
    table: Table,
    keys: Vec<ItemKey>,
    max_bytes: usize,
) -> Result<FoundItems, ItemError> {
    // Without a transaction, SQLite would lock and unlock the database for each key.
    let _reading = database.unchecked_transaction()?;
    let name = table.name();
    let sql = format!("SELECT item_json FROM {name} WHERE pk = ?1 AND sk = ?2");
    let mut statement = database.prepare_cached(&sql)?;
    let mut items = Vec::with_capacity(keys.len());
    let mut bytes = 0;
    let mut read = 0;
    for key in keys {
        let mut rows = statement.query(stored_key(&key))?;
        read += 1;
        if let Some(row) = rows.next()? {
            let item: String = row.get(0)?;
            bytes += item.len();
            items.push((key, item));
        }
        if bytes >= max_bytes {
            break;
        }
    }
    Ok((items, read))
}

/// Reads the JSON of some items in the rows after this one.
pub(super) fn after_row(
    database: &Connection,
    table: Table,
    row: i64,
) -> rusqlite::Result<ItemsAfter> {
    let name = table.name();
    let sql = format!("SELECT rowid, item_json FROM {name} WHERE rowid > ?1 ORDER BY rowid");
    let mut statement = database.prepare_cached(&sql)?;
    let mut rows = statement.query([row])?;
    let mut items = Vec::new();
    let mut last = None;
    let mut bytes = 0;
    while bytes < ITEMS_AT_ONCE
        && let Some(row) = rows.next()?
    {
        let item: String = row.get(1)?;
        bytes += item.len();
        last = Some(row.get(0)?);
        items.push(item);
    }
    Ok((items, last))
}

/// Reads the hash keys of responses that begin with this text, in order, without a step for each item.
pub(super) fn hash_keys(database: &Connection, beginning: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = database.prepare_cached("SELECT min(pk) FROM responses WHERE pk >= ?1")?;
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

/// The items of a table in a transaction. Those that are written in the order of their keys touch each page of the
/// indexes once.
pub(super) struct TableItems<'t> {
    inserting: CachedStatement<'t>,
    updating: CachedStatement<'t>,
    deleting: CachedStatement<'t>,
    /// The hash key of the latest item that was inserted, and what dynoxide orders partitions by in a Scan.
    prefix: [String; 2],
}

impl<'t> TableItems<'t> {
    pub(super) fn new(transaction: &'t Transaction<'_>, table: Table) -> rusqlite::Result<Self> {
        let name = table.name();
        let insert = format!(
            "INSERT INTO {name} (pk, sk, item_json, item_size, hash_prefix) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (pk, sk) DO NOTHING"
        );
        let update = format!(
            "UPDATE {name} SET item_json = ?3, item_size = ?4 WHERE pk = ?1 AND sk = ?2 AND item_json = ?5"
        );
        let delete = format!("DELETE FROM {name} WHERE pk = ?1 AND sk = ?2");
        Ok(Self {
            inserting: transaction.prepare_cached(&insert)?,
            updating: transaction.prepare_cached(&update)?,
            deleting: transaction.prepare_cached(&delete)?,
            prefix: Default::default(),
        })
    }

    /// Makes a change; returns whether it was made: not, if the item is no longer as it was read.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub(super) fn replace(&mut self, change: &ItemChange) -> Result<bool, ItemError> {
        let [pk, sk] = stored_key(&change.key);
        let json = &change.after;
        let no_item = || ItemError(ErrorKind::Internal, "not an item of the table".to_owned());
        let size = item_size(json).ok_or_else(no_item)?;
        // The size of an item fits into 64 bits.
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        let rows = if let Some(before) = &change.before {
            self.updating.execute((pk, sk, json, size, before))?
        } else {
            if self.prefix[0] != pk {
                self.prefix = [pk.clone(), hash_prefix(&pk)];
            }
            let [_, prefix] = &self.prefix;
            self.inserting.execute((pk, sk, json, size, prefix))?
        };
        Ok(rows == 1)
    }

    pub(super) fn delete(&mut self, key: &ItemKey) -> Result<(), ItemError> {
        self.deleting.execute(stored_key(key))?;
        Ok(())
    }
}

/// Returns what dynoxide orders partitions by in a Scan.
fn hash_prefix(pk: &str) -> String {
    let hash = pk.strip_prefix(STRING).unwrap_or_default();
    compute_hash_prefix(&dynoxide::AttributeValue::S(hash.to_owned()))
}

/// Why items cannot be read or written: the database, or an item, is at fault in this way.
#[derive(Debug)]
pub(super) struct ItemError(pub(super) ErrorKind, pub(super) String);

impl From<anyhow::Error> for ItemError {
    fn from(error: anyhow::Error) -> Self {
        Self(ErrorKind::Unavailable, format!("{error:#}"))
    }
}

impl From<rusqlite::Error> for ItemError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error() {
            // Of the statements that are run here, because their table is missing.
            Some(error) if error.extended_code == SQLITE_ERROR => {
                Self(ErrorKind::Refused, "the table does not exist".to_owned())
            }
            _ => Self(ErrorKind::Unavailable, error.to_string()),
        }
    }
}
