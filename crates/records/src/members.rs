//! The members of a JSON object, taken by name.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use shared::items::Traits;
use shared::model::Timestamp;

use super::Reason;
use super::dates::{Dates, is_exact};
use super::reason::quoted;

/// The members of a JSON object that have not been taken. A member that is `null` counts as absent.
#[derive(Default)]
pub struct Members<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    /// Parses an object.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be parsed.
    pub fn parse(json: &'a str) -> Result<Self, Reason> {
        let mut members = BTreeMap::new();
        for (JsonString(name), value) in pairs(json)? {
            if members.insert(name.clone(), value).is_some() {
                let name = quoted(&name);
                return Err(format!("it is not a record: duplicate member {name}"));
            }
        }
        Ok(Self(members))
    }

    /// Returns whether a member has a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Takes a member.
    pub(super) fn take(&mut self, name: &str) -> Option<&'a RawValue> {
        self.0.remove(name).filter(|value| value.get() != "null")
    }

    /// Takes a string, or the text of a number or boolean: exports disagree about the type of
    /// identifiers.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Reason> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        scalar(name, value).map(Some)
    }

    /// Takes a text and parses it.
    pub(super) fn value<T: FromStr<Err: fmt::Display>>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, Reason> {
        let text = self.text(name)?;
        text.map(|text| parsed(name, &text)).transpose()
    }

    /// Takes an instant. One that is not exact has the format of these dates, if there is one.
    pub(super) fn instant(
        &mut self,
        name: &str,
        dates: Option<&Dates>,
    ) -> Result<Option<Timestamp>, Reason> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let text = match dates {
            Some(dates) if !is_exact(&text) => dates
                .canonical(&text)
                .map_err(|reason| format!("{name}: {reason}"))?,
            _ => text,
        };
        parsed(name, &text).map(Some)
    }

    /// Takes a boolean.
    pub(super) fn flag(&mut self, name: &str) -> Result<Option<bool>, Reason> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(Some(true)),
            "false" | "0" => Ok(Some(false)),
            _ => Err(format!(
                "{name} must be true or false, got {}",
                quoted(&text)
            )),
        }
    }

    /// Takes an object; absent members make an empty one.
    pub(super) fn object(&mut self, name: &str) -> Result<Self, Reason> {
        match self.take(name) {
            None => Ok(Self(BTreeMap::new())),
            Some(value) if value.get().starts_with('{') => Self::parse(value.get()),
            Some(_) => Err(format!("{name} must be an object")),
        }
    }

    /// Takes an object as traits, whose names must be text.
    pub(super) fn traits(&mut self, name: &str) -> Result<Option<Self>, Reason> {
        let json = self.0.get(name).map(|value| value.get());
        let Some(json) = json.filter(|json| *json != "null") else {
            return Ok(None);
        };
        let traits = self.object(name)?;
        check_text(json)?;
        Ok(Some(traits))
    }

    /// Checks that no name repeats within the values.
    pub(super) fn check_values(&self) -> Result<(), Reason> {
        // Those that are nested deeper cannot be stored.
        let mut values = self.0.values();
        values.try_for_each(|value| check_names(value.get(), 31))
    }

    /// Returns the members whose names this accepts as traits.
    pub(super) fn to_traits(&self, accepts: impl Fn(&str) -> bool) -> Traits {
        let members = self.0.iter().filter(|(name, _)| accepts(name));
        members
            .map(|(name, value)| (name.clone(), *value))
            .collect()
    }

    /// Sets a member; returns its value before, unless that was `null`.
    pub(super) fn set(&mut self, name: &str, value: &'a RawValue) -> Option<&'a RawValue> {
        let before = self.0.insert(name.to_owned(), value);
        before.filter(|value| value.get() != "null")
    }

    /// Returns a member, which is left where it is.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.value_of(name).filter(|value| value.get() != "null")
    }

    /// Returns the value of a member, which may be `null`.
    pub(super) fn value_of(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }

    /// Returns the names of the members that were not taken.
    pub(super) fn remaining(&self) -> impl Iterator<Item = &str> {
        let present = self.0.iter().filter(|(_, value)| value.get() != "null");
        present.map(|(name, _)| name.as_str())
    }
}

/// Returns the text of a string, number or boolean.
pub(super) fn scalar(name: &str, value: &RawValue) -> Result<String, Reason> {
    match value.get().as_bytes() {
        [b'"', ..] => {
            serde_json::from_str(value.get()).map_err(|_| format!("{name} is not valid text"))
        }
        [b'{' | b'[', ..] => Err(format!("{name} must be a string, number or boolean")),
        _ => Ok(value.get().to_owned()),
    }
}

fn parsed<T: FromStr<Err: fmt::Display>>(name: &str, text: &str) -> Result<T, Reason> {
    text.parse()
        .map_err(|error| format!("{name} {error}, got {}", quoted(text)))
}

/// Checks that no name repeats within an object of this JSON, down to this level.
fn check_names(json: &str, levels: u32) -> Result<(), Reason> {
    let mut values: Box<dyn Iterator<Item = &RawValue>> = match json.as_bytes() {
        [b'{', ..] if levels > 0 => {
            check_text(json)?;
            Box::new(Members::parse(json)?.0.into_values())
        }
        [b'[', ..] if levels > 0 => {
            let values: Vec<&RawValue> =
                serde_json::from_str(json).map_err(|error| error.to_string())?;
            Box::new(values.into_iter())
        }
        _ => return Ok(()),
    };
    values.try_for_each(|value| check_names(value.get(), levels - 1))
}

/// Checks that the names of this object can be stored: a lone surrogate has no UTF-8.
fn check_text(json: &str) -> Result<(), Reason> {
    let names = serde_json::from_str::<BTreeMap<String, &RawValue>>(json);
    names
        .map(drop)
        .map_err(|_| "traits has a name that is not valid text".to_owned())
}

/// The text of a JSON string. A lone surrogate, which has no UTF-8, makes it the text of escaped bytes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct JsonString(pub(super) String);

impl<'de> Deserialize<'de> for JsonString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = JsonString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<JsonString, E> {
                let text = str::from_utf8(bytes).map(str::to_owned);
                Ok(JsonString(
                    text.unwrap_or_else(|_| bytes.escape_ascii().to_string()),
                ))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

/// Returns the names and values of an object, of which names may repeat. `Err` is the reason why it cannot be
/// parsed.
pub(super) fn pairs(json: &str) -> Result<Vec<(JsonString, &RawValue)>, Reason> {
    if !json.starts_with('{') {
        return Err("it is not a JSON object".to_owned());
    }
    let pairs = serde_json::from_str(json).map(|Pairs(pairs)| pairs);
    pairs.map_err(|error| {
        // The position within the line is of little use.
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        format!("it is not a record: {text}")
    })
}

struct Pairs<'a>(Vec<(JsonString, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
