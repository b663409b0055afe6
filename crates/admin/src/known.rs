//! What is known of an item while records are merged into it, fact by fact, so that it is encoded once.

use std::borrow::Cow;

use encoding::{AsOf, ItemMembers, ItemValue, MAX_SIZE};

use super::item_facts::{Fact, Facts};
use super::recency::Recency;

/// A change of an item; `None` is nothing.
pub(super) enum ItemChange<'a> {
    Attribute(&'static str, Option<ItemValue<'a>>),
    Trait(Cow<'a, str>, Option<ItemValue<'a>>),
    AllTraits(Option<ItemMembers<'a>>),
    /// How new the newest fact is. It precedes the ages of facts.
    AsOf(AsOf<'a>),
    /// How new a fact is.
    Age(Fact<'a>, Option<AsOf<'a>>),
}

pub(super) type Changes<'a> = Vec<ItemChange<'a>>;

/// An item that records are merged into.
pub(super) struct Known<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) recency: Recency<'a>,
    size: usize,
    /// How much of the size is that of the attributes that store the recency.
    stored_recency: usize,
    /// Whether the recency is not that of the attributes.
    is_newer: bool,
}

impl<'a> Known<'a> {
    pub(super) fn new(item: ItemMembers<'a>, recency: fn(&Facts<'a>) -> Recency<'a>) -> Self {
        let size = item.size();
        let facts = Facts::of(item);
        let stored = ["asOf", "older"].into_iter().filter_map(|name| {
            let value = facts.attributes.get(name)?;
            Some(name.len() + value.size())
        });
        Self {
            stored_recency: stored.sum(),
            recency: recency(&facts),
            facts,
            size,
            is_newer: false,
        }
    }

    /// Makes these changes, unless the item would be larger than DynamoDB stores. Returns whether it has made
    /// them.
    pub(super) fn change(&mut self, changes: Changes<'a>) -> bool {
        let was_newer = self.is_newer;
        let undo = changes.into_iter().map(|change| self.make(change));
        let mut undo: Changes<'_> = undo.collect();
        if self.size() <= MAX_SIZE {
            return true;
        }
        while let Some(change) = undo.pop() {
            self.make(change);
        }
        self.is_newer = was_newer;
        false
    }

    /// Makes a change; returns the one that undoes it.
    fn make(&mut self, change: ItemChange<'a>) -> ItemChange<'a> {
        match change {
            ItemChange::Attribute(name, value) => {
                let size = |value: &ItemValue<'_>| name.len() + value.size();
                self.size += value.as_ref().map_or(0, size);
                let before = self.facts.attributes.set(name.into(), value);
                self.size -= before.as_ref().map_or(0, size);
                ItemChange::Attribute(name, before)
            }
            ItemChange::Trait(name, value) => {
                let size = |value: &ItemValue<'_>| 1 + name.len() + value.size();
                self.size += value.as_ref().map_or(0, size);
                let traits = self.facts.traits.get_or_insert_default();
                let before = traits.set(name.clone(), value);
                self.size -= before.as_ref().map_or(0, size);
                ItemChange::Trait(name, before)
            }
            ItemChange::AllTraits(traits) => {
                let size =
                    |traits: &ItemMembers<'_>| "traits".len() + 3 + traits.count() + traits.size();
                self.size += traits.as_ref().map_or(0, size);
                let before = std::mem::replace(&mut self.facts.traits, traits);
                self.size -= before.as_ref().map_or(0, size);
                ItemChange::AllTraits(before)
            }
            ItemChange::AsOf(as_of) => {
                self.is_newer = true;
                ItemChange::AsOf(std::mem::replace(&mut self.recency.as_of, as_of))
            }
            ItemChange::Age(fact, age) => {
                let known = self.recency.age(&fact).unwrap_or(&self.recency.as_of);
                self.is_newer |= age.as_ref() != Some(known);
                let before = self.recency.set(fact.clone(), age);
                ItemChange::Age(fact, before)
            }
        }
    }

    /// Returns the size of the item in bytes, as DynamoDB counts it.
    pub(super) fn size(&self) -> usize {
        if self.is_newer {
            self.size - self.stored_recency + self.recency.size()
        } else {
            self.size
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
