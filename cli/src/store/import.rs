//! Imports records without losing what the tables already know: a record is merged with what is stored, and
//! written on condition that nothing of that has changed since it was read.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use shared::model::{Invalid, ProjectId};
use shared::store::{Error, ErrorKind};

use super::attributes::{Item, project};
use super::backoff::Backoff;
use super::item::user_item;
use super::merge::{Key, Merged, Merging, RESPONSES, USERS};
use super::{AdminStore, Imported, NewItem, ResponseItem, UserFacts};

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
    pub(crate) async fn import_responses(
        &self,
        responses: Vec<(usize, ResponseItem)>,
    ) -> Result<Imported, Error> {
        let items = responses.into_iter();
        let items = items.map(|(position, ResponseItem(item))| (position, item));
        self.import(&RESPONSES, items.collect()).await
    }

    /// Creates or updates users with these facts, each with its position in the import, in this order.
    pub(crate) async fn import_users(
        &self,
        project: &ProjectId,
        facts: Vec<(usize, UserFacts)>,
    ) -> Result<Imported, Error> {
        // The importer has checked them.
        let invalid = |invalid: Invalid| Error::new(ErrorKind::Internal, IMPORT, invalid.0);
        let items = facts.into_iter().map(|(position, facts)| {
            let item = user_item(project, facts).map_err(invalid)?;
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
            let stored = match all_stored.remove(&key) {
                Some(Stored::Same) => {
                    imported.unchanged += records.len() as u64;
                    continue;
                }
                Some(Stored::Item(item)) => Some(item),
                None => None,
            };
            let count = records.len();
            let retained = if self.is_only_writer() {
                Vec::new()
            } else {
                records.clone()
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
        if self.is_only_writer() {
            self.put_merged(merging, writes, imported).await
        } else {
            self.update_merged(merging, writes, imported).await
        }
    }

    /// Reads what is stored under these keys. Keys without an item are absent.
    async fn stored(
        &self,
        merging: &Merging,
        pending: &Pending,
    ) -> Result<HashMap<Key, Stored>, Error> {
        let table = (merging.table)(&self.tables);
        let first = pending.values().filter_map(|records| records.first());
        let keys: Vec<_> = first.map(|(_, item)| project(item, merging.key)).collect();
        let keys = Arc::new(keys);
        if let Some(engine) = &self.engine {
            let only = pending.values().map(|records| match &records[..] {
                [(_, item)] if merging.is_of_one_record => Some(item),
                _ => None,
            });
            let expected: Vec<_> = only.collect();
            let compared = engine.compare_items(table, keys.clone(), &expected).await?;
            if let Some(compared) = compared {
                let names: Vec<_> = pending.keys().collect();
                let stored = compared.into_iter().filter_map(|(position, item)| {
                    let key = names.get(position).copied()?.clone();
                    Some((key, item.map_or(Stored::Same, Stored::Item)))
                });
                return Ok(stored.collect());
            }
        }
        let items = self.get_all(table, Arc::unwrap_or_clone(keys)).await?;
        let items = items.into_iter();
        let stored = items.filter_map(|item| Some((merging.key_of(&item)?, Stored::Item(item))));
        Ok(stored.collect())
    }

    /// Puts items that no other program changes.
    async fn put_merged(
        &self,
        merging: &Merging,
        writes: Vec<Write>,
        imported: &mut Imported,
    ) -> Result<Pending, Error> {
        let mut items = Vec::with_capacity(writes.len());
        for write in writes {
            let (table, item) = (merging.table, write.item);
            items.push(NewItem { table, item });
            imported.count(write.count, write.merged);
        }
        self.put_all(items).await?;
        Ok(Pending::new())
    }

    /// Updates items, each on condition that nothing that is merged has changed; returns the records of those
    /// that have.
    async fn update_merged(
        &self,
        merging: &Merging,
        writes: Vec<Write>,
        imported: &mut Imported,
    ) -> Result<Pending, Error> {
        let table = (merging.table)(&self.tables);
        let updates = writes.into_iter().map(|write| {
            let (set, unless_changed) = merging.update(write.stored.as_ref(), &write.item);
            let key = project(&write.item, merging.key);
            (self.update(table, key, set, unless_changed), write)
        });
        let updates = updates.collect();
        let mut conflicts = Pending::new();
        for (is_updated, write) in self.update_all(updates).await? {
            if is_updated {
                imported.count(write.count, write.merged);
            } else {
                conflicts.insert(write.key, write.records);
            }
        }
        Ok(conflicts)
    }
}

/// The operation, in errors.
const IMPORT: &str = "import";

/// What is stored under the key of a record.
enum Stored {
    /// Exactly the record, of which there is only one.
    Same,
    Item(Item),
}
