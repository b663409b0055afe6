//! Merges records into items: an import adds and changes, but never takes away. What a record lacks, or has
//! as `null`, is unknown to it and is kept.

use std::fmt;
use std::mem::discriminant;

use aws_sdk_dynamodb::types::AttributeValue;
use shared::items::{Item, Table, check_size, string, value_json};

use super::dynamodb::Attribute;
use super::merge_users::merge_user;

/// The hash key and the range key of an item.
pub(super) type Key = [String; 2];

/// Attributes with the values that they get; `None` is none.
pub(super) type Changes = Vec<(&'static str, Option<AttributeValue>)>;

/// How the records of a table are merged. A record is an item itself.
pub(super) struct Merging {
    pub(super) table: Table,
    /// The attributes that merging reads or changes.
    attributes: &'static [&'static str],
    /// Merges a record into an item; returns what that changes.
    merge: fn(&Item, Item) -> Changes,
    /// Whether an item often is exactly as its last record.
    pub(super) is_of_one_record: bool,
}

pub(super) const RESPONSES: Merging = Merging {
    table: Table::RESPONSES,
    attributes: &["rating", "dismissed", "userId", "traits"],
    merge: merge_response,
    is_of_one_record: true,
};

pub(super) const USERS: Merging = Merging {
    table: Table::USERS,
    attributes: &[
        "created",
        "lastSeen",
        "id",
        "email",
        "name",
        "unsubscribed",
        "traits",
        "asOf",
        "older",
    ],
    merge: merge_user,
    is_of_one_record: false,
};

/// The outcome of merging records into what is stored.
#[derive(Default)]
pub(super) struct Merged {
    /// The item that results, if any record changed it.
    pub(super) item: Option<Item>,
    /// How many records changed it.
    pub(super) changes: usize,
    /// The positions of the records with which it would be too large.
    pub(super) too_large: Vec<usize>,
}

impl Merging {
    /// Returns the key of an item.
    pub(super) fn key_of(&self, item: &Item) -> Option<Key> {
        let (hash, range) = self.table.key_names();
        Some([string(item, hash)?, string(item, range?)?].map(str::to_owned))
    }

    /// Merges records of one key, with their positions in the import, one after the other.
    pub(super) fn merge_all(&self, stored: Option<&Item>, records: Vec<(usize, Item)>) -> Merged {
        let mut merged = Merged::default();
        for (position, record) in records {
            let item = match merged.item.as_ref().or(stored) {
                None => record,
                Some(known) => {
                    let changes = (self.merge)(known, record);
                    if changes.is_empty() {
                        continue;
                    }
                    let item = changed(known.clone(), changes);
                    if check_size(&item).is_err() {
                        merged.too_large.push(position);
                        continue;
                    }
                    item
                }
            };
            merged.item = Some(item);
            merged.changes += 1;
        }
        merged
    }

    /// Returns what makes an item of the stored one, and what of that must not have changed meanwhile.
    pub(super) fn update<'a>(
        &self,
        stored: Option<&'a Item>,
        item: &'a Item,
    ) -> (Vec<Attribute<'a>>, Vec<Attribute<'a>>) {
        let names = self.attributes.iter().copied();
        let unless_changed = names.map(|name| (name, stored.and_then(|stored| stored.get(name))));
        let unless_changed: Vec<_> = unless_changed.collect();
        let set = unless_changed.iter();
        let set = set.filter_map(|(name, stored)| {
            let value = item.get(*name);
            (value != *stored).then_some((*name, value))
        });
        (set.collect(), unless_changed)
    }
}

fn changed(mut item: Item, changes: Changes) -> Item {
    for (name, value) in changes {
        match value {
            Some(value) => item.insert(name.to_owned(), value),
            None => item.remove(name),
        };
    }
    item
}

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

/// Merges a record of a display. What became of the display, and what else is known, is replaced by a record that
/// is at least as [complete](completeness). A less complete one, which is older, only adds to the user and the traits.
fn merge_response(item: &Item, record: Item) -> Changes {
    let replaces = completeness(&record) >= completeness(item);
    let names = ["rating", "dismissed", "userId"];
    merge_facts(item, record, &names, |fact, is_known| {
        let is_outcome = matches!(fact, Fact::Attribute("rating" | "dismissed"));
        replaces || !(is_known || is_outcome)
    })
}

/// Ranks what became of a display: a rated one is more complete than a dismissed one, and that is
/// more complete than a pending one.
fn completeness(item: &Item) -> u8 {
    let dismissed = item.get("dismissed") == Some(&AttributeValue::Bool(true));
    match item.get("rating") {
        Some(AttributeValue::N(_)) => 2,
        _ => u8::from(dismissed),
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

#[cfg(test)]
mod tests;
