//! What is known of an item while records are merged into it, fact by fact, so that it is encoded once.

use encoding::{ItemMembers, ItemValue, item_size};
use model::items::PagedTable;

use super::item_facts::Facts;
use super::recency::Recency;

/// An item that records are merged into.
#[derive(Clone)]
pub(super) struct Known<'a> {
    pub(super) facts: Facts<'a>,
    /// How new the facts of a user are.
    pub(super) recency: Recency<'a>,
}

impl<'a> Known<'a> {
    pub(super) fn new(item: ItemMembers<'a>, table: PagedTable) -> Self {
        let facts = Facts::of(item);
        let recency = match table {
            PagedTable::Responses => Recency::default(),
            PagedTable::Users => Recency::of(&facts),
        };
        Self { facts, recency }
    }

    /// Returns the size of the item in bytes, as DynamoDB counts it.
    pub(super) fn size(&self) -> usize {
        let item = self.item().json();
        item_size(&item).unwrap_or(item.len())
    }

    /// Returns the size that it has when all of its facts are older than the newest record.
    pub(super) fn size_when_older(&self) -> usize {
        let mut older = self.clone();
        older.recency.age_all();
        older.size()
    }

    /// Returns the attributes of the item.
    pub(super) fn item(&self) -> ItemMembers<'a> {
        let mut item = self.facts.attributes.clone();
        if let Some(traits) = &self.facts.traits {
            item.set("traits".into(), Some(ItemValue::map(traits)));
        }
        if self.recency.is_new() {
            for (name, value) in self.recency.attributes() {
                item.set(name.into(), value);
            }
        }
        item
    }
}
