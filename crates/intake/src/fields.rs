//! The fields of a JSON record, wherever it has them.

use model::Decimal;
use serde_json::value::RawValue;

use crate::json_object::{JsonObject, scalar};
use crate::parsed_record::RecordValues;
use crate::paths::{AtPath, PathUse, Paths};
use crate::reason::{Reason, quoted};
use crate::rules::{Field, ImportRules, RecordKind};

/// Returns the values of a record: those at the paths of the options, or else those of the fields' own members.
///
/// # Errors
///
/// Returns why they are none of a record.
pub(crate) fn values_of<'a>(
    record: &JsonObject<'a>,
    rules: &ImportRules,
    paths: &mut Paths,
) -> Result<RecordValues<'a>, Reason> {
    let kind = rules.kind;
    let found = paths.find(record)?;
    let nested_user = match kind {
        RecordKind::Responses => record.object("user")?,
        RecordKind::Users => None,
    };
    let is_flat = nested_user.is_none();
    let user = nested_user.as_ref().unwrap_or(record);
    let mut values = RecordValues::default();
    if !is_flat {
        values.path_of_user = "user.";
    }
    values.answers = [record.get("answers"), None];
    let mut traits = user.object("traits")?;
    for (path, at) in &found {
        match (&path.target, at.value()) {
            (PathUse::Field(Field::Member("rating")), _) => {
                values.answers = answers_of(record, at)?;
            }
            (PathUse::Field(field @ Field::Trait(name)), Some(value)) => {
                let own = traits.get_or_insert_default().set(name, value);
                if is_other(own, value) {
                    values.ignored.push(field.path(kind, is_flat));
                }
            }
            (PathUse::Kept(name), Some(value)) => {
                let own = traits.get_or_insert_default().set(name, value);
                check_kept(name, &path.path, own, value)?;
            }
            _ => {}
        }
    }
    for member in kind.members() {
        let own = match *member {
            // Of a record without `user`, it says something else.
            "createdAt" if is_flat => None,
            _ if kind.is_in_user(member) => user.get(member),
            _ => record.get(member),
        };
        let mapped = found.iter().find_map(|(path, at)| match &path.target {
            PathUse::Field(field) if field.is_member(member) => at.value(),
            _ => None,
        });
        if mapped.is_some_and(|mapped| is_other(own, mapped)) {
            let path = Field::Member(member).path(kind, is_flat);
            values.ignored.push(path);
        }
        if let Some(value) = mapped.or(own) {
            let text = scalar(member, value)?;
            if text.is_empty() || !rules.is_null(&text) {
                values.add(member, text);
            }
        }
    }
    if let Some(id) = nested_user.as_ref().and_then(|user| user.get("id")) {
        values.add("user.id", scalar("id", id)?);
    }
    if let Some(traits) = traits {
        traits.check_values()?;
        if is_flat && kind == RecordKind::Responses && values.has("userId") {
            complete(&mut values, &traits);
        }
        values.traits = Some(traits.to_traits());
    }
    // The command line names the project, and a pending record is one without the others.
    let is_read = |name: &str| match name {
        "project" | "pending" => true,
        "traits" | "userId" | "email" | "name" => is_flat,
        "user" => !is_flat,
        _ => kind.members().contains(&name) && !kind.is_in_user(name),
    };
    let unread = record.names().filter(|name| !is_read(name));
    values.ignored.extend(unread.map(str::to_owned));
    if let Some(user) = &nested_user {
        let is_read = |name: &str| ["id", "traits"].contains(&name) || kind.is_in_user(name);
        let unread = user.names().filter(|name| !is_read(name));
        let paths = unread.map(|name| format!("user.{name}"));
        values.ignored.extend(paths);
    }
    Ok(values)
}

/// Returns the answers of a record, and the list or the object in which `--map` looks for its rating, unless that is
/// the same. Rejects a record that has none there but one of its own, which would get lost.
fn answers_of<'a>(
    record: &JsonObject<'a>,
    rating: &AtPath<'a>,
) -> Result<[Option<&'a RawValue>; 2], Reason> {
    if rating.value().is_none() && record.has("rating") {
        return Err("it has a rating, but none where --map says".to_owned());
    }
    let own = record.get("answers");
    let is_named = |parent: &&RawValue| own.is_none() || is_other(own, parent);
    Ok([own, rating.parent.filter(is_named)])
}

/// Returns whether there is a value of a field's own beside the one that an option names.
fn is_other(own: Option<&RawValue>, value: &RawValue) -> bool {
    own.is_some_and(|own| !std::ptr::eq(own, value))
}

/// Checks that what is kept as a trait is a scalar, and replaces no other one.
fn check_kept(
    name: &str,
    path: &str,
    own: Option<&RawValue>,
    value: &RawValue,
) -> Result<(), Reason> {
    let text = scalar(&quoted(path), value)?;
    match own {
        Some(own) if !is_same(own, value) => Err(format!(
            "its trait {} is another value than its {} (--keep), {}",
            quoted(name),
            quoted(path),
            quoted(&text)
        )),
        _ => Ok(()),
    }
}

/// Adds the address and the name that the traits of a user have, if the record has none.
fn complete<'a>(values: &mut RecordValues<'a>, traits: &JsonObject<'a>) {
    for name in ["email", "name"] {
        let text = traits
            .get(name)
            .filter(|value| value.get().starts_with('"'));
        if let Some(Ok(text)) = text.map(|text| scalar(name, text))
            && !values.has(name)
        {
            values.add(name, text);
        }
    }
}

/// Returns whether scalars are equal.
fn is_same(a: &RawValue, b: &RawValue) -> bool {
    let is_text = |value: &RawValue| value.get().starts_with('"');
    let number = |value: &RawValue| value.get().parse::<Decimal>().ok();
    match (scalar("", a), scalar("", b)) {
        (Ok(text), Ok(other)) if is_text(a) == is_text(b) && text == other => true,
        _ => !is_text(a) && number(a).is_some() && number(a) == number(b),
    }
}
