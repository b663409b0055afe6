//! What is known of an item while records are merged into it, fact by fact, so that it is encoded once.

use encoding::{ItemMembers, ItemValue, check_size};
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

    /// Returns whether DynamoDB can store the item.
    pub(super) fn fits(&self) -> bool {
        check_size(&self.clone().into_item().json()).is_ok()
    }

    /// Returns the attributes of the item.
    pub(super) fn into_item(self) -> ItemMembers<'a> {
        let mut item = self.facts.attributes;
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
