//! Reads and puts single rows in a transaction.

use dynoxide::storage::compute_hash_prefix;
use encoding::item_size;
use rusqlite::{CachedStatement, OptionalExtension as _, Transaction};
use store::Error;

use super::row_error::{RowError, WRITE, outcome};
use super::row_texts::{STRING, key_text};

/// The rows of a table in a transaction. Those that are put in the order of their keys touch each page of the
/// indexes once.
pub struct TableRows<'t> {
    reading: CachedStatement<'t>,
    inserting: CachedStatement<'t>,
    updating: CachedStatement<'t>,
    deleting: CachedStatement<'t>,
    /// The hash key of the latest new row, and what dynoxide orders partitions by in a Scan.
    prefix: [String; 2],
}

/// A stored item.
#[derive(Debug)]
pub struct Stored {
    row: i64,
    json: String,
}

impl Stored {
    /// Returns the JSON of the item.
    pub fn json(&self) -> &str {
        &self.json
    }
}

impl<'t> TableRows<'t> {
    pub(super) fn new(transaction: &'t Transaction<'_>, name: &str) -> rusqlite::Result<Self> {
        let select = format!("SELECT rowid, item_json FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
        let insert = format!(
            "INSERT INTO \"{name}\" (pk, sk, item_json, item_size, hash_prefix) VALUES (?1, ?2, ?3, ?4, ?5)"
        );
        let update =
            format!("UPDATE \"{name}\" SET item_json = ?2, item_size = ?3 WHERE rowid = ?1");
        let delete = format!("DELETE FROM \"{name}\" WHERE pk = ?1 AND sk = ?2");
        Ok(Self {
            reading: transaction.prepare_cached(&select)?,
            inserting: transaction.prepare_cached(&insert)?,
            updating: transaction.prepare_cached(&update)?,
            deleting: transaction.prepare_cached(&delete)?,
            prefix: Default::default(),
        })
    }

    /// Reads the item with this key, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn get(&mut self, key: [&str; 2]) -> Result<Option<Stored>, Error> {
        outcome(WRITE, Some(self.find(&key.map(key_text))))
    }

    /// Puts an item with this key in the place of what [`get`](Self::get) returned for it.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub fn put(
        &mut self,
        key: [&str; 2],
        stored: Option<&Stored>,
        json: &str,
    ) -> Result<(), Error> {
        outcome(WRITE, Some(self.write(&key.map(key_text), stored, json)))
    }

    /// Reads the item with these texts of a key.
    pub(super) fn find(&mut self, key: &[String; 2]) -> Result<Option<Stored>, RowError> {
        let stored = self.reading.query_row(key.each_ref(), |row| {
            Ok(Stored {
                row: row.get(0)?,
                json: row.get(1)?,
            })
        });
        Ok(stored.optional()?)
    }

    /// Puts the item with these texts of a key.
    pub(super) fn write(
        &mut self,
        [pk, sk]: &[String; 2],
        stored: Option<&Stored>,
        json: &str,
    ) -> Result<(), RowError> {
        let size = item_size(json).ok_or_else(RowError::no_item)?;
        // The size of an item fits into 64 bits.
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if let Some(stored) = stored {
            self.updating.execute((stored.row, json, size))?;
            return Ok(());
        }
        if self.prefix[0] != *pk {
            self.prefix = [pk.clone(), hash_prefix(pk)];
        }
        let [_, prefix] = &self.prefix;
        self.inserting.execute((pk, sk, json, size, prefix))?;
        Ok(())
    }

    /// Deletes the item with these texts of a key, if there is one.
    pub(super) fn delete(&mut self, key: &[String; 2]) -> Result<(), RowError> {
        self.deleting.execute(key.each_ref())?;
        Ok(())
    }
}

/// Returns what dynoxide orders partitions by in a Scan.
fn hash_prefix(pk: &str) -> String {
    let hash = pk.strip_prefix(STRING).unwrap_or_default();
    compute_hash_prefix(&dynoxide::AttributeValue::S(hash.to_owned()))
}
