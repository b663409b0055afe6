//! Merges attributes: an import adds and changes, but never takes away. What a record lacks, or has
//! as `null`, is unknown to it and is kept.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, value_json};

/// Returns the attributes of a stored response record that a record with the same key changes.
///
/// What became of the display is replaced by a record that is at least as
/// [complete](completeness). Such a record also changes `userId` and `traits`; a less complete one,
/// which is older, only adds to them.
pub(super) fn response_changes(stored: &Item, new: &Item) -> Item {
    let replaces = completeness(new) >= completeness(stored);
    let mut changes = Item::new();
    for name in ["rating", "dismissed", "userId"] {
        let is_unknown = name == "userId" && is_absent(stored.get(name));
        if let Some(value) = new.get(name)
            && (replaces || is_unknown)
            && stored.get(name) != Some(value)
        {
            changes.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(AttributeValue::M(new)) = new.get("traits") {
        let known = stored.get("traits").and_then(|traits| traits.as_m().ok());
        let merged = merge_members(known, new, replaces);
        if known != Some(&merged) {
            changes.insert("traits".to_owned(), AttributeValue::M(merged));
        }
    }
    changes
}

/// Ranks what became of a display: a rated one is more complete than a dismissed one, and that is
/// more complete than a pending one.
fn completeness(item: &Item) -> u8 {
    let dismissed = item.get("dismissed") == Some(&AttributeValue::Bool(true));
    match item.get("rating") {
        Some(AttributeValue::N(_)) => 2,
        _ => u8::from(dismissed),
    }
}

type Members = HashMap<String, AttributeValue>;

fn merge_members(known: Option<&Members>, new: &Members, replaces: bool) -> Members {
    let mut merged = known.cloned().unwrap_or_default();
    for (name, value) in new {
        let known = merged.get(name);
        if is_absent(known) || (replaces && !value.is_null() && !is_same(known, value)) {
            merged.insert(name.clone(), value.clone());
        }
    }
    merged
}

/// Returns whether the values are the same in JSON, which lacks sets and binary values. The stored
/// value then keeps its type.
fn is_same(known: Option<&AttributeValue>, new: &AttributeValue) -> bool {
    let json = |value| value_json(value).map(|json| json.get().to_owned());
    known.is_some_and(|known| known == new || json(known) == json(new))
}

fn is_absent(value: Option<&AttributeValue>) -> bool {
    value.is_none_or(AttributeValue::is_null)
}
