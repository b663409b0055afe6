//! Paths to the members of a JSON object.

use serde_json::value::RawValue;

use super::Reason;
use super::members::{Members, scalar};
use super::reason::quoted;

/// What is at a path.
pub(super) enum Found<'a> {
    /// A value, which may be `null`.
    Value(&'a RawValue),
    /// A list of answers, and the one to the question that the path names, if there is one. It may be `null`.
    Answers {
        list: &'a RawValue,
        value: Option<&'a RawValue>,
    },
    /// Nothing.
    Nothing,
}

impl<'a> Found<'a> {
    /// Returns the value, unless it is `null`.
    pub(super) fn value(&self) -> Option<&'a RawValue> {
        let value = match self {
            Self::Value(value) => Some(*value),
            Self::Answers { value, .. } => *value,
            Self::Nothing => None,
        };
        value.filter(|value| value.get() != "null")
    }
}

impl<'a> Members<'a> {
    /// Returns what is at a path: the member of this whole name, or else, within the member of the longest
    /// name that a dot ends, what is at the rest of the path.
    pub(super) fn find(&self, path: &str) -> Result<Found<'a>, Reason> {
        if let Some(value) = self.value_of(path) {
            return Ok(Found::Value(value));
        }
        for (dot, _) in path.rmatch_indices('.') {
            let (Some(name), Some(rest)) = (path.get(..dot), path.get(dot + 1..)) else {
                continue;
            };
            let Some(value) = self.value_of(name) else {
                continue;
            };
            let found = match value.get().as_bytes() {
                [b'{', ..] => Self::parse(value.get())?.find(rest)?,
                [b'[', ..] => answer(name, value, rest)?,
                _ => Found::Nothing,
            };
            if !matches!(found, Found::Nothing) {
                return Ok(found);
            }
        }
        Ok(Found::Nothing)
    }
}

/// Returns the `value` of the object with this `id` in a list.
fn answer<'a>(name: &str, list: &'a RawValue, id: &str) -> Result<Found<'a>, Reason> {
    let elements: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(|e| e.to_string())?;
    let mut value = None;
    for element in elements {
        if !element.get().starts_with('{') {
            return Ok(Found::Nothing);
        }
        let answer = Members::parse(element.get())?;
        let found = answer.get("id").map(|id| scalar("id", id)).transpose()?;
        if found.is_some_and(|found| found == id) {
            if value.is_some() {
                return Err(format!("{name} has {} twice", quoted(id)));
            }
            value = answer.value_of("value");
        }
    }
    Ok(Found::Answers { list, value })
}
