//! The size of items, as DynamoDB counts it.

use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::types::number_size;
use shared::model::Invalid;

use super::attributes::Item;

/// The largest item that DynamoDB stores, in bytes.
const MAX_SIZE: usize = 400 * 1024;

/// Checks that DynamoDB can store the item.
pub(super) fn check_size(item: &Item) -> Result<(), Invalid> {
    if item_size(item) > MAX_SIZE {
        return Err(Invalid("must not be larger than DynamoDB's 400 KB"));
    }
    Ok(())
}

/// Returns the size of an item in bytes.
pub(crate) fn item_size(item: &Item) -> usize {
    let attributes = item.iter();
    attributes
        .map(|(name, value)| name.len() + size(value))
        .sum()
}

fn size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(digits) => number_size(digits),
        AttributeValue::M(members) => 3 + members.len() + item_size(members),
        AttributeValue::L(list) => 3 + list.len() + list.iter().map(size).sum::<usize>(),
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|digits| number_size(digits)).sum(),
        AttributeValue::B(blob) => blob.as_ref().len(),
        AttributeValue::Bs(blobs) => blobs.iter().map(|blob| blob.as_ref().len()).sum(),
        _ => 1,
    }
}
