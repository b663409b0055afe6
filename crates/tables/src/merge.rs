//! Merges records into items, fact by fact: an import adds and changes, but never takes away. What a record
//! lacks, or has as `null`, is unknown to it and is kept.

use std::borrow::Cow;

use items::{ItemMembers, ItemValue, Scalar, Table, check_size};
use model::Timestamp;

/// What merging records into what is stored has come to.
#[derive(Debug)]
pub(super) enum Merged<'a> {
    Unchanged,
    /// The JSON of the item that results.
    Changed(Cow<'a, str>),
    /// The item that would result is larger than one may be, so it stays as it is stored.
    TooLarge,
}

/// Merges records of one key one after the other. All are items as JSON. Returns `None` if one is no item.
pub(super) fn merge_all<'a>(
    table: Table,
    stored: Option<&'a str>,
    mut records: impl ExactSizeIterator<Item = &'a str>,
) -> Option<Merged<'a>> {
    let mut first = None;
    // Nothing is decoded of a record that is stored as it is, or that is all that is known.
    if records.len() == 1 {
        first = records.next();
        if stored == first {
            return Some(Merged::Unchanged);
        }
        if let (None, Some(record)) = (stored, first) {
            return Some(Merged::Changed(Cow::Borrowed(record)));
        }
    }
    let stored = match stored {
        Some(json) => Some(ItemMembers::of_item(json)?),
        None => None,
    };
    let mut is_any_changed = false;
    let mut known = stored.clone().map(ItemFacts::of);
    for json in first.into_iter().chain(records) {
        let record = ItemFacts::of(ItemMembers::of_item(json)?);
        let is_changed = if let Some(known) = &mut known {
            merge(table, known, &record)
        } else {
            known = Some(record);
            true
        };
        is_any_changed |= is_changed;
    }
    let item = match known {
        Some(known) if is_any_changed => known.into_item(),
        _ => return Some(Merged::Unchanged),
    };
    // Records may have undone each other's changes.
    if stored.is_some_and(|stored| stored.equals(&item)) {
        return Some(Merged::Unchanged);
    }
    let json = item.json();
    if check_size(&json).is_err() {
        return Some(Merged::TooLarge);
    }
    Some(Merged::Changed(Cow::Owned(json)))
}

/// Returns the attributes of a table that merging reads or changes: an item is written only if they are still
/// as they were read.
pub(super) fn guard(table: Table) -> &'static [&'static str] {
    match table {
        Table::Responses => &["rating", "dismissed", "userId", "traits"],
        Table::Users => &[
            "created",
            "lastSeen",
            "id",
            "email",
            "name",
            "unsubscribed",
            "traits",
        ],
        Table::Credentials => &["digest"],
    }
}

/// What a record or an item says.
struct ItemFacts<'a> {
    /// Without the traits, if those are a map.
    attributes: ItemMembers<'a>,
    traits: Option<ItemMembers<'a>>,
}

impl<'a> ItemFacts<'a> {
    fn of(mut attributes: ItemMembers<'a>) -> Self {
        let traits = attributes.get("traits").and_then(ItemValue::members);
        if traits.is_some() {
            attributes.set("traits".into(), None);
        }
        Self { attributes, traits }
    }

    fn into_item(self) -> ItemMembers<'a> {
        let mut item = self.attributes;
        if let Some(traits) = &self.traits {
            item.set("traits".into(), Some(ItemValue::map(traits)));
        }
        item
    }
}

/// Merges a record into what is known; returns whether that changes it.
fn merge<'a>(table: Table, known: &mut ItemFacts<'a>, record: &ItemFacts<'a>) -> bool {
    match table {
        Table::Responses => merge_response(known, record),
        Table::Users => merge_user(known, record),
        // A secret that exists stays what it is.
        Table::Credentials => false,
    }
}

/// Merges a record of a display. What became of the display, and what else is known, is replaced by a record
/// that is at least as [complete](completeness). A less complete one, which is older, only adds to the user
/// and the traits.
fn merge_response<'a>(known: &mut ItemFacts<'a>, record: &ItemFacts<'a>) -> bool {
    let theirs = completeness(&record.attributes);
    let ours = completeness(&known.attributes);
    let is_newer = theirs >= ours;
    let mut is_changed = false;
    if is_newer {
        is_changed |= merge_attributes(known, record, &["rating", "dismissed"], true);
    }
    is_changed |= merge_attributes(known, record, &["userId"], is_newer);
    is_changed |= merge_traits(known, record, is_newer);
    // A rating takes the place of a dismissal, whichever is imported first.
    if theirs > ours && record.attributes.get("dismissed").is_none() {
        is_changed |= known.attributes.set("dismissed".into(), None).is_some();
    }
    is_changed
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

/// Merges what a record says of a user. The facts of a user are those of the newest record that mentions it,
/// and what that record lacks stays; `created` is the earliest, and `lastSeen` the latest that is known.
fn merge_user<'a>(known: &mut ItemFacts<'a>, record: &ItemFacts<'a>) -> bool {
    let is_newer = instant(&record.attributes) >= instant(&known.attributes);
    let latest = instant(&record.attributes).max(instant(&known.attributes));
    let names = ["id", "email", "name", "unsubscribed"];
    let mut is_changed = merge_attributes(known, record, &names, is_newer);
    is_changed |= merge_traits(known, record, is_newer);
    let at = |item: &ItemMembers<'_>, name| item.parsed::<Timestamp>(name);
    let created = at(&known.attributes, "created");
    let is_earlier = |theirs| created.is_none_or(|ours| theirs < ours);
    if at(&record.attributes, "created").is_some_and(is_earlier) {
        let theirs = record.attributes.get("created").cloned();
        known.attributes.set("created".into(), theirs);
        is_changed = true;
    }
    // A user without `lastSeen` is as recent as `created`, which may be an earlier instant now.
    let is_seen = record.attributes.get("lastSeen").is_some();
    if latest > at(&known.attributes, "lastSeen")
        && (is_seen || latest > instant(&known.attributes))
    {
        let latest = latest.map(|at| ItemValue::string(&at.to_string()));
        known.attributes.set("lastSeen".into(), latest);
        is_changed = true;
    }
    is_changed
}

/// Returns how recent a user, or a record of one, is; `None` is older than all others.
fn instant(user: &ItemMembers<'_>) -> Option<Timestamp> {
    user.parsed("lastSeen").or_else(|| user.parsed("created"))
}

/// Sets the attributes with these names that a record has: all of them if it is newer than what is known,
/// otherwise those that are unknown. Returns whether one changes.
fn merge_attributes<'a>(
    known: &mut ItemFacts<'a>,
    record: &ItemFacts<'a>,
    names: &[&'static str],
    is_newer: bool,
) -> bool {
    let mut is_changed = false;
    for &name in names {
        let Some(theirs) = record.attributes.get(name) else {
            continue;
        };
        let ours = known.attributes.get(name);
        // A value of another type is damaged.
        let is_unknown = ours.is_none_or(|ours| !ours.is_like(theirs));
        if (is_newer || is_unknown) && !ours.is_some_and(|ours| ours.equals(theirs)) {
            known.attributes.set(name.into(), Some(theirs.clone()));
            is_changed = true;
        }
    }
    is_changed
}

/// Sets the traits that a record has, as [`merge_attributes`] does. A trait that is stored as a set or binary
/// keeps its type if it means the same.
fn merge_traits<'a>(known: &mut ItemFacts<'a>, record: &ItemFacts<'a>, is_newer: bool) -> bool {
    let Some(theirs) = &record.traits else {
        return false;
    };
    let mut is_changed = known.traits.is_none();
    if is_changed {
        // If any are stored, they are damaged. Even a map without members takes their place.
        known.attributes.set("traits".into(), None);
    }
    let traits = known.traits.get_or_insert_default();
    for (name, value) in theirs.iter() {
        let ours = traits.get(name);
        let is_unknown = ours.is_none_or(ItemValue::is_null);
        let takes = if value.is_null() {
            ours.is_none()
        } else {
            is_newer || is_unknown
        };
        if takes && !ours.is_some_and(|ours| ours.equals(value)) {
            traits.set(name.clone(), Some(value.clone()));
            is_changed = true;
        }
    }
    is_changed
}
