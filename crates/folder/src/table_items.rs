//! Reads and writes single items in a transaction, without dynoxide.

use dynoxide::storage::compute_hash_prefix;
use encoding::item_size;
use rusqlite::{CachedStatement, OptionalExtension as _, Transaction};

use super::item_error::ItemError;
use super::key::{STRING, StoredKey};

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
        let key = key.0.each_ref();
        let stored = self.reading.query_row(key, |row| row.get(0));
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
