//! Imports response records without losing what the tables already know.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use shared::store::Error;

use super::attributes::{Item, project, string};
use super::backoff::Backoff;
use super::merge::response_changes;
use super::size::fits;
use super::{AdminStore, IN_FLIGHT, Imported, NewItem, ResponseItem};

const KEY: [&str; 2] = ["shard", "at"];

/// The values of [`KEY`].
type Key = [String; 2];

/// A record to write, and the positions in the import of those that it is merged from.
struct Pending {
    item: Item,
    records: Vec<usize>,
}

/// A stored item, and its attributes that change.
struct Change {
    key: Key,
    pending: Pending,
    stored: Item,
    changes: Item,
}

impl AdminStore {
    /// Writes these records, each with its position in the import. A stored record is merged with
    /// the new one, and records with the same key are merged in their order.
    pub(crate) async fn import_responses(
        &self,
        responses: Vec<(usize, ResponseItem)>,
    ) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        let mut pending: BTreeMap<Key, Pending> = BTreeMap::new();
        for (record, ResponseItem { key, item }) in responses {
            let new = Pending {
                item,
                records: vec![record],
            };
            match pending.remove(&key) {
                None => drop(pending.insert(key, new)),
                Some(earlier) => drop(pending.insert(key, fold(earlier, new, &mut imported))),
            }
        }
        let mut backoff = Backoff::default();
        while !pending.is_empty() {
            let before = pending.len();
            pending = self.import_once(pending, &mut imported).await?;
            if !pending.is_empty() {
                let progress = pending.len() < before;
                backoff.pause("import responses", progress).await?;
            }
        }
        Ok(imported)
    }

    /// Returns the records that another program changed between reading and writing.
    async fn import_once(
        &self,
        mut new: BTreeMap<Key, Pending>,
        imported: &mut Imported,
    ) -> Result<BTreeMap<Key, Pending>, Error> {
        let mut updates = Vec::new();
        for (key, stored) in self.compare_responses(&new).await? {
            let Some(pending) = new.remove(&key) else {
                continue;
            };
            let Some(stored) = stored else {
                imported.unchanged += pending.records.len() as u64;
                continue;
            };
            let changes = response_changes(&stored, &pending.item);
            if changes.is_empty() {
                imported.unchanged += pending.records.len() as u64;
            } else if !fits(&stored, &changes) {
                imported.too_large.extend(pending.records);
            } else {
                updates.push(Change {
                    key,
                    pending,
                    stored,
                    changes,
                });
            }
        }
        for new in new.values() {
            imported.count_written(new.records.len());
        }
        let mut puts: Vec<_> = new
            .into_values()
            .map(|new| NewItem::response(new.item))
            .collect();
        if self.is_only_writer() {
            for change in updates.drain(..) {
                imported.count_written(change.pending.records.len());
                puts.push(NewItem::response(with(change.stored, change.changes)));
            }
        }
        self.put_all(puts).await?;
        self.apply(updates, imported).await
    }

    /// Returns the keys of these records under which an item is stored, and the item unless it is the same.
    async fn compare_responses(
        &self,
        new: &BTreeMap<Key, Pending>,
    ) -> Result<Vec<(Key, Option<Item>)>, Error> {
        let table = &self.tables.responses;
        let items: Vec<_> = new.values().map(|new| &new.item).collect();
        let keys: Vec<_> = items.iter().map(|item| project(item, KEY)).collect();
        let keys = Arc::new(keys);
        if let Some(engine) = &self.engine
            && let Some(compared) = engine.compare_items(table, keys.clone(), &items).await?
        {
            let of_keys: Vec<_> = new.keys().collect();
            let compared = compared.into_iter();
            let compared =
                compared.filter_map(|(n, item)| Some(((*of_keys.get(n)?).clone(), item)));
            return Ok(compared.collect());
        }
        let stored = self.get_all(table, Arc::unwrap_or_clone(keys)).await?;
        let stored = stored.into_iter();
        let stored = stored.filter_map(|item| Some((key_of(&item)?, Some(item))));
        Ok(stored.collect())
    }

    /// Updates stored items; returns the records whose item changed after it was read.
    async fn apply(
        &self,
        updates: Vec<Change>,
        imported: &mut Imported,
    ) -> Result<BTreeMap<Key, Pending>, Error> {
        let outcomes: Vec<_> = stream::iter(updates)
            .map(async |change| {
                let changes_traits = change.changes.contains_key("traits");
                let unless_changed = ["rating", "dismissed", "userId"].into_iter();
                let unless_changed = unless_changed
                    .chain(changes_traits.then_some("traits"))
                    .map(|name| (name, change.stored.get(name)));
                let attributes = change
                    .changes
                    .iter()
                    .map(|(name, value)| (name.as_str(), Some(value.clone())));
                let key = project(&change.stored, KEY);
                let is_updated = self
                    .update(&self.tables.responses, key, attributes, unless_changed)
                    .await?;
                Ok::<_, Error>((is_updated, change.key, change.pending))
            })
            .buffer_unordered(IN_FLIGHT)
            .try_collect()
            .await?;
        let mut conflicts = BTreeMap::new();
        for (is_updated, key, pending) in outcomes {
            if is_updated {
                imported.count_written(pending.records.len());
            } else {
                conflicts.insert(key, pending);
            }
        }
        Ok(conflicts)
    }
}

/// Merges a record with an earlier one of the same key. If the result is too large, keeps the
/// earlier one.
fn fold(mut earlier: Pending, later: Pending, imported: &mut Imported) -> Pending {
    let changes = response_changes(&earlier.item, &later.item);
    if !fits(&earlier.item, &changes) {
        imported.too_large.extend(later.records);
        return earlier;
    }
    earlier.item.extend(changes);
    earlier.records.extend(later.records);
    earlier
}

fn with(mut item: Item, changes: Item) -> Item {
    item.extend(changes);
    item
}

fn key_of(item: &Item) -> Option<Key> {
    Some([string(item, "shard")?, string(item, "at")?])
}
