//! The members of a JSON object, taken by name.

use std::borrow::Cow;
use std::fmt;

use items::Traits;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::reason::{Reason, quoted};
use crate::rules::OUTCOMES;

/// The members of users that no display has.
pub(crate) const OF_USERS: [&str; 2] = ["lastSeen", "unsubscribed"];

/// The members of a JSON object, sorted by name. A member that is `null` counts as absent.
#[derive(Clone, Default)]
pub(crate) struct JsonObject<'a>(Vec<Pair<'a>>);

impl<'a> JsonObject<'a> {
    /// Parses an object.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be parsed.
    pub(crate) fn parse(json: &'a str) -> Result<Self, Reason> {
        let mut members = pairs(json)?;
        // Stable, so that members of the same name keep their order.
        members.sort_by(|(name, _), (other, _)| name.cmp(other));
        let neighbours = members.array_windows();
        let again = neighbours.filter_map(|[(name, _), again]| (*name == again.0).then_some(again));
        match again.min_by_key(|(_, value)| value.get().as_ptr()) {
            Some((name, _)) => {
                let name = quoted(name);
                Err(format!("it is not a record: duplicate member {name}"))
            }
            None => Ok(Self(members)),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// Returns whether a sender of responses wrote it, who names their answers even if nobody responded.
    fn has_answer(&self) -> bool {
        OUTCOMES.iter().any(|name| self.value_of(name).is_some())
    }

    /// Returns whether the object seems to be a response rather than a user.
    pub(crate) fn is_response(&self) -> bool {
        if self.has("userId") {
            return self.has_answer() && self.has("created") && !self.has_any(&OF_USERS);
        }
        self.has_answer() || (self.has("user") && self.has("created"))
    }

    /// Returns whether the object seems to be a user rather than a response. What has an `id` and `created` beside
    /// its `userId` may be a display that nobody responded to, unless it has one of these members.
    pub(crate) fn is_user(&self, facts: &[&str]) -> bool {
        let is_display = self.has("id") && self.has("created") && !self.has_any(facts);
        self.has("userId") && !self.has_answer() && !self.has("user") && !is_display
    }

    /// Returns the text of what is at a path, or `None` if nothing or no scalar is.
    pub(crate) fn text_at(&self, path: &str) -> Result<Option<Cow<'a, str>>, Reason> {
        let found = self.find(path)?;
        Ok(found.value().and_then(|value| scalar(path, value).ok()))
    }

    /// Returns a member that is an object.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Self>, Reason> {
        match self.get(name) {
            None => Ok(None),
            Some(value) if value.get().starts_with('{') => Self::parse(value.get()).map(Some),
            Some(_) => Err(format!("{name} must be an object")),
        }
    }

    /// Checks that no name repeats within the values.
    pub(crate) fn check_values(&self) -> Result<(), Reason> {
        // Those that are nested deeper cannot be stored.
        let mut values = self.0.iter();
        values.try_for_each(|(_, value)| check_names(value.get(), 31))
    }

    /// Returns the members as traits.
    pub(crate) fn to_traits(&self) -> Traits {
        let members = self.0.iter();
        members
            .map(|(name, value)| (name.clone().into_owned(), *value))
            .collect()
    }

    /// Sets a member; returns its value before, unless that was `null`.
    pub(crate) fn set(&mut self, name: &str, value: &'a RawValue) -> Option<&'a RawValue> {
        let before = self.get(name);
        self.0.retain(|(found, _)| found != name);
        let (Ok(at) | Err(at)) = self.position(name);
        self.0.insert(at, (name.to_owned().into(), value));
        before
    }

    /// Returns the value of a member, unless that is `null`.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.value_of(name).filter(|value| value.get() != "null")
    }

    /// Returns the value of a member, which may be `null`.
    pub(crate) fn value_of(&self, name: &str) -> Option<&'a RawValue> {
        self.0
            .get(self.position(name).ok()?)
            .map(|(_, value)| *value)
    }

    /// Returns all members, some of which may be `null`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }

    /// Returns where the member is, or else where it would be.
    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(found, _)| (**found).cmp(name))
    }

    /// Returns the names of the members that are not `null`.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let present = self.0.iter().filter(|(_, value)| value.get() != "null");
        present.map(|(name, _)| &**name)
    }
}

/// Returns the text of a string, number or boolean.
pub(crate) fn scalar<'a>(name: &str, value: &'a RawValue) -> Result<Cow<'a, str>, Reason> {
    let json = value.get();
    match json.as_bytes() {
        [b'"', ..] if json.contains('\\') => serde_json::from_str(json)
            .map(Cow::Owned)
            .map_err(|_| format!("{name} is not valid text")),
        [b'"', ..] => Ok(json.trim_matches('"').into()),
        [b'{' | b'[', ..] => Err(format!("{name} must be a string, number or boolean")),
        _ => Ok(json.into()),
    }
}

/// Checks that no name repeats within an object of this JSON, down to this level.
fn check_names(json: &str, levels: u32) -> Result<(), Reason> {
    let check = |value: &RawValue| check_names(value.get(), levels - 1);
    match json.as_bytes() {
        [b'{', ..] if levels > 0 => {
            let mut values = JsonObject::parse(json)?.0.into_iter();
            values.try_for_each(|(_, value)| check(value))
        }
        [b'[', ..] if levels > 0 => elements(json)?.into_iter().try_for_each(check),
        _ => Ok(()),
    }
}

/// Returns the elements of an array. `Err` is the reason why it cannot be parsed.
pub(crate) fn elements(json: &str) -> Result<Vec<&RawValue>, Reason> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// The name of a member, and its value.
type Pair<'a> = (Cow<'a, str>, &'a RawValue);

/// The text of a JSON string.
#[derive(Deserialize)]
pub(crate) struct JsonString<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// Returns the names and values of an object, of which names may repeat. `Err` is the reason why it cannot be
/// parsed.
pub(crate) fn pairs(json: &str) -> Result<Vec<Pair<'_>>, Reason> {
    if !json.starts_with('{') {
        return Err("it is not a JSON object".to_owned());
    }
    let pairs = serde_json::from_str(json).map(|MemberPairs(pairs)| pairs);
    pairs.map_err(|error| {
        let message = error.to_string();
        // The position within the line is of little use.
        let fault = message.split(" at line ").next().unwrap_or_default();
        format!("it is not a record: {fault}")
    })
}

struct MemberPairs<'a>(Vec<Pair<'a>>);

impl<'de: 'a, 'a> Deserialize<'de> for MemberPairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = MemberPairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<MemberPairs<'de>, A::Error> {
                let mut pairs = Vec::with_capacity(8);
                while let Some((JsonString(name), value)) = map.next_entry()? {
                    pairs.push((name, value));
                }
                Ok(MemberPairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}
