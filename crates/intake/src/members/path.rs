//! Paths to the members of a JSON object.

use serde_json::value::RawValue;

use crate::members::{JsonObject, scalar};
use crate::rules::reason::{Reason, quoted};

/// What is at a path.
#[derive(Default)]
pub(crate) struct AtPath<'a> {
    /// What the last step of the path leads into, unless that is the record or `null`.
    pub(crate) parent: Option<&'a RawValue>,
    /// The value, which may be `null`.
    pub(crate) found: Option<&'a RawValue>,
}

impl<'a> AtPath<'a> {
    /// Returns the value, unless it is `null`.
    pub(crate) fn value(&self) -> Option<&'a RawValue> {
        self.found.filter(|value| value.get() != "null")
    }
}

impl<'a> JsonObject<'a> {
    /// Returns what is at a path: the member of this whole name, or else, within the member of the longest
    /// name that a dot ends, what is at the rest of the path.
    pub(crate) fn find(&self, path: &str) -> Result<AtPath<'a>, Reason> {
        if let Some(value) = self.value_of(path) {
            return Ok(AtPath {
                found: Some(value),
                parent: None,
            });
        }
        let mut nearest = None;
        for (dot, _) in path.rmatch_indices('.') {
            let (Some(name), Some(rest)) = (path.get(..dot), path.get(dot + 1..)) else {
                continue;
            };
            let Some(value) = self.value_of(name) else {
                continue;
            };
            let AtPath { parent, found } = match value.get().as_bytes() {
                [b'{', ..] => Self::parse(value.get())?.find(rest)?,
                [b'[', ..] => AtPath {
                    parent: Some(value),
                    found: answer(name, value, rest)?,
                },
                b"null" => continue,
                _ => AtPath {
                    parent: Some(value),
                    found: None,
                },
            };
            let is_last_step = found.is_some() || !rest.contains('.');
            let parent = parent.or(is_last_step.then_some(value));
            if found.is_some() {
                return Ok(AtPath { parent, found });
            }
            nearest = nearest.or(parent);
        }
        Ok(AtPath {
            parent: nearest,
            found: None,
        })
    }
}

/// Returns the `value` of the object with this `id` in a list.
fn answer<'a>(name: &str, list: &'a RawValue, id: &str) -> Result<Option<&'a RawValue>, Reason> {
    let elements: Vec<&RawValue> = serde_json::from_str(list.get()).map_err(|e| e.to_string())?;
    let mut found = None;
    for element in elements {
        if !element.get().starts_with('{') {
            continue;
        }
        let answer = JsonObject::parse(element.get())?;
        let its_id = answer.get("id").map(|id| scalar("id", id)).transpose()?;
        if its_id.is_some_and(|its_id| its_id == id)
            && found.replace(answer.value_of("value")).is_some()
        {
            return Err(format!("{name} has {} twice", quoted(id)));
        }
    }
    Ok(found.flatten())
}
