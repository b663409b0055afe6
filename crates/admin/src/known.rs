//! What is known of an item while records are merged into it, fact by fact, so that it is encoded once.

use encoding::{AsOf, ItemMembers, ItemValue, check_size};
use model::items::PagedTable;

use super::item_facts::{Fact, Facts};
use super::recency::Recency;

/// What a record changes in an item; `None` is nothing.
#[derive(Default)]
pub(super) struct Changes<'a> {
    pub(super) facts: Vec<(Fact<'a>, Option<ItemValue<'a>>)>,
    /// Whether the record has traits, and the item none.
    pub(super) has_first_traits: bool,
    pub(super) ages: Vec<(Fact<'a>, AsOf<'a>)>,
    /// How new the record is, if none was newer.
    pub(super) as_of: Option<AsOf<'a>>,
}

impl Changes<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.ages.is_empty() && self.as_of.is_none()
    }
}

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

    pub(super) fn change(&mut self, changes: Changes<'a>) {
        if changes.has_first_traits {
            self.facts.traits = Some(ItemMembers::default());
        }
        for (fact, value) in changes.facts {
            self.facts.set(fact, value);
        }
        if let Some(as_of) = changes.as_of {
            self.recency.renew(as_of);
        }
        for (fact, age) in changes.ages {
            self.recency.set(fact, age);
        }
    }

    /// Returns whether the item is larger than DynamoDB stores.
    pub(super) fn is_too_large(&self) -> bool {
        check_size(&self.clone().into_item().json()).is_err()
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
