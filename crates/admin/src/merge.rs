//! Merges records into items, fact by fact: an import adds and changes, but never takes away. What a record lacks, or
//! has as `null`, is unknown to it and is kept.

use std::borrow::Cow;
use std::cmp::Ordering;

use encoding::{AsOf, ItemMembers, MAX_SIZE};
use model::Timestamp;
use model::items::{PagedTable, Scalar};

use super::dynamodb::Update;
use super::item::{Item, key_of};
use super::known::{Changes, Fact, Facts, Known};
use super::recency::FACTS;

/// What merging records into what is stored has come to.
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
    if records.len() == 1
        && let Some((_, record)) = records.clone().next()
    {
        if stored == Some(record) {
            return Some(merged);
        }
        if stored.is_none() {
            merged.item = Some(Cow::Borrowed(record));
            merged.changes = 1;
            return Some(merged);
        }
    }
    let stored_size = stored.map_or(0, str::len);
    let stored = match stored {
        Some(json) => Some(ItemMembers::of_item(json)?),
        None => None,
    };
    // An item is at most twice as large as what it is made of, because each name may also be among the older
    // ones. Usually that is small, and nothing is measured.
    let records_size: usize = records.clone().map(|(_, json)| json.len()).sum();
    let is_measured = 2 * (stored_size + records_size) > MAX_SIZE;
    let known = |item| Known::new(item, table, is_measured);
    let mut item = stored.clone().map(known);
    for (position, json) in records {
        let record = ItemMembers::of_item(json)?;
        let Some(item) = &mut item else {
            item = Some(known(record));
            merged.changes += 1;
            continue;
        };
        let changes = merge(table, item, &Facts::of(record));
        if changes.is_empty() {
            continue;
        }
        if item.change(changes) {
            merged.changes += 1;
        } else {
            merged.too_large.push(position);
        }
    }
    let changed = item.filter(|_| merged.changes > 0).map(Known::into_item);
    // Records may have undone each other's changes.
    let is_stored =
        |item: &ItemMembers<'_>| stored.as_ref().is_some_and(|stored| stored.equals(item));
    match changed {
        Some(item) if is_stored(&item) => merged.changes = 0,
        item => merged.item = item.map(|item| Cow::Owned(item.json())),
    }
    Some(merged)
}

/// Merges a record into an item; returns what that changes.
fn merge<'a>(table: PagedTable, item: &Known<'a>, record: &Facts<'a>) -> Changes<'a> {
    match table {
        PagedTable::Responses => merge_response(&item.facts, record),
        PagedTable::Users => merge_user(item, record),
    }
}

/// Merges a record of a display. What became of the display, and what else is known, is replaced by a record
/// that is at least as [complete](completeness). A less complete one, which is older, only adds to the user
/// and the traits.
fn merge_response<'a>(item: &Facts<'a>, record: &Facts<'a>) -> Changes<'a> {
    let [theirs, known] = [&record.attributes, &item.attributes].map(completeness);
    let names = ["rating", "dismissed", "userId"];
    let mut changes = merge_facts(item, record, &names, |fact, is_known| {
        let is_outcome = matches!(&fact, Fact::Attribute(name) if name != "userId");
        theirs >= known || !(is_known || is_outcome)
    });
    let is_dismissed = |facts: &Facts<'_>| facts.attributes.get("dismissed").is_some();
    // A rating takes the place of a dismissal, whichever is imported first.
    if theirs > known && is_dismissed(item) && !is_dismissed(record) {
        let dismissed = Fact::Attribute("dismissed".into());
        changes.facts.push((dismissed, None));
    }
    changes
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

/// Merges what a record says of a user, all of which is as new as its `asOf`: keeps the earliest `created`
/// and the latest `lastSeen`, and of every other fact and every trait the newest that is known, or of two
/// equally new ones the record's. Returns what that changes.
fn merge_user<'a>(user: &Known<'a>, record: &Facts<'a>) -> Changes<'a> {
    let Known { facts, recency, .. } = user;
    let instants = &record.attributes;
    let theirs = AsOf::of(instants.string("asOf"), instants.string("lastSeen"));
    let mut ages = Vec::new();
    let mut changes = merge_facts(facts, record, &FACTS, |fact, is_known| {
        let age = recency.age(&fact);
        let takes = !is_known || age.is_none_or(|age| theirs >= *age);
        if takes && age != Some(&theirs) {
            ages.push((fact, Some(theirs.clone())));
        }
        takes
    });
    changes.ages = ages;
    for (name, takes) in [("created", Ordering::Less), ("lastSeen", Ordering::Greater)] {
        let at = |item: &Facts<'_>| item.attributes.parsed::<Timestamp>(name);
        let is_known = |new: &Timestamp| at(facts).is_some_and(|known| new.cmp(&known) != takes);
        if at(record).is_some_and(|new| !is_known(&new)) {
            let instant = record.attributes.get(name).cloned();
            changes.facts.push((Fact::Attribute(name.into()), instant));
        }
    }
    changes.as_of = recency.is_older_than(&theirs).then_some(theirs);
    changes
}

/// Merges the attributes with these names, and the traits, of a record into an item; returns what that
/// changes. `takes` decides for each fact of the record whether the item takes it, given whether the item
/// knows one.
fn merge_facts<'a>(
    item: &Facts<'a>,
    record: &Facts<'a>,
    attributes: &[&'static str],
    mut takes: impl FnMut(Fact<'a>, bool) -> bool,
) -> Changes<'a> {
    let mut changes = Changes::default();
    for &name in attributes {
        let Some(value) = record.attributes.get(name) else {
            continue;
        };
        let known = item.attributes.get(name);
        // A value of another type is damaged.
        let is_known = known.is_some_and(|known| known.is_like(value));
        let is_same = || known.is_some_and(|known| known.equals(value));
        if takes(Fact::Attribute(name.into()), is_known) && !is_same() {
            let fact = Fact::Attribute(name.into());
            changes.facts.push((fact, Some(value.clone())));
        }
    }
    let Some(traits) = &record.traits else {
        return changes;
    };
    if item.traits.is_none() {
        changes.has_first_traits = true;
        // If any are stored, they are damaged. Even a map without members takes their place.
        let damaged = Fact::Attribute("traits".into());
        changes.facts.push((damaged, None));
    }
    let none = ItemMembers::default();
    let known = item.traits.as_ref().unwrap_or(&none);
    for (name, value) in traits.iter() {
        let stored = known.get(name);
        let takes = match stored.filter(|stored| !stored.is_null()) {
            _ if value.is_null() => stored.is_none(),
            stored => takes(Fact::Trait(name.clone()), stored.is_some()),
        };
        // A stored set or binary value keeps its type.
        if takes && !stored.is_some_and(|stored| stored.equals(value)) {
            let fact = Fact::Trait(name.clone());
            changes.facts.push((fact, Some(value.clone())));
        }
    }
    changes
}

/// Returns the update that makes an item of the stored one, on condition that nothing that is merged has
/// changed meanwhile.
pub(super) fn update<'a>(
    table: PagedTable,
    stored: Option<&'a Item>,
    item: &'a Item,
) -> Update<'a> {
    let unless_changed: Vec<_> = attributes(table)
        .iter()
        .map(|name| (*name, stored.and_then(|stored| stored.get(*name))))
        .collect();
    let changed = unless_changed.iter().filter_map(|(name, stored)| {
        let value = item.get(*name);
        (value != *stored).then_some((*name, value))
    });
    Update {
        table: table.into(),
        key: key_of(table.into(), item),
        set: changed.collect(),
        unless_changed,
    }
}

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

#[cfg(test)]
mod tests;
