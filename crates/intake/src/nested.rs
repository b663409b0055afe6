//! Records that stand where no option reaches, deep in a document or keyed by their ids: a command of `jq` that takes
//! them out is said, because reading them in all such forms would take more than saying it.

use anyhow::{bail, ensure};
use serde_json::{Map, Value};

use crate::guess::Undecided;
use crate::json::OF_RECORDS;
use crate::names::{is_date_name, is_rating_name};
use crate::reason::{argument, quoted};

/// How deep lists are looked for.
const DEPTH: u8 = 4;

/// Looks for records in a file that is one document, and is called `name` in a shell. If it is a record itself, lists
/// within it are said.
///
/// # Errors
///
/// Says how to take the records out.
pub(crate) fn find_nested(file: &[u8], name: &str, open: &mut Undecided) -> anyhow::Result<()> {
    let Ok(Value::Object(document)) = serde_json::from_slice(file) else {
        return Ok(());
    };
    ensure!(
        !are_columns(&document),
        "these are columns, as pandas writes them: write them with orient=\"records\""
    );
    if is_record(&document) {
        let mut lists = document.iter().filter(|(_, value)| are_records(value));
        if let Some((name, _)) = lists.find(|(name, _)| *name != "answers") {
            let name = quoted(name);
            let words = format!("its list {name} has ratings, too, which are none of the record");
            open.because(words.clone());
            open.note(&words);
        }
        return Ok(());
    }
    let mut of_records = OF_RECORDS.iter().chain(&["id", "created", "traits"]);
    if of_records.any(|name| document.contains_key(*name)) {
        return Ok(());
    }
    let keyed = is_keyed(&document).then(|| OF_KEYED.to_owned());
    match keyed.or_else(|| filter_of("", &document, DEPTH)) {
        None => Ok(()),
        Some(filter) => bail!(
            "its records are deeper in it: jq {} {name} takes them out",
            argument(&filter)
        ),
    }
}

/// The filter of `jq` that makes a list of an object of records.
const OF_KEYED: &str = "to_entries | map({id: .key} + .value)";

/// Returns whether this is a list of several records.
fn are_records(value: &Value) -> bool {
    let is_one = |element: &Value| element.as_object().is_some_and(is_record);
    value
        .as_array()
        .is_some_and(|list| list.len() > 1 && list.iter().all(is_one))
}

/// Returns whether an object has a rating under one of its names. Those of databases begin with `_`.
fn is_record(object: &Map<String, Value>) -> bool {
    let is_rating = |(name, value): (&String, &Value)| {
        !value.is_object() && !name.starts_with('_') && is_rating_name(name)
    };
    object.iter().any(is_rating)
}

/// Returns whether there are names of columns beside their index, or all members have the same keys, which count the
/// records.
fn are_columns(document: &Map<String, Value>) -> bool {
    let names = document.get("columns").and_then(Value::as_array);
    let mut names = names.into_iter().flatten().filter_map(Value::as_str);
    if names.any(is_rating_name) && document.contains_key("index") {
        return true;
    }
    let keys = |value: &Value| -> Option<Vec<String>> {
        let keys: Vec<_> = value.as_object()?.keys().cloned().collect();
        let are_numbers = keys.iter().all(|key| key.parse::<u64>().is_ok());
        (are_numbers && !keys.is_empty()).then_some(keys)
    };
    let first = document.values().next().and_then(keys);
    let has_ratings = document.keys().any(|name| is_rating_name(name));
    has_ratings && first.is_some() && document.values().all(|column| keys(column) == first)
}

/// Returns the filter of `jq` that gives the records within an object at a path. A list in the document itself is read
/// without one.
fn filter_of(path: &str, object: &Map<String, Value>, depth: u8) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    object.iter().find_map(|(name, value)| {
        let is_plain = name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let name = match path {
            _ if is_plain && !name.is_empty() => format!("{path}.{name}"),
            "" => format!(".[{}]", Value::from(name.as_str())),
            _ => format!("{path}[{}]", Value::from(name.as_str())),
        };
        match value {
            Value::Array(list) => {
                of_list(&name, list).filter(|filter| !path.is_empty() || *filter != name)
            }
            Value::Object(object) if is_keyed(object) => Some(format!("{name} | {OF_KEYED}")),
            Value::Object(object) if !is_record(object) => filter_of(&name, object, depth),
            _ => None,
        }
    })
}

/// Returns the filter if the elements of a list are records, or each has one in the same member.
fn of_list(path: &str, list: &[Value]) -> Option<String> {
    let first = list.first()?.as_object()?;
    if first.values().all(is_typed) && first.keys().any(|name| is_rating_name(name)) {
        let value = "if has(\"N\") then .N | tonumber elif has(\"NULL\") then null else .[] end";
        return Some(format!("{path} | map(map_values({value}))"));
    }
    if is_record(first) {
        return Some(path.to_owned());
    }
    // What has a date of its own is the record, and an option reads what is within.
    if first.contains_key("answers") || first.keys().any(|name| is_date_name(name)) {
        return None;
    }
    let (member, _) = first.iter().find(|(name, value)| {
        value.as_object().is_some_and(is_record) && !["user", "traits"].contains(&name.as_str())
    })?;
    Some(format!("{path} | map(.{member})"))
}

/// Returns whether the members of an object, two or more, are records, whose names are ids: each has a rating, or all
/// have the same members with a date.
fn is_keyed(object: &Map<String, Value>) -> bool {
    let members: Option<Vec<_>> = object.values().map(Value::as_object).collect();
    let Some([first, others @ ..]) = members.as_deref() else {
        return false;
    };
    let are_dated = first.keys().any(|name| is_date_name(name));
    let are_alike = others.iter().all(|other| other.keys().eq(first.keys()));
    !others.is_empty()
        && ((are_dated && are_alike) || members.iter().flatten().all(|it| is_record(it)))
}

/// Returns whether a value is an attribute of DynamoDB, such as `{"N":"9"}`.
fn is_typed(value: &Value) -> bool {
    let types = ["S", "N", "BOOL", "NULL", "M", "L", "SS", "NS"];
    let object = value.as_object().filter(|object| object.len() == 1);
    let name = object.and_then(|object| object.keys().next());
    name.is_some_and(|name| types.contains(&name.as_str()))
}
