//! Merges what one record says into an item, fact by fact.

use std::fmt;
use std::mem::discriminant;

use aws_sdk_dynamodb::types::AttributeValue;
use shared::items::{Item, value_json};

/// Attributes with the values that they get; `None` is none.
pub(super) type Changes = Vec<(&'static str, Option<AttributeValue>)>;

/// A fact that a record may have.
#[derive(Clone, Copy)]
pub(super) enum Fact<'a> {
    Attribute(&'a str),
    Trait(&'a str),
}

/// The name of the fact, as in the columns of a table.
impl fmt::Display for Fact<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => f.write_str(name),
            Self::Trait(name) => write!(f, "traits.{name}"),
        }
    }
}

/// Merges the attributes with these names, and the traits, of a record into an item; returns what that changes.
/// `takes` decides for each fact of the record whether the item takes it, given whether the item knows one.
pub(super) fn merge_facts(
    item: &Item,
    mut record: Item,
    attributes: &[&'static str],
    mut takes: impl FnMut(Fact<'_>, bool) -> bool,
) -> Changes {
    let mut changes = Changes::new();
    for &name in attributes {
        let Some(value) = record.remove(name) else {
            continue;
        };
        let known = item.get(name);
        // A value of another type is damaged.
        let is_known = known.is_some_and(|known| discriminant(known) == discriminant(&value));
        if takes(Fact::Attribute(name), is_known) && known != Some(&value) {
            changes.push((name, Some(value)));
        }
    }
    let Some(AttributeValue::M(mut traits)) = record.remove("traits") else {
        return changes;
    };
    let Some(AttributeValue::M(known)) = item.get("traits") else {
        for (name, _) in traits.iter().filter(|(_, value)| !value.is_null()) {
            takes(Fact::Trait(name), false);
        }
        changes.push(("traits", Some(AttributeValue::M(traits))));
        return changes;
    };
    traits.retain(|name, value| {
        let stored = known.get(name);
        let takes = match stored.filter(|stored| !stored.is_null()) {
            _ if value.is_null() => stored.is_none(),
            stored => takes(Fact::Trait(name), stored.is_some()),
        };
        takes && !stored.is_some_and(|stored| is_same(stored, value))
    });
    if !traits.is_empty() {
        let mut merged = known.clone();
        merged.extend(traits);
        changes.push(("traits", Some(AttributeValue::M(merged))));
    }
    changes
}

/// Returns whether the values are the same in JSON, which lacks sets and binary values. The stored
/// value then keeps its type.
fn is_same(stored: &AttributeValue, new: &AttributeValue) -> bool {
    let json = |value| value_json(value).map(|json| json.get().to_owned());
    stored == new || json(stored) == json(new)
}
