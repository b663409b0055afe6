//! Records that stand where no option reaches, deep in a document or keyed by their ids: a command of `jq` that takes
//! them out is said, because reading them in all such forms would take more than saying it.

use serde_json::{Map, Value};

use crate::json::OF_RECORDS;
use crate::names::{is_date_name, is_rating_name};
use crate::reason::argument;

/// How deep lists are looked for.
const DEPTH: u8 = 4;

/// Says how to take the records out of a file that is one document; `None` if it is not, or is a record itself.
pub(crate) fn way_out(file: &[u8]) -> Option<String> {
    let Value::Object(document) = serde_json::from_slice(file).ok()? else {
        return None;
    };
    if are_columns(&document) {
        let way = "these are columns, as pandas writes them: write them with orient=\"records\"";
        return Some(way.to_owned());
    }
    let mut of_records = OF_RECORDS.iter().chain(&["id", "created", "traits"]);
    if is_record(&document) || of_records.any(|name| document.contains_key(*name)) {
        return None;
    }
    let filter = filter_of("", &document, DEPTH)?;
    let filter = argument(&filter);
    Some(format!(
        "its records are deeper in it: jq {filter} FILE takes them out"
    ))
}

/// Returns whether an object has a rating under one of its names. Those of databases begin with `_`.
fn is_record(object: &Map<String, Value>) -> bool {
    let is_rating = |(name, value): (&String, &Value)| {
        !value.is_object() && !name.starts_with('_') && is_rating_name(name)
    };
    object.iter().any(is_rating)
}

/// Returns whether all members have the same keys, which count the records.
fn are_columns(document: &Map<String, Value>) -> bool {
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
            Value::Object(object) if is_keyed(object) => {
                Some(format!("{name} | to_entries | map({{id: .key}} + .value)"))
            }
            Value::Object(object) if !is_record(object) => filter_of(&name, object, depth),
            _ => None,
        }
    })
}

/// Returns the filter if the elements of a list are records, or each has one in the same member.
fn of_list(path: &str, list: &[Value]) -> Option<String> {
    let first = list.first()?.as_object()?;
    if first.values().all(is_typed) && first.keys().any(|name| is_rating_name(name)) {
        let value = "if has(\"N\") then .N | tonumber else .[] end";
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

/// Returns whether the members of an object, two or more, are records, whose names are ids.
fn is_keyed(object: &Map<String, Value>) -> bool {
    let mut members = object.values();
    object.len() > 1 && members.all(|member| member.as_object().is_some_and(is_record))
}

/// Returns whether a value is an attribute of DynamoDB, such as `{"N":"9"}`.
fn is_typed(value: &Value) -> bool {
    let types = ["S", "N", "BOOL", "NULL", "M", "L", "SS", "NS"];
    let object = value.as_object().filter(|object| object.len() == 1);
    let name = object.and_then(|object| object.keys().next());
    name.is_some_and(|name| types.contains(&name.as_str()))
}
