//! What is known of an item while records are merged into it, fact by fact, so that it is encoded once: a fact is
//! an attribute or a trait.

use std::borrow::Cow;

use encoding::{AsOf, ItemMembers, ItemValue, MAX_SIZE};
use model::items::PagedTable;

use super::recency::Recency;

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
        let size = item
            .iter()
            .filter(|_| is_measured)
            .map(|(name, value)| name.len() + value.size())
            .sum();
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
                let measured = value.as_ref().filter(|_| self.is_measured);
                measured.map_or(0, |value| fact.size() + value.size())
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

/// What a record or an item says.
pub(super) struct Facts<'a> {
    /// Without the traits, if those are a map.
    pub(super) attributes: ItemMembers<'a>,
    pub(super) traits: Option<ItemMembers<'a>>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(mut attributes: ItemMembers<'a>) -> Self {
        let traits = attributes.get("traits").and_then(ItemValue::members);
        if traits.is_some() {
            attributes.set("traits".into(), None);
        }
        Self { attributes, traits }
    }

    /// Sets a fact; returns its value before.
    pub(super) fn set(
        &mut self,
        fact: &Fact<'a>,
        value: Option<ItemValue<'a>>,
    ) -> Option<ItemValue<'a>> {
        match fact {
            Fact::Attribute(name) => self.attributes.set(name.clone(), value),
            Fact::Trait(name) => self.traits.as_mut()?.set(name.clone(), value),
        }
    }
}

/// A fact that a record may have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fact<'a> {
    Attribute(Cow<'a, str>),
    Trait(Cow<'a, str>),
}

/// What the names of traits begin with where they are among others.
const TRAITS: &str = "traits.";

impl<'a> Fact<'a> {
    /// Returns the fact with this name.
    pub(super) fn named(name: Cow<'a, str>) -> Self {
        match name.strip_prefix(TRAITS) {
            Some(of_trait) => Self::Trait(of_trait.to_owned().into()),
            None => Self::Attribute(name),
        }
    }

    /// Returns the name of the fact, as in the columns of a table.
    pub(super) fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Attribute(name) => Cow::Borrowed(name),
            Self::Trait(name) => format!("{TRAITS}{name}").into(),
        }
    }

    /// Returns the size of the fact in an item, without its value.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Attribute(name) => name.len(),
            Self::Trait(name) => 1 + name.len(),
        }
    }
}
