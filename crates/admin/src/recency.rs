//! How new the facts of a user are: each comes from the newest record that has it, in whatever order records
//! are imported.

use std::borrow::Cow;
use std::collections::BTreeMap;

use encoding::{AsOf, ItemMembers, ItemValue};

use super::item_facts::{Fact, Facts};

/// The attributes that are facts of a user, beside its traits.
pub(super) const FACTS: [&str; 4] = ["id", "email", "name", "unsubscribed"];

/// How new the facts of a user are.
#[derive(Clone, Default)]
pub(super) struct Recency<'a> {
    /// How new the newest record is.
    as_of: AsOf<'a>,
    /// How new each fact is that is known, or was known earlier.
    ages: BTreeMap<Fact<'a>, AsOf<'a>>,
    /// Whether the attributes `asOf` and `older` that the user was read with say otherwise.
    pub(super) is_new: bool,
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
        // Otherwise, another program has written the user since the last import.
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
                recency.set(fact, recency.as_of.clone());
            }
        }
        recency.is_new = false;
        recency
    }

    /// Reads the attribute `older`: the names of the facts, by how new they are.
    fn read_older(&mut self, attributes: &ItemMembers<'a>) {
        let older = attributes.get("older").and_then(ItemValue::members);
        for (as_of, facts) in older.iter().flat_map(ItemMembers::iter) {
            let as_of = AsOf::stored(as_of.clone());
            let facts = facts.texts().filter(|_| as_of < self.as_of);
            let facts = facts.into_iter().flatten();
            for fact in facts.filter(|fact| !fact.is_empty()) {
                self.set(Fact::named(fact), as_of.clone());
            }
        }
    }

    /// Returns whether a record is newer than all others.
    pub(super) fn is_older_than(&self, as_of: &AsOf<'a>) -> bool {
        self.as_of < *as_of
    }

    /// Sets how new the newest record is.
    pub(super) fn renew(&mut self, as_of: AsOf<'a>) {
        self.as_of = as_of;
        self.is_new = true;
    }

    /// Returns how new a fact is that is known, or was known earlier.
    pub(super) fn age(&self, fact: &Fact<'a>) -> Option<&AsOf<'a>> {
        self.ages.get(fact)
    }

    /// Sets how new a fact is.
    pub(super) fn set(&mut self, fact: Fact<'a>, age: AsOf<'a>) {
        let known = self.age(&fact).unwrap_or(&self.as_of);
        self.is_new |= age != *known;
        self.ages.insert(fact, age);
    }

    /// Returns the attributes that say how new the facts are.
    pub(super) fn attributes(&self) -> [(&'static str, Option<ItemValue<'static>>); 2] {
        let mut names: BTreeMap<&AsOf<'_>, Vec<Cow<'_, str>>> = BTreeMap::new();
        for (fact, as_of) in &self.ages {
            if *as_of < self.as_of {
                names.entry(as_of).or_default().push(fact.name());
            }
        }
        let mut older = ItemMembers::default();
        for (as_of, mut names) in names {
            names.sort();
            let facts = ItemValue::strings(names.iter().map(|name| &**name));
            older.set(Cow::Owned(as_of.as_str().to_owned()), Some(facts));
        }
        let has_older = older.iter().next().is_some();
        [
            ("asOf", Some(ItemValue::string(self.as_of.as_str()))),
            ("older", has_older.then(|| ItemValue::map(&older))),
        ]
    }
}
