//! Merges what one record says into an item, fact by fact.

use std::borrow::Cow;

use shared::items::{Members, Value};

/// Attributes with the values that they get; `None` is none.
pub(super) type Changes<'a> = Vec<(&'static str, Option<Value<'a>>)>;

/// A fact that a record may have.
#[derive(Clone, Copy)]
pub(super) enum Fact<'a> {
    Attribute(&'a str),
    Trait(&'a str),
}

impl<'a> Fact<'a> {
    /// Returns the name of the fact, as in the columns of a table.
    pub(super) fn name(self) -> Cow<'a, str> {
        match self {
            Self::Attribute(name) => name.into(),
            Self::Trait(name) => format!("traits.{name}").into(),
        }
    }
}

/// Merges the attributes with these names, and the traits, of a record into an item; returns what that changes.
/// `takes` decides for each fact of the record whether the item takes it, given whether the item knows one.
pub(super) fn merge_facts<'a>(
    item: &Members<'_>,
    record: &Members<'a>,
    attributes: &[&'static str],
    mut takes: impl FnMut(Fact<'_>, bool) -> bool,
) -> Changes<'a> {
    let mut changes = Changes::new();
    for &name in attributes {
        let Some(value) = record.get(name) else {
            continue;
        };
        let known = item.get(name);
        // A value of another type is damaged.
        let is_known = known.is_some_and(|known| known.is_like(value));
        let is_same = || known.is_some_and(|known| known.equals(value));
        if takes(Fact::Attribute(name), is_known) && !is_same() {
            changes.push((name, Some(value.clone())));
        }
    }
    let Some(value) = record.get("traits") else {
        return changes;
    };
    let Some(traits) = value.members() else {
        return changes;
    };
    let Some(mut known) = item.get("traits").and_then(Value::members) else {
        for (name, _) in traits.iter().filter(|(_, value)| !value.is_null()) {
            takes(Fact::Trait(name), false);
        }
        changes.push(("traits", Some(value.clone())));
        return changes;
    };
    let mut is_changed = false;
    for (name, value) in traits.iter() {
        let stored = known.get(name);
        let takes = match stored.filter(|stored| !stored.is_null()) {
            _ if value.is_null() => stored.is_none(),
            stored => takes(Fact::Trait(name), stored.is_some()),
        };
        // A stored set or binary value keeps its type.
        if takes && !stored.is_some_and(|stored| stored.is_same_json(value)) {
            known.set(name, Some(value.clone()));
            is_changed = true;
        }
    }
    if is_changed {
        changes.push(("traits", Some(Value::map(&known))));
    }
    changes
}
