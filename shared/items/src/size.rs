//! The size of an item as DynamoDB counts it.

use model::Invalid;

use crate::json::{Json, Scalar};

/// The largest item that is written, in bytes: 1 KB less than DynamoDB stores, because an `UpdateItem` counts the
/// texts of its request, too.
pub const MAX_SIZE: usize = 399 * 1024;

/// Refuses the JSON of an item that is too large.
pub fn check_size(json: &str) -> Result<(), Invalid> {
    // No item is larger than its JSON.
    if json.len() > MAX_SIZE && item_size(json).is_none_or(|size| size > MAX_SIZE) {
        return Err(Invalid("must not be larger than 399 KB"));
    }
    Ok(())
}

/// Returns the size in bytes of the item of this JSON; `None` if it is not an item.
pub fn item_size(json: &str) -> Option<usize> {
    Json::read(json, measure_members).map(|(_, size)| size)
}

fn measure_members(json: &mut Json<'_>) -> Option<(usize, usize)> {
    let mut count = 0;
    let mut size = 0;
    json.object(|json, name| {
        count += 1;
        size += name.len() + measure_value(json)?;
        Some(())
    })?;
    Some((count, size))
}

fn measure_value(json: &mut Json<'_>) -> Option<usize> {
    match json.plain_scalar() {
        Some(Scalar::String(text)) => return Some(text.len()),
        Some(Scalar::Number(digits)) => return Some(number_size(&digits)),
        _ => {}
    }
    json.typed(|json, kind| match kind {
        "S" => Some(json.string()?.len()),
        "N" => Some(number_size(&json.string()?)),
        "B" => Some(binary_size(&json.string()?)),
        "M" => measure_members(json).map(|(count, size)| 3 + count + size),
        "L" => sum(json, |json| Some(1 + measure_value(json)?)).map(|size| 3 + size),
        "SS" => sum(json, |json| Some(json.string()?.len())),
        "NS" => sum(json, |json| Some(number_size(&json.string()?))),
        "BS" => sum(json, |json| Some(binary_size(&json.string()?))),
        _ => json.skip().map(|()| 1),
    })
}

/// Adds up the sizes of the elements of an array.
fn sum(json: &mut Json<'_>, size: fn(&mut Json<'_>) -> Option<usize>) -> Option<usize> {
    let mut total = 0;
    json.array(|json| {
        total += size(json)?;
        Some(())
    })?;
    Some(total)
}

/// Returns the number of bytes of a text in base64.
fn binary_size(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

/// Returns the size of a number: a byte for each two digits on each side of the point, one more, and one for
/// a minus.
fn number_size(text: &str) -> usize {
    let (coefficient, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let unsigned = coefficient.trim_start_matches(['-', '+']);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let leading = digits().take_while(|digit| *digit == b'0').count();
    let trailing = digits().rev().take_while(|digit| *digit == b'0').count();
    let significant = (whole.len() + fraction.len()).saturating_sub(leading + trailing);
    let moved = exponent.parse::<isize>().unwrap_or_default();
    // Negative if zeros precede the first significant digit after the point.
    let places = whole.len().cast_signed() - leading.cast_signed() + moved;
    let before_point = places.max(0).cast_unsigned().min(significant);
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
