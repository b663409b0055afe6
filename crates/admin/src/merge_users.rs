//! Merges what records say of users.

use std::cmp::Ordering;

use encoding::{AsOf, ItemMembers};
use model::Timestamp;

use super::item_facts::Facts;
use super::known::Known;
use super::merge_facts::merge_facts;
use super::recency::FACTS;

/// Merges what a record says of a user, all of which is as new as its `asOf`: keeps the earliest `created`
/// and the latest `lastSeen`, and of every other fact and every trait the newest that is known, or of two
/// equally new ones the record's. Returns whether that changes what is known.
pub(super) fn merge_user<'a>(user: &mut Known<'a>, record: &Facts<'a>) -> bool {
    let Known { facts, recency } = user;
    let instants = &record.attributes;
    let theirs = AsOf::of(instants.string("asOf"), instants.string("lastSeen"));
    let mut is_renewed = recency.advance(&theirs);
    let mut has_changed = merge_facts(facts, record, &FACTS, |fact, is_known| {
        let takes = !is_known || recency.age(&fact).is_none_or(|age| theirs >= *age);
        if takes {
            is_renewed |= recency.set(fact, &theirs);
        }
        takes
    });
    let instants = [("created", Ordering::Less), ("lastSeen", Ordering::Greater)];
    for (name, takes) in instants {
        has_changed |= merge_instant(&mut facts.attributes, &record.attributes, name, takes);
    }
    has_changed || is_renewed
}

/// Takes an instant of a record if it compares like this with the known one; returns whether it does.
fn merge_instant<'a>(
    user: &mut ItemMembers<'a>,
    record: &ItemMembers<'a>,
    name: &'static str,
    takes: Ordering,
) -> bool {
    let at = |item: &ItemMembers<'_>| item.parsed::<Timestamp>(name);
    let Some(new) = at(record) else { return false };
    let takes = at(user).is_none_or(|known| new.cmp(&known) == takes);
    if takes {
        user.set(name.into(), record.get(name).cloned());
    }
    takes
}
