//! Merges what one record says into an item, fact by fact.

use super::item_facts::{Fact, Facts};

/// Merges the attributes with these names, and the traits, of a record into an item; returns whether that
/// changes it. `takes` decides for each fact of the record whether the item takes it, given whether the item
/// knows one.
pub(super) fn merge_facts<'a>(
    item: &mut Facts<'a>,
    record: &Facts<'a>,
    attributes: &[&'static str],
    mut takes: impl FnMut(Fact<'a>, bool) -> bool,
) -> bool {
    let mut has_changed = false;
    for &name in attributes {
        let Some(value) = record.attributes.get(name) else {
            continue;
        };
        let known = item.attributes.get(name);
        // A value of another type is damaged.
        let is_known = known.is_some_and(|known| known.is_like(value));
        let is_same = || known.is_some_and(|known| known.equals(value));
        if takes(Fact::Attribute(name.into()), is_known) && !is_same() {
            item.attributes.set(name.into(), Some(value.clone()));
            has_changed = true;
        }
    }
    let Some(traits) = &record.traits else {
        return has_changed;
    };
    let Some(known) = &mut item.traits else {
        for (name, _) in traits.iter().filter(|(_, value)| !value.is_null()) {
            takes(Fact::Trait(name.clone()), false);
        }
        item.traits = Some(traits.clone());
        return true;
    };
    for (name, value) in traits.iter() {
        let stored = known.get(name);
        let takes = match stored.filter(|stored| !stored.is_null()) {
            _ if value.is_null() => stored.is_none(),
            stored => takes(Fact::Trait(name.clone()), stored.is_some()),
        };
        // A stored set or binary value keeps its type.
        if takes && !stored.is_some_and(|stored| stored.equals(value)) {
            known.set(name.clone(), Some(value.clone()));
            has_changed = true;
        }
    }
    has_changed
}
