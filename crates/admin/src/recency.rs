//! How new the facts of a user are: each comes from the newest record that has it, in whatever order records
//! are imported.

use std::borrow::Cow;
use std::collections::BTreeMap;

use encoding::{AsOf, ItemMembers, ItemValue};

use super::item_facts::{Fact, Facts};

/// The attributes that are facts of a user, beside its traits.
pub(super) const FACTS: [&str; 4] = ["id", "email", "name", "unsubscribed"];

/// How new the facts of a user are.
#[derive(Default)]
pub(super) struct Recency<'a> {
    /// Those of the newest record.
    pub(super) as_of: AsOf<'a>,
    /// Those that are known, and those that were.
    ages: BTreeMap<Fact<'a>, AsOf<'a>>,
    /// The number of the facts of each age, and the length of their names.
    groups: BTreeMap<AsOf<'a>, (usize, usize)>,
    /// What the groups would take if all were older than `as_of`.
    size: usize,
}

impl<'a> Recency<'a> {
    pub(super) fn of(user: &Facts<'a>) -> Self {
        let Facts { attributes, traits } = user;
        let stored = attributes.string("asOf");
        let as_of = AsOf::of(stored.clone(), attributes.string("lastSeen"));
        let is_ours = stored.as_deref() == Some(as_of.as_str());
        let mut recency = Self {
            as_of,
            ..Self::default()
        };
        // If not, another program has written the user since the last import.
        if is_ours {
            recency.read_older(attributes);
        }
        let attributes = FACTS.into_iter().filter_map(|name| {
            let value = attributes.get(name)?;
            Some((Fact::Attribute(name.into()), value))
        });
        let traits = traits.iter().flat_map(ItemMembers::iter);
        let traits = traits.map(|(name, value)| (Fact::Trait(name.clone()), value));
        for (fact, value) in attributes.chain(traits) {
            if !value.is_null() && recency.age(&fact).is_none() {
                recency.set(fact, Some(recency.as_of.clone()));
            }
        }
        recency
    }

    /// Reads the attribute `older`: the names of the facts, by how new they are.
    fn read_older(&mut self, attributes: &ItemMembers<'a>) {
        let groups = attributes.get("older").and_then(ItemValue::members);
        for (as_of, facts) in groups.iter().flat_map(ItemMembers::iter) {
            let as_of = AsOf::stored(as_of.clone());
            let facts = facts.texts().filter(|_| as_of < self.as_of);
            for fact in facts.into_iter().flatten() {
                self.set(Fact::named(fact), Some(as_of.clone()));
            }
        }
    }

    /// Returns how new a fact is that is known or was.
    pub(super) fn age(&self, fact: &Fact<'a>) -> Option<&AsOf<'a>> {
        self.ages.get(fact)
    }

    /// Sets how new a fact is; returns how new it was.
    pub(super) fn set(&mut self, fact: Fact<'a>, age: Option<AsOf<'a>>) -> Option<AsOf<'a>> {
        let length = fact.length();
        if let Some(age) = &age {
            let group = self.groups.entry(age.clone()).or_default();
            if group.0 == 0 {
                self.size += 1 + age.as_str().len();
            }
            *group = (group.0 + 1, group.1 + length);
            self.size += length;
        }
        let before = match age {
            Some(age) => self.ages.insert(fact, age),
            None => self.ages.remove(&fact),
        }?;
        if let Some(group) = self.groups.get_mut(&before) {
            *group = (group.0 - 1, group.1 - length);
            self.size -= length;
            if group.0 == 0 {
                self.groups.remove(&before);
                self.size -= 1 + before.as_str().len();
            }
        }
        Some(before)
    }

    /// Returns the size of the attributes that store it.
    pub(super) fn size(&self) -> usize {
        let as_of = self.as_of.as_str().len();
        let newest = self.groups.get(&self.as_of);
        let newest = newest.map_or(0, |(_, names)| 1 + as_of + names);
        let older = match self.size - newest {
            0 => 0,
            size => "older".len() + 3 + size,
        };
        "asOf".len() + as_of + older
    }

    /// Returns the attributes that store it.
    pub(super) fn attributes(&self) -> [(&'static str, Option<ItemValue<'static>>); 2] {
        let mut groups: BTreeMap<&AsOf<'_>, Vec<Cow<'_, str>>> = BTreeMap::new();
        for (fact, as_of) in &self.ages {
            if *as_of < self.as_of {
                groups.entry(as_of).or_default().push(fact.name());
            }
        }
        let mut older = ItemMembers::default();
        for (as_of, mut facts) in groups {
            facts.sort();
            let facts = ItemValue::strings(facts.iter().map(|fact| &**fact));
            older.set(Cow::Owned(as_of.as_str().to_owned()), Some(facts));
        }
        let has_older = older.count() > 0;
        [
            ("asOf", Some(ItemValue::string(self.as_of.as_str()))),
            ("older", has_older.then(|| ItemValue::map(&older))),
        ]
    }
}
