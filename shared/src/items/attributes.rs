//! Items as the SDK represents them, and their attributes as the types of the model.

use std::collections::HashMap;
use std::str::FromStr;

use aws_sdk_dynamodb::types::AttributeValue;

/// An item as the SDK represents it.
pub type Item = HashMap<String, AttributeValue>;

/// Returns a string attribute.
pub fn string<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.get(name)?.as_s().ok().map(String::as_str)
}

/// Parses a string attribute.
pub fn parsed<T: FromStr>(item: &Item, name: &str) -> Option<T> {
    string(item, name)?.parse().ok()
}
