//! Merges what records say of users.

use std::cmp::Ordering;

use encoding::AsOf;
use model::Timestamp;

use super::item_facts::{Fact, Facts};
use super::known::{Changes, Known};
use super::merge_facts::merge_facts;
use super::recency::FACTS;

/// Merges what a record says of a user, all of which is as new as its `asOf`: keeps the earliest `created`
/// and the latest `lastSeen`, and of every other fact and every trait the newest that is known, or of two
/// equally new ones the record's. Returns what that changes.
pub(super) fn merge_user<'a>(user: &Known<'a>, record: &Facts<'a>) -> Changes<'a> {
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
