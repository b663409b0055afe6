//! Imports records without losing what the tables already know: a record is merged with what is stored, and
//! written on condition that nothing of that has changed since it was read.

use std::collections::{BTreeMap, HashMap};

use engine::{Compared, Engine};
use shared::items::{Item, ResponseItem, UserFacts, key_of};
use shared::model::{Invalid, ProjectId};
use shared::store::{Error, ErrorKind};

use super::backend::Backend;
use super::backoff::Backoff;
use super::dynamodb::{DynamoDb, Update};
use super::merge::{Key, Merged, Merging, RESPONSES, USERS};
use super::{AdminStore, Imported};

/// The records to import, as items and by their keys, in the order of the import and with their
/// positions in it.
type Pending = BTreeMap<Key, Vec<(usize, Item)>>;

/// An item to write.
struct Write {
    key: Key,
    /// What was stored, if anything.
    stored: Option<Item>,
    item: Item,
    merged: Merged,
    /// The number of records that it is merged from.
    count: usize,
    /// The records, if another program may change the item before it is written.
    records: Vec<(usize, Item)>,
}

impl AdminStore {
    /// Writes these records, each with its position in the import. They are merged with what is stored, in
    /// this order.
    ///
    /// # Errors
    ///
    /// Fails if the store does; some records may be written by then.
    pub async fn import_responses(
        &self,
        responses: Vec<(usize, ResponseItem)>,
    ) -> Result<Imported, Error> {
        let items = responses.into_iter();
        let items = items.map(|(position, item)| (position, item.into()));
        self.import(&RESPONSES, items.collect()).await
    }

    /// Creates or updates users with these facts, each with its position in the import, in this order.
    ///
    /// # Errors
    ///
    /// Fails if the store does; some users may be written by then.
    pub async fn import_users(
        &self,
        project: &ProjectId,
        facts: Vec<(usize, UserFacts)>,
    ) -> Result<Imported, Error> {
        // The importer has checked them.
        let invalid = |invalid: Invalid| Error::new(ErrorKind::Internal, IMPORT, invalid.0);
        let items = facts.into_iter().map(|(position, facts)| {
            let item = facts.item(project).map_err(invalid)?;
            Ok((position, item))
        });
        let items = items.collect::<Result<_, Error>>()?;
        self.import(&USERS, items).await
    }

    async fn import(
        &self,
        merging: &Merging,
        items: Vec<(usize, Item)>,
    ) -> Result<Imported, Error> {
        let mut pending = Pending::new();
        for (position, item) in items {
            if let Some(key) = merging.key_of(&item) {
                pending.entry(key).or_default().push((position, item));
            }
        }
        let mut imported = Imported::default();
        let mut backoff = Backoff::default();
        loop {
            let before = pending.len();
            pending = self.import_once(merging, pending, &mut imported).await?;
            if pending.is_empty() {
                return Ok(imported);
            }
            backoff.pause(IMPORT, pending.len() < before).await?;
        }
    }

    /// Returns the records whose items another program changed between reading and writing. If it was this
    /// program, in an attempt whose response was lost, they are unchanged when they are read again.
    async fn import_once(
        &self,
        merging: &Merging,
        pending: Pending,
        imported: &mut Imported,
    ) -> Result<Pending, Error> {
        let mut all_stored = self.stored(merging, &pending).await?;
        let mut writes = Vec::with_capacity(pending.len());
        for (key, records) in pending {
            let stored = match (all_stored.remove(&key), &records[..]) {
                (Some(Compared::Same), [_]) => {
                    imported.unchanged += 1;
                    continue;
                }
                (Some(Compared::Same), records) => records.first().map(|(_, item)| item.clone()),
                (Some(Compared::Other(item)), _) => Some(item),
                (None, _) => None,
            };
            let count = records.len();
            let retained = match &self.backend {
                Backend::DynamoDb(_) => records.clone(),
                Backend::Folder(_) => Vec::new(),
            };
            let mut merged = merging.merge_all(stored.as_ref(), records);
            match merged.item.take() {
                Some(item) if stored.as_ref() != Some(&item) => writes.push(Write {
                    key,
                    stored,
                    item,
                    merged,
                    count,
                    records: retained,
                }),
                _ => {
                    merged.changes = 0;
                    imported.count(count, merged);
                }
            }
        }
        match &self.backend {
            Backend::DynamoDb(tables) => update_merged(tables, merging, writes, imported).await,
            Backend::Folder(engine) => put_merged(engine, merging, writes, imported).await,
        }
    }

    /// Reads what is stored under these keys. Keys without an item are absent.
    async fn stored(
        &self,
        merging: &Merging,
        pending: &Pending,
    ) -> Result<HashMap<Key, Compared>, Error> {
        let records = pending.values().filter_map(|records| records.first());
        let records = records.map(|(_, item)| item);
        if merging.is_of_one_record
            && let Backend::Folder(engine) = &self.backend
        {
            let keys: Vec<_> = pending.keys().collect();
            let records: Vec<_> = records.collect();
            let compared = engine.compare(merging.table, &records).await?.into_iter();
            let of_key = |(position, stored): (usize, _)| {
                Some((keys.get(position).copied()?.clone(), stored))
            };
            return Ok(compared.filter_map(of_key).collect());
        }
        let keys = records.map(|item| key_of(merging.table, item)).collect();
        let items = self.backend.get(merging.table, keys).await?.into_iter();
        let stored = items.filter_map(|item| Some((merging.key_of(&item)?, Compared::Other(item))));
        Ok(stored.collect())
    }
}

/// Puts items that no other program changes.
async fn put_merged(
    engine: &Engine,
    merging: &Merging,
    writes: Vec<Write>,
    imported: &mut Imported,
) -> Result<Pending, Error> {
    let mut items = Vec::with_capacity(writes.len());
    for write in writes {
        items.push(write.item);
        imported.count(write.count, write.merged);
    }
    if !items.is_empty() {
        engine.put(merging.table, items).await?;
    }
    Ok(Pending::new())
}

/// Updates items, each on condition that nothing that is merged has changed; returns the records of those
/// that have.
async fn update_merged(
    tables: &DynamoDb,
    merging: &Merging,
    writes: Vec<Write>,
    imported: &mut Imported,
) -> Result<Pending, Error> {
    let update = |write: &Write| {
        let (set, unless_changed) = merging.update(write.stored.as_ref(), &write.item);
        let (table, key) = (merging.table, key_of(merging.table, &write.item));
        tables.request(&Update {
            table,
            key,
            set,
            unless_changed,
        })
    };
    let updates = writes.into_iter().map(|write| (update(&write), write));
    let mut conflicts = Pending::new();
    for (is_updated, write) in tables.update_all(updates.collect()).await? {
        if is_updated {
            imported.count(write.count, write.merged);
        } else {
            conflicts.insert(write.key, write.records);
        }
    }
    Ok(conflicts)
}

/// The operation, in errors.
const IMPORT: &str = "import";
