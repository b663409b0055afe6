//! Compares two responses: what differs from one run to the next, and the words of messages, are left out.

use serde_json::{Value, json};

use super::corpus::Entry;
use crate::support::Reply;

/// The members of responses whose values are random, or times.
const VOLATILE: [&str; 18] = [
    "ApproximateCreationDateTime",
    "CreationDateTime",
    "CreationRequestDateTime",
    "EndingSequenceNumber",
    "LastDecreaseDateTime",
    "LastIncreaseDateTime",
    "LastUpdateToPayPerRequestDateTime",
    "LatestStreamArn",
    "LatestStreamLabel",
    "NextShardIterator",
    "SequenceNumber",
    "ShardId",
    "ShardIterator",
    "StartingSequenceNumber",
    "StreamArn",
    "StreamLabel",
    "TableId",
    "eventID",
];

/// The members whose elements have no order.
const UNORDERED: [&str; 4] = ["BS", "ConsumedCapacity", "NS", "SS"];

/// Checks that dynoxide's server responds as recorded.
pub(super) fn recorded(entry: &Entry, theirs: &Reply) -> Result<(), String> {
    let (expected, found) = (entry.expected().unwrap_or_default(), outcome(theirs));
    if expected == found {
        Ok(())
    } else {
        Err(format!(
            "recorded {expected:?}, found {found:?}: {theirs:?}"
        ))
    }
}

/// Checks that both responses are equal.
pub(super) fn equal(ours: &Reply, theirs: &Reply) -> Result<(), String> {
    let parts = [
        ("outcome", outcome(ours).into(), outcome(theirs).into()),
        ("headers", headers(ours), headers(theirs)),
        ("body", body(ours), body(theirs)),
    ];
    for (part, ours, theirs) in parts {
        if ours != theirs {
            return Err(format!("another {part}:\n{ours:.2000}\n{theirs:.2000}"));
        }
    }
    let checksum = crc32fast::hash(&ours.body).to_string();
    if ours.header("x-amz-crc32") != Some(&checksum) {
        return Err(format!("a wrong checksum: {ours:?}"));
    }
    Ok(())
}

/// Returns the status and the type of the error, if there is one.
fn outcome(reply: &Reply) -> String {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let status = reply.status.as_u16();
    match body["__type"].as_str() {
        Some(error) => format!("{status} {}", error.rsplit('#').next().unwrap()),
        None => status.to_string(),
    }
}

/// Returns the names of the headers, without those that name dynoxide, and the media type.
fn headers(reply: &Reply) -> Value {
    let names = reply.headers.keys().map(ToString::to_string);
    let mut names: Vec<_> = names
        .filter(|name| !["server", "x-dynoxide-version"].contains(&name.as_str()))
        .collect();
    names.sort();
    json!([names, reply.header("content-type")])
}

fn body(reply: &Reply) -> Value {
    canonical(reply.json())
}

fn canonical(value: Value) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().map(canonical).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| match value {
                Value::String(_) if name.eq_ignore_ascii_case("message") => {
                    ("message".to_owned(), Value::Null)
                }
                _ if VOLATILE.contains(&name.as_str()) => (name, Value::Null),
                Value::Array(mut elements) if UNORDERED.contains(&name.as_str()) => {
                    elements.sort_by_key(ToString::to_string);
                    (name, elements.into())
                }
                _ => (name, canonical(value)),
            });
            Value::Object(members.collect())
        }
        _ => value,
    }
}
