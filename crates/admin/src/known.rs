//! What is known of an item while records are merged into it, fact by fact, so that it is encoded once.

use encoding::{ItemMembers, ItemValue};

use super::item_facts::Facts;
use super::recency::Recency;

/// An item that records are merged into.
#[derive(Clone)]
pub(super) struct Known<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) recency: Recency<'a>,
    /// Whether the recency is not that of the attributes.
    pub(super) is_newer: bool,
}

impl<'a> Known<'a> {
    pub(super) fn new(item: ItemMembers<'a>, recency: fn(&Facts<'a>) -> Recency<'a>) -> Self {
        let facts = Facts::of(item);
        Self {
            recency: recency(&facts),
            facts,
            is_newer: false,
        }
    }

    /// Returns the attributes of the item.
    pub(super) fn into_item(mut self) -> ItemMembers<'a> {
        if let Some(traits) = &self.facts.traits {
            let traits = ItemValue::map(traits);
            self.facts.attributes.set("traits".into(), Some(traits));
        }
        if self.is_newer {
            for (name, value) in self.recency.attributes() {
                self.facts.attributes.set(name.into(), value);
            }
        }
        self.facts.attributes
    }
}
