//! JSON values: the members of an object, taken by name or path; its canonical form, from which ids are derived; and
//! Extended JSON, made plain.

use std::borrow::Cow;
use std::fmt;

use chrono::{DateTime, SecondsFormat};
use items::{Traits, append_string};
use serde::Deserialize;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
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

    /// Returns the ids of the question that this answers: its own, or those that Typeform writes of its `field`.
    pub(crate) fn ids_of_question(&self) -> Result<Vec<Cow<'a, str>>, Reason> {
        let field = match self.get("field") {
            Some(value) if value.get().starts_with('{') => Self::parse(value.get())?,
            _ => Self::default(),
        };
        let ids = [self.get("id"), field.get("id"), field.get("ref")];
        let ids = ids.into_iter().flatten();
        ids.map(|id| scalar("id", id)).collect()
    }

    /// Returns the value of an answer, which Typeform calls like its type.
    pub(crate) fn answered(&self) -> Option<&'a RawValue> {
        let of_type = || {
            let name = scalar("type", self.get("type")?).ok()?;
            self.has("field").then(|| self.value_of(&name)).flatten()
        };
        self.value_of("value").or_else(of_type)
    }

    /// Returns the names of the members that are not `null`.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let present = self.iter().filter(|(_, value)| value.get() != "null");
        present.map(|(name, _)| name)
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
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let pairs = deserializer.deserialize_map(PairsVisitor);
    let pairs = pairs.and_then(|pairs| deserializer.end().map(|()| pairs));
    pairs.map_err(|error| {
        let message = error.to_string();
        // The position within the line is of little use.
        let fault = message.split(" at line ").next().unwrap_or_default();
        format!("it is not a record: {fault}")
    })
}

/// Adds the id to a JSON object, which has none or `null`. Names may repeat.
pub(crate) fn with_id(object: &[u8], id: &str) -> Vec<u8> {
    let json = str::from_utf8(object).unwrap_or_default();
    let members = pairs(json).unwrap_or_default();
    let id = format!("\"{id}\"");
    let (before, text, after) = match members.iter().find(|(name, _)| name == "id") {
        Some((_, null)) => {
            let at = null.get().as_ptr().addr() - object.as_ptr().addr();
            (at, id, at + null.get().len())
        }
        None if members.is_empty() => (1, format!("\"id\":{id}"), 1),
        None => (1, format!("\"id\":{id},"), 1),
    };
    let parts = object.get(..before).zip(object.get(after..));
    let (before, after) = parts.unwrap_or_default();
    [before, text.as_bytes(), after].concat()
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Vec<Pair<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::with_capacity(8);
        while let Some((JsonString(name), value)) = map.next_entry()? {
            pairs.push((name, value));
        }
        Ok(pairs)
    }
}

/// Returns JSON with plain values in the place of those of Extended JSON, as of `MongoDB`, which are written as
/// objects: `{"$date":…}`, `{"$numberInt":"9"}`, and of `NaN`, as Python writes what is absent. Returns `None` if
/// there are none, or it is not valid.
pub(crate) fn plain(json: &str) -> Option<String> {
    let is_json = |json: &str| serde_json::from_str::<IgnoredAny>(json).is_ok();
    if json.contains("NaN") && !is_json(json) {
        let without = without_nan(json);
        return is_json(&without).then_some(without);
    }
    let mut out = String::new();
    (json.contains("\"$") && append_plain(json, 0, &mut out).is_some()).then_some(out)
}

/// Returns JSON with `null` in the place of members that are `NaN`. What stands in a string is a text.
fn without_nan(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut is_in_string = false;
    for part in json.split_inclusive('"') {
        if is_in_string {
            out.push_str(part);
            let text = part.trim_end_matches('"');
            let backslashes = text.len() - text.trim_end_matches('\\').len();
            is_in_string = backslashes % 2 == 1;
        } else {
            out.push_str(&part.replace(": NaN", ":null").replace(":NaN", ":null"));
            is_in_string = true;
        }
    }
    out
}

/// How many brackets there may be around a value that is written anew.
const MAX_DEPTH: u32 = 128;

fn append_plain(json: &str, depth: u32, out: &mut String) -> Option<()> {
    if depth > MAX_DEPTH {
        return None;
    }
    match json.as_bytes() {
        [b'{', ..] => {
            let members = pairs(json).ok()?;
            if let [(name, value)] = &*members
                && let Some(value) = scalar_of(name, value.get())
            {
                out.push_str(&value);
                return Some(());
            }
            out.push('{');
            for (n, (name, value)) in members.iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                append_string(name, out);
                out.push(':');
                append_plain(value.get(), depth + 1, out)?;
            }
            out.push('}');
        }
        [b'[', ..] => {
            out.push('[');
            for (n, element) in elements(json).ok()?.into_iter().enumerate() {
                out.push_str(if n > 0 { "," } else { "" });
                append_plain(element.get(), depth + 1, out)?;
            }
            out.push(']');
        }
        _ => out.push_str(json),
    }
    Some(())
}

/// Returns the plain JSON of a value, if this member makes an object one.
fn scalar_of<'a>(name: &str, value: &'a str) -> Option<Cow<'a, str>> {
    let string = || serde_json::from_str(value).ok();
    let text = || string().map(|JsonString(text)| text);
    match name {
        "$oid" | "$date" if text().is_some() => Some(value.into()),
        "$numberInt" | "$numberLong" | "$numberDouble" | "$numberDecimal" => {
            let number = text()?;
            let is_json = number.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                && serde_json::from_str::<IgnoredAny>(&number).is_ok();
            // `Infinity` and `NaN` stay texts.
            Some(if is_json { number } else { value.into() })
        }
        "$date" => {
            let plain = plain(value);
            let millis = plain.as_deref().unwrap_or(value).parse().ok()?;
            let instant = DateTime::from_timestamp_millis(millis)?;
            let date = instant.to_rfc3339_opts(SecondsFormat::Millis, true);
            Some(format!("\"{date}\"").into())
        }
        _ => None,
    }
}

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
        let steps = path.rmatch_indices('.');
        let steps = steps.filter_map(|(dot, _)| path.get(..dot).zip(path.get(dot + 1..)));
        for (name, rest) in steps {
            let Some(value) = self.value_of(name) else {
                continue;
            };
            let inner = match value.get().as_bytes() {
                [b'{', ..] => Self::parse(value.get())?.find(rest)?,
                [b'[', ..] => AtPath {
                    parent: Some(value),
                    found: answer_of(name, value, rest)?,
                },
                b"null" => continue,
                _ => AtPath {
                    parent: Some(value),
                    found: None,
                },
            };
            let is_last_step = inner.found.is_some() || !rest.contains('.');
            let parent = inner.parent.or(is_last_step.then_some(value));
            if inner.found.is_some() {
                return Ok(AtPath { parent, ..inner });
            }
            nearest = nearest.or(parent);
        }
        Ok(AtPath {
            parent: nearest,
            found: None,
        })
    }
}

/// Returns the value of the answer of this id in a list.
fn answer_of<'a>(name: &str, list: &'a RawValue, id: &str) -> Result<Option<&'a RawValue>, Reason> {
    let mut found = None;
    for element in elements(list.get())? {
        if !element.get().starts_with('{') {
            continue;
        }
        let answer = JsonObject::parse(element.get())?;
        let ids = answer.ids_of_question()?;
        if ids.iter().any(|its_id| its_id == id) && found.replace(answer.answered()).is_some() {
            return Err(format!("{name} has {} twice", quoted(id)));
        }
    }
    Ok(found.flatten())
}

/// Appends the canonical form of a JSON value, which is the same for values that differ only in the order of members
/// or in spaces: with sorted members, without spaces, and with strings escaped alike. `depth` is the number of brackets
/// around it.
pub(crate) fn append_canonical(json: &str, depth: u32, out: &mut Vec<u8>) -> Result<(), Reason> {
    if depth > MAX_DEPTH {
        return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
    }
    match json.as_bytes() {
        [b'{', ..] => {
            let mut members = pairs(json)?;
            // Stable, so that members of the same name keep their order.
            members.sort_by(|(name, _), (other, _)| name.cmp(other));
            out.push(b'{');
            for (name, value) in members {
                append_text(&name, out)?;
                out.push(b':');
                append_canonical(value.get(), depth + 1, out)?;
                out.push(b',');
            }
            out.push(b'}');
        }
        [b'[', ..] => {
            out.push(b'[');
            for element in elements(json)? {
                append_canonical(element.get(), depth + 1, out)?;
                out.push(b',');
            }
            out.push(b']');
        }
        [b'"', ..] => match serde_json::from_str(json) {
            Ok(JsonString(text)) => append_text(&text, out)?,
            // A lone surrogate has no text.
            Err(_) => out.extend_from_slice(json.as_bytes()),
        },
        scalar => out.extend_from_slice(scalar),
    }
    Ok(())
}

fn append_text(text: &str, out: &mut Vec<u8>) -> Result<(), Reason> {
    serde_json::to_writer(out, text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::append_canonical;

    /// Ids are derived from these texts.
    #[test]
    fn the_canonical_form_has_its_members_in_order() {
        let deepest = |levels: usize| ["[".repeat(levels), "]".repeat(levels)].concat();
        for (json, expected) in [
            (
                r#"{ "b" : [ 1.0 ,"\u0061\/"] ,"a":{"é":null,"c":"\n"}}"#,
                Ok(r#"{"a":{"c":"\n","é":null,},"b":[1.0,"a/",],}"#),
            ),
            (r#"{"b":2,"a":1,"b":1}"#, Ok(r#"{"a":1,"b":2,"b":1,}"#)),
            (r#"{"\u0062":{},"a":[]}"#, Ok(r#"{"a":[],"b":{},}"#)),
            ("\"\\ud800\"", Ok(r#""\ud800""#)),
            (&deepest(130), Err("it is nested deeper than 128 levels")),
        ] {
            let mut text = Vec::new();
            let canonical =
                append_canonical(json, 0, &mut text).map(|()| String::from_utf8(text).unwrap());
            assert_eq!(
                canonical.as_deref().map_err(String::as_str),
                expected,
                "{json}"
            );
        }
    }
}
