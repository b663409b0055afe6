//! The traits of users and response records.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The members of a JSON object. Their values are kept as text, so that no number loses a digit.
#[derive(Debug, Clone, serde::Serialize)]
#[serde(transparent)]
pub(crate) struct Traits(BTreeMap<String, Box<RawValue>>);

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
}
