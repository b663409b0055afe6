//! The attributes of items that the SDK represents as maps.

use aws_sdk_dynamodb::types::AttributeValue;
use shared::items::{Item, Scalar, Table};

/// Makes an item of the attributes that have a value.
pub(super) fn item<const N: usize>(
    attributes: [(&'static str, Option<AttributeValue>); N],
) -> Item {
    let mut item = Item::with_capacity(N);
    let known = attributes.into_iter();
    item.extend(known.filter_map(|(name, value)| Some((name.to_owned(), value?))));
    item
}

pub(super) fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// Returns the key of an item of this table.
pub fn key_of(table: Table, item: &Item) -> Item {
    let (hash, range) = table.key_names();
    let names = [Some(hash), range].into_iter().flatten();
    let key = names.filter_map(|name| Some((name.to_owned(), item.get(name)?.clone())));
    key.collect()
}

/// Returns a boolean attribute.
pub(super) fn boolean(item: &Item, name: &str) -> Option<bool> {
    item.get(name)?.as_bool().ok().copied()
}

/// Returns an attribute as requests decode it.
pub(super) fn scalar<'a>(item: &'a Item, name: &str) -> Scalar<'a> {
    match item.get(name) {
        None | Some(AttributeValue::Null(_)) => Scalar::Null,
        Some(AttributeValue::S(text)) => Scalar::String(text.into()),
        Some(AttributeValue::N(digits)) => Scalar::Number(digits.into()),
        Some(AttributeValue::Bool(flag)) => Scalar::Bool(*flag),
        Some(_) => Scalar::Other,
    }
}
