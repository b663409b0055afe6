//! Compares two responses: what differs from one run to the next, and the words of messages, are left out.

use serde_json::{Value, json};

use super::corpus::Entry;
use crate::support::Reply;

/// The members of responses whose values are random, or times.
const VOLATILE: [&str; 13] = [
    "ApproximateCreationDateTime",
    "CreationDateTime",
    "CreationRequestDateTime",
    "LastUpdateToPayPerRequestDateTime",
    "LatestStreamArn",
    "LatestStreamLabel",
    "NextShardIterator",
    "ShardId",
    "ShardIterator",
    "StreamArn",
    "StreamLabel",
    "TableId",
    "eventID",
];

/// Checks that dynoxide's server responds as recorded.
pub(super) fn recorded(entry: &Entry, theirs: &Reply) -> Result<(), String> {
    let (expected, found) = (entry.text("expect").unwrap_or_default(), outcome(theirs));
    if expected == found {
        Ok(())
    } else {
        Err(format!("recorded {expected:?}, found {found:?}: {theirs:?}"))
    }
}

/// Checks that both responses are equal, except for the difference of the entry.
pub(super) fn equal(entry: &Entry, ours: &Reply, theirs: &Reply) -> Result<(), String> {
    if let Some(expected) = entry.text("ours") {
        assert!(entry.text("because").is_some(), "a difference has a reason");
        assert_ne!(entry.text("expect"), Some(expected), "it is no difference");
        return if outcome(ours) == expected {
            Ok(())
        } else {
            Err(format!("{ours:?}"))
        };
    }
    let pairs = [
        ("outcome", outcome(ours).into(), outcome(theirs).into()),
        ("headers", headers(ours), headers(theirs)),
        ("body", body(ours), body(theirs)),
    ];
    for (part, ours, theirs) in pairs {
        if ours != theirs {
            return Err(format!("another {part}:\n{ours:.2000}\n{theirs:.2000}"));
        }
    }
    let checksum = |reply: &Reply| {
        let checksum = reply.header("x-amz-crc32").map(str::to_owned);
        checksum.is_none_or(|it| reply.body.is_empty() || it == crc32fast::hash(&reply.body).to_string())
    };
    (checksum(ours) && checksum(theirs)).then_some(()).ok_or("a wrong checksum".to_owned())
}

/// Returns the status and the type of the error, if there is one.
pub(super) fn outcome(reply: &Reply) -> String {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let status = reply.status.as_u16();
    match body["__type"].as_str() {
        Some(error) => format!("{status} {}", error.rsplit('#').next().unwrap()),
        None => status.to_string(),
    }
}

/// Returns the names of the headers, and the media type.
fn headers(reply: &Reply) -> Value {
    let mut names: Vec<_> = reply.headers.keys().map(ToString::to_string).collect();
    names.sort();
    json!([names, reply.header("content-type")])
}

fn body(reply: &Reply) -> Value {
    match serde_json::from_slice(&reply.body) {
        Ok(body) => canonical(body),
        Err(_) => reply.text().into(),
    }
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
                Value::Array(mut elements) if ["SS", "NS", "BS"].contains(&name.as_str()) => {
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
