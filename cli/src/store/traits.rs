//! The traits of users and response records.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The members of a JSON object. Their values are kept as text, so that no number loses a digit.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(transparent)]
pub(crate) struct Traits(BTreeMap<String, Box<RawValue>>);

/// Equal traits have equal texts.
impl PartialEq for Traits {
    fn eq(&self, other: &Self) -> bool {
        self.iter()
            .map(|(name, value)| (name, value.get()))
            .eq(other.iter().map(|(name, value)| (name, value.get())))
    }
}

impl<'a> FromIterator<(String, &'a RawValue)> for Traits {
    fn from_iter<I: IntoIterator<Item = (String, &'a RawValue)>>(members: I) -> Self {
        let members = members.into_iter();
        Self(
            members
                .map(|(name, value)| (name, value.to_owned()))
                .collect(),
        )
    }
}

impl Traits {
    /// Parses a JSON text; returns `None` if it is not an object.
    pub(crate) fn from_json(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok().map(Self)
    }

    /// Returns the members, sorted by name.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), &**value))
    }

    /// Returns the JSON text of a member.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.get())
    }

    /// Adds the members of `other` that are unknown here and, if `replaces`, replaces the known ones.
    /// A `null` is unknown.
    pub(super) fn absorb(&mut self, other: Self, replaces: bool) {
        for (name, value) in other.0 {
            let is_unknown = self.get(&name).is_none_or(|known| known == "null");
            if is_unknown || (replaces && value.get() != "null") {
                self.0.insert(name, value);
            }
        }
    }
}
