//! Merges what records say of users: each fact comes from the newest record that has it, in whatever order they
//! are imported.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use shared::items::{AsOf, Members, Value};
use shared::model::Timestamp;

use super::merge_facts::{Changes, Fact, merge_facts};

const FACTS: [&str; 4] = ["id", "email", "name", "unsubscribed"];

/// How new the facts of a user are.
#[derive(Clone, PartialEq)]
struct Recency<'a> {
    as_of: AsOf<'a>,
    /// The facts that are older than `as_of`, by name.
    older: BTreeMap<Cow<'a, str>, AsOf<'a>>,
}

impl<'a> Recency<'a> {
    fn of(user: &'a Members<'_>) -> Self {
        let stored = user.string("asOf");
        let as_of = AsOf::of(stored.clone(), user.string("lastSeen"));
        let is_ours = stored.as_deref() == Some(as_of.as_str());
        // Otherwise another program has written the user since then.
        let older = is_ours.then(|| older_facts(user, &as_of));
        Self {
            older: older.unwrap_or_default(),
            as_of,
        }
    }

    fn of_fact(&self, fact: Fact<'_>) -> &AsOf<'a> {
        if self.older.is_empty() {
            return &self.as_of;
        }
        self.older.get(&*fact.name()).unwrap_or(&self.as_of)
    }

    fn set(&mut self, fact: Fact<'_>, as_of: &AsOf<'a>) {
        if *as_of < self.as_of {
            let name = Cow::Owned(fact.name().into_owned());
            self.older.insert(name, as_of.clone());
        } else if !self.older.is_empty() {
            self.older.remove(&*fact.name());
        }
    }

    /// Begins to merge a record: if it is newer, all that is known of the user has become older.
    fn advance(&mut self, user: &'a Members<'_>, record: &AsOf<'a>) {
        if *record <= self.as_of {
            return;
        }
        let before = std::mem::replace(&mut self.as_of, record.clone());
        each_known_fact(user, |fact| {
            let older = self.older.entry(fact);
            older.or_insert_with(|| before.clone());
        });
    }

    /// Returns the attributes that store it.
    fn attributes(&self) -> Changes<'static> {
        let mut groups: BTreeMap<&AsOf<'_>, Vec<&str>> = BTreeMap::new();
        for (fact, as_of) in &self.older {
            groups.entry(as_of).or_default().push(fact);
        }
        let mut older = Members::default();
        for (as_of, facts) in groups {
            older.set(as_of.as_str(), Some(Value::strings(facts)));
        }
        let is_empty = self.older.is_empty();
        vec![
            ("asOf", Some(Value::string(self.as_of.as_str()))),
            ("older", (!is_empty).then(|| Value::map(&older))),
        ]
    }
}

/// Decodes the attribute `older`: the names of the facts, by how new they are.
fn older_facts<'a>(user: &'a Members<'_>, than: &AsOf<'a>) -> BTreeMap<Cow<'a, str>, AsOf<'a>> {
    let mut older = BTreeMap::new();
    let groups = user.get("older").and_then(Value::members);
    for (as_of, facts) in groups.into_iter().flatten() {
        let as_of = AsOf::stored(as_of);
        let facts = facts.texts().filter(|_| as_of < *than);
        let facts = facts.into_iter().flatten();
        older.extend(facts.map(|fact| (fact, as_of.clone())));
    }
    older
}

/// Calls a function with the name of each fact that is known of a user.
fn each_known_fact<'a>(user: &'a Members<'_>, mut function: impl FnMut(Cow<'a, str>)) {
    for name in FACTS {
        if user.get(name).is_some_and(|value| !value.is_null()) {
            function(name.into());
        }
    }
    let traits = user.get("traits").and_then(Value::members);
    for (name, value) in traits.into_iter().flatten() {
        if !value.is_null() {
            function(Fact::Trait(&name).name().into_owned().into());
        }
    }
}

/// Merges what a record says of a user, all of which is as new as its `asOf`: keeps the earliest `created` and the latest
/// `lastSeen`, and of every other fact and every trait the newest that is known, or of two equally new ones the
/// record's.
pub(super) fn merge_user<'a>(user: &Members<'_>, record: &Members<'a>) -> Changes<'a> {
    let before = Recency::of(user);
    let theirs = AsOf::of(record.string("asOf"), record.string("lastSeen"));
    let mut recency = before.clone();
    recency.advance(user, &theirs);
    let mut changes = merge_facts(user, record, &FACTS, |fact, is_known| {
        let takes = !is_known || theirs >= *recency.of_fact(fact);
        if takes {
            recency.set(fact, &theirs);
        }
        takes
    });
    let instants = [
        merge_instant(user, record, "created", Ordering::Less),
        merge_instant(user, record, "lastSeen", Ordering::Greater),
    ];
    changes.extend(instants.into_iter().flatten());
    if recency != before {
        changes.extend(recency.attributes());
    }
    changes
}

/// Takes an instant of a record if it compares like this with the known one.
fn merge_instant<'a>(
    user: &Members<'_>,
    record: &Members<'a>,
    name: &'static str,
    takes: Ordering,
) -> Option<(&'static str, Option<Value<'a>>)> {
    let at = |item: &Members<'_>| item.string(name)?.parse::<Timestamp>().ok();
    let new = at(record)?;
    let takes = at(user).is_none_or(|known| new.cmp(&known) == takes);
    takes.then(|| (name, record.get(name).cloned()))
}
