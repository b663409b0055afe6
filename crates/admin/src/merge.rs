//! Merges records into items: an import adds and changes, but never takes away. What a record lacks, or has
//! as `null`, is unknown to it and is kept.

use std::borrow::Cow;

use encoding::{ItemMembers, MAX_SIZE};
use model::items::{PagedTable, Scalar};

use super::dynamodb::Update;
use super::item::{Item, key_of};
use super::item_facts::{Fact, Facts};
use super::known::Known;
use super::merge_facts::merge_facts;
use super::merge_users::merge_user;

/// Returns the attributes of a table that merging reads or changes.
fn attributes(table: PagedTable) -> &'static [&'static str] {
    match table {
        PagedTable::Responses => &["rating", "dismissed", "userId", "traits"],
        PagedTable::Users => &[
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
    }
}

/// The outcome of merging records into what is stored.
#[derive(Default)]
pub(super) struct Merged<'a> {
    /// The JSON of the item that results, if any record changed it.
    pub(super) item: Option<Cow<'a, str>>,
    /// How many records changed it.
    pub(super) changes: usize,
    /// The positions of the records with which it would be too large.
    pub(super) too_large: Vec<usize>,
}

/// Merges records of one key, with their positions in the import, one after the other. All are items as
/// JSON. Returns `None` if one is no item.
pub(super) fn merge_all<'a>(
    table: PagedTable,
    stored: Option<&'a str>,
    records: impl ExactSizeIterator<Item = (usize, &'a str)> + Clone,
) -> Option<Merged<'a>> {
    let mut merged = Merged::default();
    // Nothing is decoded of a record that is stored as it is, or that is all that is known.
    if let (1, Some((_, record))) = (records.len(), records.clone().next()) {
        if stored == Some(record) {
            return Some(merged);
        }
        if stored.is_none() {
            merged.item = Some(Cow::Borrowed(record));
            merged.changes = 1;
            return Some(merged);
        }
    }
    let mut most = stored.map_or(0, most_of);
    let stored = match stored {
        Some(json) => Some(ItemMembers::of_item(json)?),
        None => None,
    };
    let known = |item| Known::new(item, table);
    let mut item = stored.clone().map(known);
    for (position, json) in records {
        let most_with = most + most_of(json);
        let record = ItemMembers::of_item(json)?;
        let Some(item) = &mut item else {
            item = Some(known(record));
            merged.changes += 1;
            most = most_with;
            continue;
        };
        let before = (most_with > MAX_SIZE).then(|| item.clone());
        if !merge(table, item, &Facts::of(record)) {
            continue;
        }
        if let Some(before) = before {
            if item.size() > MAX_SIZE {
                *item = before;
                merged.too_large.push(position);
                continue;
            }
            most = item.size_when_older();
        } else {
            most = most_with;
        }
        merged.changes += 1;
    }
    let changed = item.filter(|_| merged.changes > 0);
    let changed = changed.map(|item| item.item());
    // Records may have undone each other's changes.
    let is_stored =
        |item: &ItemMembers<'_>| stored.as_ref().is_some_and(|stored| stored.equals(item));
    match changed {
        Some(item) if is_stored(&item) => merged.changes = 0,
        item => merged.item = item.map(|item| Cow::Owned(item.json())),
    }
    Some(merged)
}

/// Merges a record into an item; returns whether that changes it.
fn merge<'a>(table: PagedTable, item: &mut Known<'a>, record: &Facts<'a>) -> bool {
    match table {
        PagedTable::Responses => merge_response(item, record),
        PagedTable::Users => merge_user(item, record),
    }
}

/// Returns the most that the size of an item is, or grows by when this record is merged. Each name may be
/// there twice: with its fact, and among the older ones.
fn most_of(json: &str) -> usize {
    2 * json.len()
}

/// Returns the update that makes an item of the stored one, on condition that nothing that is merged has
/// changed meanwhile.
pub(super) fn update<'a>(
    table: PagedTable,
    stored: Option<&'a Item>,
    item: &'a Item,
) -> Update<'a> {
    let names = attributes(table).iter().copied();
    let unless_changed = names.map(|name| (name, stored.and_then(|stored| stored.get(name))));
    let unless_changed: Vec<_> = unless_changed.collect();
    let set = unless_changed.iter();
    let set = set.filter_map(|(name, stored)| {
        let value = item.get(*name);
        (value != *stored).then_some((*name, value))
    });
    let table = table.into();
    Update {
        table,
        key: key_of(table, item),
        set: set.collect(),
        unless_changed,
    }
}

/// Merges a record of a display. What became of the display, and what else is known, is replaced by a record
/// that is at least as [complete](completeness). A less complete one, which is older, only adds to the user
/// and the traits.
fn merge_response<'a>(item: &mut Known<'a>, record: &Facts<'a>) -> bool {
    let item = &mut item.facts;
    let [theirs, known] = [&record.attributes, &item.attributes].map(completeness);
    // A rating takes the place of a dismissal, whichever is imported first.
    let is_replaced = theirs > known && item.attributes.set("dismissed".into(), None).is_some();
    let names = ["rating", "dismissed", "userId"];
    let has_changed = merge_facts(item, record, &names, |fact, is_known| {
        let is_outcome = matches!(&fact, Fact::Attribute(name) if name != "userId");
        theirs >= known || !(is_known || is_outcome)
    });
    has_changed || is_replaced
}

/// Ranks what became of a display: a rated one is more complete than a dismissed one, and that is
/// more complete than a pending one.
fn completeness(item: &ItemMembers<'_>) -> u8 {
    match (item.scalar("rating"), item.scalar("dismissed")) {
        (Scalar::Number(_), _) => 2,
        (_, Scalar::Bool(true)) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
