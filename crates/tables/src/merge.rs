//! Merges records into items: an import adds and changes, but never takes away. What a record lacks, or has
//! as `null`, is unknown to it and is kept.

use aws_sdk_dynamodb::types::AttributeValue;
use shared::items::{Item, Table, check_size, string};

use super::merge_facts::{Changes, Fact, merge_facts};
use super::merge_users::merge_user;

/// The hash key and the range key of an item.
pub(super) type Key = [String; 2];

/// An attribute with the value that it gets or must have; `None` is none.
pub(super) type Attribute<'a> = (&'a str, Option<&'a AttributeValue>);

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

#[cfg(test)]
mod tests;
