//! Merges what records say of users: each fact comes from the newest record that has it, in whatever order they
//! are imported.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use shared::items::{AsOf, Item, parsed, string};
use shared::model::Timestamp;

use super::merge_facts::{Changes, Fact, merge_facts};

const FACTS: [&str; 4] = ["id", "email", "name", "unsubscribed"];

/// How new the facts of a user are.
#[derive(Clone, PartialEq)]
struct Recency {
    as_of: AsOf,
    /// The facts that are older than `as_of`, by name.
    older: BTreeMap<String, AsOf>,
}

impl Recency {
    fn of(user: &Item) -> Self {
        let as_of = AsOf::of(user);
        let is_ours = string(user, "asOf") == Some(as_of.as_str());
        // Otherwise another program has written the user since then.
        let older = is_ours.then(|| older_facts(user, &as_of));
        Self {
            older: older.unwrap_or_default(),
            as_of,
        }
    }

    fn of_fact(&self, fact: Fact<'_>) -> &AsOf {
        if self.older.is_empty() {
            return &self.as_of;
        }
        self.older.get(&fact.to_string()).unwrap_or(&self.as_of)
    }

    fn set(&mut self, fact: Fact<'_>, as_of: &AsOf) {
        if *as_of < self.as_of {
            self.older.insert(fact.to_string(), as_of.clone());
        } else if !self.older.is_empty() {
            self.older.remove(&fact.to_string());
        }
    }

    /// Begins to merge a record: if it is newer, all that is known of the user has become older.
    fn advance(&mut self, user: &Item, record: &AsOf) {
        if *record <= self.as_of {
            return;
        }
        let before = std::mem::replace(&mut self.as_of, record.clone());
        for fact in known_facts(user) {
            let older = self.older.entry(fact.to_string());
            older.or_insert_with(|| before.clone());
        }
    }

    /// Returns the attributes that store it.
    fn attributes(self) -> Changes {
        let mut groups: BTreeMap<AsOf, Vec<String>> = BTreeMap::new();
        for (fact, as_of) in self.older {
            groups.entry(as_of).or_default().push(fact);
        }
        let groups = groups.into_iter();
        let groups =
            groups.map(|(as_of, facts)| (as_of.as_str().to_owned(), AttributeValue::Ss(facts)));
        let older: Item = groups.collect();
        let older = (!older.is_empty()).then_some(AttributeValue::M(older));
        vec![
            (
                "asOf",
                Some(AttributeValue::S(self.as_of.as_str().to_owned())),
            ),
            ("older", older),
        ]
    }
}

/// Decodes the attribute `older`: the names of the facts, by how new they are.
fn older_facts(user: &Item, than: &AsOf) -> BTreeMap<String, AsOf> {
    let groups = user.get("older").and_then(|older| older.as_m().ok());
    let groups = groups.into_iter().flatten();
    let facts = groups.filter_map(|(as_of, facts)| {
        let as_of = AsOf::stored(as_of);
        Some((as_of, facts.as_ss().ok()?))
    });
    let older = facts.filter(|(as_of, _)| as_of < than);
    older
        .flat_map(|(as_of, facts)| facts.iter().map(move |fact| (fact.clone(), as_of.clone())))
        .collect()
}

fn known_facts(user: &Item) -> impl Iterator<Item = Fact<'_>> {
    let is_known = |value: &AttributeValue| !value.is_null();
    let facts = FACTS.into_iter();
    let facts = facts.filter(move |name| user.get(*name).is_some_and(is_known));
    let traits = user.get("traits").and_then(|traits| traits.as_m().ok());
    let traits = traits.into_iter().flatten();
    let traits = traits.filter(move |(_, value)| is_known(value));
    let traits = traits.map(|(name, _)| Fact::Trait(name));
    facts.map(Fact::Attribute).chain(traits)
}

/// Merges what a record says of a user, all of which is as new as its `asOf`: keeps the earliest `created` and the latest
/// `lastSeen`, and of every other fact and every trait the newest that is known, or of two equally new ones the
/// record's.
pub(super) fn merge_user(user: &Item, mut record: Item) -> Changes {
    let (before, theirs) = (Recency::of(user), AsOf::of(&record));
    let instants = [
        merge_instant(user, &mut record, "created", Ordering::Less),
        merge_instant(user, &mut record, "lastSeen", Ordering::Greater),
    ];
    let mut recency = before.clone();
    recency.advance(user, &theirs);
    let mut changes = merge_facts(user, record, &FACTS, |fact, is_known| {
        let takes = !is_known || theirs >= *recency.of_fact(fact);
        if takes {
            recency.set(fact, &theirs);
        }
        takes
    });
    changes.extend(instants.into_iter().flatten());
    if recency != before {
        changes.extend(recency.attributes());
    }
    changes
}

/// Takes an instant of a record if it compares like this with the known one.
fn merge_instant(
    user: &Item,
    record: &mut Item,
    name: &'static str,
    takes: Ordering,
) -> Option<(&'static str, Option<AttributeValue>)> {
    let at = |item: &Item| parsed::<Timestamp>(item, name);
    let new = at(record)?;
    let takes = at(user).is_none_or(|known| new.cmp(&known) == takes);
    takes.then(|| (name, record.remove(name)))
}
