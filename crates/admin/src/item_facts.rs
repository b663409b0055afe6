//! The facts of items: attributes and traits.

use std::borrow::Cow;

use encoding::{ItemMembers, ItemValue};

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
