//! Imports response records without losing what the tables already know.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::{StreamExt, TryStreamExt, stream};
use shared::store::Error;

use super::attributes::{Item, project, string};
use super::backoff::Backoff;
use super::{AdminStore, IN_FLIGHT, Imported, NewItem, ResponseItem};

const KEY: [&str; 2] = ["shard", "at"];
/// The attributes of a response record that an import writes, beside its key.
const ATTRIBUTES: [&str; 4] = ["rating", "dismissed", "userId", "traits"];

/// The values of [`KEY`].
type Key = [String; 2];

/// An item that is stored in another version.
struct Change {
    key: Key,
    item: Item,
    stored: Item,
}

impl AdminStore {
    /// Writes these records. A record replaces the stored one, and a later one in the list replaces
    /// an earlier one, unless it is less complete: a rating is never lost to a dismissal or to a
    /// pending display.
    pub(crate) async fn import_responses(
        &self,
        items: Vec<ResponseItem>,
    ) -> Result<Imported, Error> {
        let total = items.len();
        let mut pending: HashMap<Key, Item> = HashMap::with_capacity(total);
        for ResponseItem { key, item } in items {
            if pending
                .get(&key)
                .is_none_or(|earlier| completeness(&item) >= completeness(earlier))
            {
                pending.insert(key, item);
            }
        }
        let mut written = 0;
        let mut backoff = Backoff::default();
        while !pending.is_empty() {
            let (done, conflicts) = self.import_once(pending).await?;
            written += done;
            pending = conflicts;
            if !pending.is_empty() {
                backoff.pause("import responses", done > 0).await?;
            }
        }
        Ok(Imported {
            written: written as u64,
            unchanged: (total - written) as u64,
        })
    }

    /// Returns how many items it wrote, and those that another program changed between reading and
    /// writing.
    async fn import_once(
        &self,
        mut new: HashMap<Key, Item>,
    ) -> Result<(usize, HashMap<Key, Item>), Error> {
        let keys = new.values().map(|item| project(item, KEY)).collect();
        let mut changes = Vec::new();
        for stored in self.get_all(&self.tables.responses, keys).await? {
            if let Some(key) = key_of(&stored)
                && let Some(item) = new.remove(&key)
                && completeness(&item) >= completeness(&stored)
                && project(&item, ATTRIBUTES) != project(&stored, ATTRIBUTES)
            {
                changes.push(Change { key, item, stored });
            }
        }
        let written = new.len() + changes.len();
        let puts = new.into_values().map(NewItem::response).collect();
        self.put_all(puts).await?;
        let conflicts = self.apply(changes).await?;
        Ok((written - conflicts.len(), conflicts))
    }

    /// Updates stored items; returns those that changed after they were read.
    async fn apply(&self, changes: Vec<Change>) -> Result<HashMap<Key, Item>, Error> {
        stream::iter(changes)
            .map(async |Change { key, item, stored }| {
                let attributes = ATTRIBUTES.map(|name| (name, item.get(name).cloned()));
                let unless_changed = ["rating", "dismissed"].map(|name| (name, stored.get(name)));
                let updated = self
                    .update(
                        &self.tables.responses,
                        project(&item, KEY),
                        attributes,
                        unless_changed,
                    )
                    .await?;
                Ok::<_, Error>((!updated).then_some((key, item)))
            })
            .buffer_unordered(IN_FLIGHT)
            .try_filter_map(async |conflict| Ok(conflict))
            .try_collect()
            .await
    }
}

fn key_of(item: &Item) -> Option<Key> {
    Some([string(item, "shard")?, string(item, "at")?])
}

/// Ranks what became of a display: a rated one is more complete than a dismissed one, and that is
/// more complete than a pending one.
fn completeness(item: &Item) -> u8 {
    let dismissed = item.get("dismissed") == Some(&AttributeValue::Bool(true));
    match item.get("rating") {
        Some(AttributeValue::N(_)) => 2,
        _ => u8::from(dismissed),
    }
}
