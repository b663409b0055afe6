//! What is known of an item while records are merged into it, fact by fact, so that it is encoded once.

use encoding::{AsOf, ItemMembers, ItemValue, MAX_SIZE};
use model::items::PagedTable;

use super::item_facts::{Fact, Facts};
use super::recency::Recency;

/// What a record changes in an item; `None` is nothing.
#[derive(Default)]
pub(super) struct Changes<'a> {
    pub(super) facts: Vec<(Fact<'a>, Option<ItemValue<'a>>)>,
    /// Whether the record has traits, and the item none.
    pub(super) has_first_traits: bool,
    pub(super) ages: Vec<(Fact<'a>, Option<AsOf<'a>>)>,
    /// How new the record is, if none was newer.
    pub(super) as_of: Option<AsOf<'a>>,
}

impl Changes<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.ages.is_empty() && self.as_of.is_none()
    }
}

/// An item that records are merged into. Its size is kept up to date, because measuring a large item after
/// each of thousands of records takes a minute.
pub(super) struct Known<'a> {
    pub(super) facts: Facts<'a>,
    /// How new the facts of a user are.
    pub(super) recency: Recency<'a>,
    /// In bytes, as DynamoDB counts it, with the recency that the item was read with.
    size: usize,
    /// Whether it may become too large. Otherwise, sizes are not known.
    is_measured: bool,
}

impl<'a> Known<'a> {
    pub(super) fn new(item: ItemMembers<'a>, table: PagedTable, is_measured: bool) -> Self {
        let sizes = item.iter().filter(|_| is_measured);
        let sizes = sizes.map(|(name, value)| name.len() + value.size());
        let size = sizes.sum();
        let facts = Facts::of(item);
        let recency = match table {
            PagedTable::Responses => Recency::default(),
            PagedTable::Users => Recency::of(&facts, is_measured),
        };
        Self {
            facts,
            recency,
            size,
            is_measured,
        }
    }

    /// Makes these changes, unless the item would be larger than DynamoDB stores. Returns whether it has made
    /// them.
    pub(super) fn change(&mut self, mut changes: Changes<'a>) -> bool {
        let was_new = self.recency.is_new;
        if changes.has_first_traits {
            self.facts.traits = Some(ItemMembers::default());
            self.size += "traits".len() + 3;
        }
        self.exchange(&mut changes);
        if !self.is_measured || self.recency.size_with(self.size) <= MAX_SIZE {
            return true;
        }
        self.exchange(&mut changes);
        if changes.has_first_traits {
            self.facts.traits = None;
            self.size -= "traits".len() + 3;
        }
        self.recency.is_new = was_new;
        false
    }

    /// Makes these changes, and leaves in their place those that undo them.
    fn exchange(&mut self, changes: &mut Changes<'a>) {
        for (fact, value) in &mut changes.facts {
            let size = |value: &Option<ItemValue<'_>>| {
                let value = value.as_ref().filter(|_| self.is_measured);
                value.map_or(0, |value| fact.size() + value.size())
            };
            let after = size(value);
            *value = self.facts.set(fact, value.take());
            self.size = self.size + after - size(value);
        }
        if let Some(as_of) = &mut changes.as_of {
            self.recency.renew(as_of);
        }
        for (fact, age) in &mut changes.ages {
            *age = self.recency.set(fact, age.take());
        }
    }

    /// Returns the attributes of the item.
    pub(super) fn into_item(self) -> ItemMembers<'a> {
        let mut item = self.facts.attributes;
        if let Some(traits) = &self.facts.traits {
            item.set("traits".into(), Some(ItemValue::map(traits)));
        }
        if self.recency.is_new {
            for (name, value) in self.recency.attributes() {
                item.set(name.into(), value);
            }
        }
        item
    }
}
