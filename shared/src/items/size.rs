//! The size of items, as DynamoDB counts it.

use super::Item;
use crate::model::Invalid;
use aws_sdk_dynamodb::types::AttributeValue;

/// The largest item that DynamoDB stores, in bytes.
const MAX_SIZE: usize = 400 * 1024;

/// Checks that DynamoDB can store the item.
///
/// # Errors
///
/// Refuses an item of more than 400 KB.
pub fn check_size(item: &Item) -> Result<(), Invalid> {
    if item_size(item) > MAX_SIZE {
        return Err(Invalid("must not be larger than DynamoDB's 400 KB"));
    }
    Ok(())
}

/// Returns the size of an item in bytes.
pub fn item_size(item: &Item) -> usize {
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

/// Returns the size of a number: a byte for each two digits on each side of the point, one more, and one for a minus.
fn number_size(text: &str) -> usize {
    let (coefficient, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let unsigned = coefficient.trim_start_matches(['-', '+']);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let leading = digits().take_while(|digit| *digit == b'0').count();
    let trailing = digits().rev().take_while(|digit| *digit == b'0').count();
    let significant = (whole.len() + fraction.len()).saturating_sub(leading + trailing);
    let moved = exponent.parse::<isize>().unwrap_or_default();
    let before_point = whole.len().cast_signed() - leading.cast_signed() + moved;
    let before_point = before_point.max(0).cast_unsigned().min(significant);
    let minus = usize::from(text.starts_with('-') && significant > 0);
    before_point.div_ceil(2) + (significant - before_point).div_ceil(2) + 1 + minus
}

#[cfg(test)]
mod tests {
    use super::number_size;

    #[test]
    fn a_number_is_as_large_as_its_significant_digits() {
        for (number, size) in [
            ("0", 1),
            ("-0", 1),
            ("9", 2),
            ("42", 2),
            ("-42", 3),
            ("100", 2),
            ("101", 3),
            ("1.5", 3),
            ("0.001", 2),
            ("-12.345", 5),
            ("1E+125", 2),
            ("1.25e1", 3),
        ] {
            assert_eq!(number_size(number), size, "{number}");
        }
    }
}
