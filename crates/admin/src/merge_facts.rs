//! Merges what one record says into an item, fact by fact.

use encoding::ItemMembers;

use super::item_facts::{Fact, Facts};
use super::known::Changes;

/// Merges the attributes with these names, and the traits, of a record into an item; returns what that
/// changes. `takes` decides for each fact of the record whether the item takes it, given whether the item
/// knows one.
pub(super) fn merge_facts<'a>(
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
