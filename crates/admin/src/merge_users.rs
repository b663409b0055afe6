//! Merges what records say of users.

use std::cmp::Ordering;

use encoding::{AsOf, ItemMembers};
use shared::model::Timestamp;

use super::item_facts::Facts;
use super::known::Known;
use super::merge_facts::merge_facts;
use super::recency::FACTS;

/// Merges what a record says of a user, all of which is as new as its `asOf`: keeps the earliest `created`
/// and the latest `lastSeen`, and of every other fact and every trait the newest that is known, or of two
/// equally new ones the record's. Returns whether that changes the user.
pub(super) fn merge_user<'a>(user: &mut Known<'a>, record: &Facts<'a>) -> bool {
    let Known {
        facts,
        recency,
        is_newer,
    } = user;
    let instants = &record.attributes;
    let theirs = AsOf::of(instants.string("asOf"), instants.string("lastSeen"));
    let mut is_changed = theirs > recency.as_of;
    if is_changed {
        *is_newer = true;
        recency.as_of = theirs.clone();
    }
    let mut has_new_age = false;
    is_changed |= merge_facts(facts, record, &FACTS, |fact, is_known| {
        let age = recency.ages.get(&fact);
        let takes = !is_known || age.is_none_or(|age| theirs >= *age);
        if takes && age != Some(&theirs) {
            *is_newer |= *age.unwrap_or(&recency.as_of) != theirs;
            recency.ages.insert(fact, theirs.clone());
            has_new_age = true;
        }
        takes
    });
    let has_earlier = merge_instant(facts, instants, "created", Ordering::Less);
    let has_later = merge_instant(facts, instants, "lastSeen", Ordering::Greater);
    is_changed || has_new_age || has_earlier || has_later
}

/// Takes an instant of a record if it compares like this with the known one; returns whether it does.
fn merge_instant<'a>(
    user: &mut Facts<'a>,
    record: &ItemMembers<'a>,
    name: &'static str,
    takes: Ordering,
) -> bool {
    let at = |item: &ItemMembers<'_>| item.parsed::<Timestamp>(name);
    let Some(new) = at(record) else {
        return false;
    };
    let takes = at(&user.attributes).is_none_or(|known| new.cmp(&known) == takes);
    if takes {
        let value = record.get(name).cloned();
        user.attributes.set(name.into(), value);
    }
    takes
}
