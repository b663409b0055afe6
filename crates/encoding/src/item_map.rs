//! The attributes of items that the SDK represents as maps.

use aws_sdk_dynamodb::types::AttributeValue;
use shared::items::{Item, Table};

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
