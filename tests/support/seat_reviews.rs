//! Real ratings (tests/data/README.md).

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

use super::{n, s};

/// Returns the records, in the format of an export.
pub(crate) fn seat_reviews() -> Vec<Value> {
    let lines = include_str!("../data/seat-reviews.ndjson").lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the traits of a record as attributes.
pub(crate) fn traits_of(record: &Value) -> Vec<(&str, AttributeValue)> {
    let traits = record["user"]["traits"].as_object().unwrap().iter();
    traits
        .map(|(name, value)| {
            let value = match value {
                Value::String(text) => s(text),
                Value::Bool(flag) => AttributeValue::Bool(*flag),
                Value::Number(number) => n(number),
                other => panic!("{other}"),
            };
            (name.as_str(), value)
        })
        .collect()
}
