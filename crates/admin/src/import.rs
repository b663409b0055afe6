//! Imports records without losing what the tables already know: a record is merged with what is stored, and
//! written on condition that nothing of that has changed since it was read. A data folder has one writer, so
//! there what is stored is read in the transaction that writes.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use encoding::EncodedItem;
use folder::{FolderStore, StoredKey, TableItems};
use model::items::PagedTable;
use store::Error;

use super::admin_store::{AdminStore, Backend};
use super::backoff::{Attempt, repeat};
use super::dynamodb::DynamoDbTables;
use super::item::{Item, damaged, decode, encode, string};
use super::merge::{Merged, merge_all, update};

/// What became of imported records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that changed a table.
    pub written: u64,
    /// Records that added nothing.
    pub unchanged: u64,
    /// The positions of records that were not written, because with what is stored they would
    /// exceed DynamoDB's largest item.
    pub too_large: Vec<usize>,
}

impl Imported {
    /// Counts records that were merged into one item.
    fn count(&mut self, records: usize, merged: Merged<'_>) {
        self.written += merged.changes as u64;
        self.unchanged += (records - merged.changes - merged.too_large.len()) as u64;
        self.too_large.extend(merged.too_large);
    }
}

/// A record with its position in the import.
type Positioned = (usize, EncodedItem);

impl AdminStore {
    /// Writes records of a table, each with its position in the import. They are merged with what is stored,
    /// in this order.
    ///
    /// # Errors
    ///
    /// Fails if the store does; some records may be written by then.
    pub async fn import(
        &self,
        table: PagedTable,
        mut records: Vec<Positioned>,
    ) -> Result<Imported, Error> {
        // The sort is stable: records of one key keep their order.
        records.sort_by(|(_, one), (_, other)| one.key().cmp(&other.key()));
        match &self.backend {
            Backend::DynamoDb(tables) => import_on_condition(tables, table, records).await,
            Backend::Folder(folder) => import_alone(folder, table, records).await,
        }
    }
}

/// Divides sorted records by their keys.
fn by_key(records: &[Positioned]) -> impl Iterator<Item = ([&str; 2], &[Positioned])> {
    let of_keys = records.chunk_by(|(_, one), (_, other)| one.key() == other.key());
    of_keys.filter_map(|records| Some((records.first()?.1.key(), records)))
}

fn texts(records: &[Positioned]) -> impl ExactSizeIterator<Item = (usize, &str)> + Clone {
    records
        .iter()
        .map(|(position, record)| (*position, record.json()))
}

/// Imports sorted records into items that no other program changes meanwhile.
async fn import_alone(
    folder: &FolderStore,
    table: PagedTable,
    records: Vec<Positioned>,
) -> Result<Imported, Error> {
    let import = move |items: &mut TableItems<'_>| {
        let mut imported = Imported::default();
        for (key, records) in by_key(&records) {
            let key = StoredKey::new(key);
            let stored = items.get(&key)?;
            let merged = merge_all(table, stored.as_deref(), texts(records)).ok_or_else(damaged)?;
            if let Some(item) = &merged.item {
                items.put(&key, item)?;
            }
            imported.count(records.len(), merged);
        }
        Ok(imported)
    };
    folder.transact(table, import).await
}

/// Imports sorted records into items that other programs may change at any time.
async fn import_on_condition(
    tables: &DynamoDbTables,
    table: PagedTable,
    mut pending: Vec<Positioned>,
) -> Result<Imported, Error> {
    let mut imported = Imported::default();
    let items = by_key(&pending).count();
    repeat(IMPORT, items, async || {
        pending = import_once(tables, table, &pending, &mut imported).await?;
        Ok(match by_key(&pending).count() {
            0 => Attempt::Done(()),
            left => Attempt::Left(left),
        })
    })
    .await?;
    Ok(imported)
}

/// Returns the records whose items another program changed between reading and writing. If it was this
/// program, in an attempt whose response was lost, they are unchanged when they are read again.
async fn import_once(
    tables: &DynamoDbTables,
    table: PagedTable,
    pending: &[Positioned],
    imported: &mut Imported,
) -> Result<Vec<Positioned>, Error> {
    let all_stored = stored(tables, table, pending).await?;
    let mut updates = Vec::new();
    for (key, records) in by_key(pending) {
        let stored = all_stored.get(&key.map(str::to_owned));
        let json = stored.map(|(_, json)| json.as_str());
        let merged = merge_all(table, json, texts(records)).ok_or_else(damaged)?;
        match &merged.item {
            Some(json) => {
                let item = decode(json)?;
                let update = update(table, stored.map(|(item, _)| item), &item);
                updates.push((tables.request(&update), (key, records, merged)));
            }
            None => imported.count(records.len(), merged),
        }
    }
    let mut conflicts = Vec::new();
    for (is_updated, (key, records, merged)) in tables.update_all(updates).await? {
        if is_updated {
            imported.count(records.len(), merged);
        } else {
            conflicts.push((key, records));
        }
    }
    conflicts.sort_by_key(|(key, _)| *key);
    Ok(conflicts
        .iter()
        .flat_map(|(_, records)| *records)
        .cloned()
        .collect())
}

/// Reads what is stored under the keys of these records, as an item and as JSON.
async fn stored(
    tables: &DynamoDbTables,
    table: PagedTable,
    pending: &[Positioned],
) -> Result<HashMap<[String; 2], (Item, String)>, Error> {
    let names = table.key_names();
    let keys = by_key(pending)
        .map(|(key, _)| {
            let values = key.map(|text| AttributeValue::S(text.to_owned()));
            names.map(str::to_owned).into_iter().zip(values).collect()
        })
        .collect();
    let items = tables.get(table.into(), keys).await?.into_iter();
    let stored = items.map(|item| {
        let text = |name| string(&item, name).map(str::to_owned);
        let [hash, range] = names.map(text);
        let key = [hash.ok_or_else(damaged)?, range.ok_or_else(damaged)?];
        let json = encode(&item)?;
        Ok((key, (item, json)))
    });
    stored.collect()
}

/// The operation, in errors.
const IMPORT: &str = "import";
