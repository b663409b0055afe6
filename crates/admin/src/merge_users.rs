//! Merges what records say of users.

use std::cmp::Ordering;

use encoding::{AsOf, ItemMembers};
use shared::model::Timestamp;

use super::item_facts::Facts;
use super::known::{Changes, ItemChange, Known};
use super::merge_facts::merge_facts;
use super::recency::FACTS;

/// Merges what a record says of a user, all of which is as new as its `asOf`: keeps the earliest `created`
/// and the latest `lastSeen`, and of every other fact and every trait the newest that is known, or of two
/// equally new ones the record's.
pub(super) fn merge_user<'a>(user: &Known<'a>, record: &Facts<'a>) -> Changes<'a> {
    let instants = &record.attributes;
    let theirs = AsOf::of(instants.string("asOf"), instants.string("lastSeen"));
    let is_newer = theirs > user.recency.as_of;
    let mut changes: Changes<'_> = Vec::new();
    changes.extend(is_newer.then(|| ItemChange::AsOf(theirs.clone())));
    let mut ages = Changes::new();
    let facts = merge_facts(&user.facts, record, &FACTS, |fact, is_known| {
        let age = user.recency.age(&fact);
        let takes = !is_known || age.is_none_or(|age| theirs >= *age);
        if takes && age != Some(&theirs) {
            ages.push(ItemChange::Age(fact, Some(theirs.clone())));
        }
        takes
    });
    changes.extend(ages);
    changes.extend(facts);
    changes.extend(merge_instant(user, instants, "created", Ordering::Less));
    changes.extend(merge_instant(user, instants, "lastSeen", Ordering::Greater));
    changes
}

/// Takes an instant of a record if it compares like this with the known one.
fn merge_instant<'a>(
    user: &Known<'a>,
    record: &ItemMembers<'a>,
    name: &'static str,
    takes: Ordering,
) -> Option<ItemChange<'a>> {
    let at = |item: &ItemMembers<'_>| item.parsed::<Timestamp>(name);
    let new = at(record)?;
    let takes = at(&user.facts.attributes).is_none_or(|known| new.cmp(&known) == takes);
    takes.then(|| ItemChange::Attribute(name, record.get(name).cloned()))
}
