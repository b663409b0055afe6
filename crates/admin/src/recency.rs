//! How new the facts of a user are: each comes from the newest record that has it, in whatever order records
//! are imported.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;

use encoding::{AsOf, ItemMembers, ItemValue};

use super::known::{Fact, Facts};

/// The attributes that are facts of a user, beside its traits.
pub(super) const FACTS: [&str; 4] = ["id", "email", "name", "unsubscribed"];

/// How new the facts of a user are.
#[derive(Default)]
pub(super) struct Recency<'a> {
    /// How new the newest record is.
    as_of: AsOf<'a>,
    /// How new each fact is that is known, or was known earlier.
    ages: BTreeMap<Fact<'a>, AsOf<'a>>,
    /// The bytes of the names of the facts of each age.
    names: BTreeMap<AsOf<'a>, usize>,
    /// The bytes of all ages and names.
    size: usize,
    /// The bytes of the attributes `asOf` and `older` that the user was read with.
    stored_size: usize,
    /// Whether those attributes say otherwise.
    pub(super) is_new: bool,
    /// Whether the sizes are known.
    is_measured: bool,
}

impl<'a> Recency<'a> {
    pub(super) fn of(user: &Facts<'a>, is_measured: bool) -> Self {
        let Facts { attributes, traits } = user;
        let stored = attributes.string("asOf");
        let as_of = AsOf::of(stored.clone(), attributes.string("lastSeen"));
        let is_ours = stored.as_deref() == Some(as_of.as_str());
        let measured = ["asOf", "older"].into_iter().filter(|_| is_measured);
        let stored_sizes = measured.filter_map(|name| {
            let value = attributes.get(name)?;
            Some(name.len() + value.size())
        });
        let mut recency = Self {
            as_of,
            stored_size: stored_sizes.sum(),
            is_measured,
            ..Self::default()
        };
        // Otherwise, another program has written the user since the last import.
        if is_ours {
            recency.read_older(attributes);
        }

        let of_attributes = FACTS.into_iter().filter_map(|name| {
            let value = attributes.get(name)?;
            Some((Fact::Attribute(name.into()), value))
        });
        let of_traits = traits
            .iter()
            .flat_map(ItemMembers::iter)
            .map(|(name, value)| (Fact::Trait(name.clone()), value));
        for (fact, value) in of_attributes.chain(of_traits) {
            if !value.is_null() && recency.age(&fact).is_none() {
                recency.set(&fact, Some(recency.as_of.clone()));
            }
        }
        recency.is_new = false;
        recency
    }

    /// Reads the attribute `older`: the names of the facts, by how new they are.
    fn read_older(&mut self, attributes: &ItemMembers<'a>) {
        let older = attributes.get("older").and_then(ItemValue::members);
        for (text, facts) in older.iter().flat_map(ItemMembers::iter) {
            let as_of = AsOf::stored(text.clone());
            let names = facts.texts().filter(|_| as_of < self.as_of);
            for name in names.into_iter().flatten().filter(|it| !it.is_empty()) {
                self.set(&Fact::named(name), Some(as_of.clone()));
            }
        }
    }

    /// Returns whether a record is newer than all others.
    pub(super) fn is_older_than(&self, as_of: &AsOf<'a>) -> bool {
        self.as_of < *as_of
    }

    /// Exchanges the age of the newest record for this one.
    pub(super) fn renew(&mut self, as_of: &mut AsOf<'a>) {
        mem::swap(&mut self.as_of, as_of);
        self.is_new = true;
    }

    /// Returns how new a fact is that is known, or was known earlier.
    pub(super) fn age(&self, fact: &Fact<'a>) -> Option<&AsOf<'a>> {
        self.ages.get(fact)
    }

    /// Sets how new a fact is; returns how new it was.
    pub(super) fn set(&mut self, fact: &Fact<'a>, age: Option<AsOf<'a>>) -> Option<AsOf<'a>> {
        let known = self.age(fact).unwrap_or(&self.as_of);
        self.is_new |= age.as_ref() != Some(known);
        if self.is_measured {
            self.measure(fact, age.as_ref());
        }
        match age {
            Some(age) => self.ages.insert(fact.clone(), age),
            None => self.ages.remove(fact),
        }
    }

    /// Counts the name of a fact with the age that it will have, and no longer with the one that it has.
    fn measure(&mut self, fact: &Fact<'a>, age: Option<&AsOf<'a>>) {
        let name = fact.name().len();
        if let Some(age) = age {
            let names = self.names.entry(age.clone()).or_default();
            if *names == 0 {
                self.size += 1 + age.as_str().len();
            }
            *names += name;
            self.size += name;
        }
        if let Some(before) = self.ages.get(fact)
            && let Some(names) = self.names.get_mut(before)
        {
            *names -= name;
            self.size -= name;
            if *names == 0 {
                self.names.remove(before);
                self.size -= 1 + before.as_str().len();
            }
        }
    }

    /// Returns the size of an item that has this size with the attributes that the user was read with.
    pub(super) fn size_with(&self, size: usize) -> usize {
        if !self.is_new {
            return size;
        }
        let as_of = self.as_of.as_str().len();
        let newest = self
            .names
            .get(&self.as_of)
            .map_or(0, |names| 1 + as_of + names);
        let older = match self.size - newest {
            0 => 0,
            older => "older".len() + 3 + older,
        };
        size - self.stored_size + "asOf".len() + as_of + older
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
