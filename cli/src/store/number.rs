//! Numbers as DynamoDB stores them.

use shared::model::Invalid;

/// The number of significant digits that DynamoDB keeps.
const MAX_DIGITS: usize = 38;

/// Returns the canonical text of a number, as DynamoDB returns it: without an exponent, redundant
/// zeros or a redundant sign. `text` is a JSON number.
///
/// # Errors
///
/// Refuses what DynamoDB would refuse: more than 38 significant digits, or a magnitude outside 1E-130 to
/// 9.99E+125.
pub(crate) fn canonical_number(text: &str) -> Result<String, Invalid> {
    const WRITTEN_WRONG: Invalid = Invalid("must hold numbers as JSON writes them");
    const OUT_OF_RANGE: Invalid =
        Invalid("must not hold numbers outside 1E-130 to 9.99E+125, which DynamoDB cannot keep");
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (coefficient, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let exponent: i64 = exponent.parse().map_err(|_| WRITTEN_WRONG)?;
    let (whole, fraction) = coefficient.split_once('.').unwrap_or((coefficient, ""));
    let all = format!("{whole}{fraction}");
    if whole.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(WRITTEN_WRONG);
    }
    let digits = all.trim_start_matches('0');
    let zeros = all.len() - digits.len();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return Ok("0".to_owned());
    }
    if digits.len() > MAX_DIGITS {
        return Err(Invalid(
            "must not hold numbers of more than 38 significant digits, which DynamoDB cannot keep",
        ));
    }
    // The value is 0.digits × 10^point.
    let length = |part: usize| i64::try_from(part).unwrap_or(i64::MAX);
    let point = exponent
        .saturating_add(length(whole.len()))
        .saturating_sub(length(zeros));
    if !(-129..=126).contains(&point) {
        return Err(OUT_OF_RANGE);
    }
    let point = isize::try_from(point).map_err(|_| OUT_OF_RANGE)?;
    let places = point.unsigned_abs();
    Ok(match digits.split_at_checked(places) {
        _ if point <= 0 => format!("{sign}0.{}{digits}", "0".repeat(places)),
        Some((whole, "")) => format!("{sign}{whole}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits}{}", "0".repeat(places - digits.len())),
    })
}

#[cfg(test)]
mod tests {
    use super::canonical_number;

    #[test]
    fn a_number_has_one_text() {
        for (text, expected) in [
            ("0", "0"),
            ("-0.00", "0"),
            ("7", "7"),
            ("-7.50", "-7.5"),
            ("1.0", "1"),
            ("0012", "12"),
            ("120", "120"),
            ("1e2", "100"),
            ("1.25E+1", "12.5"),
            ("125e-2", "1.25"),
            ("5e-3", "0.005"),
            ("0.001230", "0.00123"),
            (
                "12345678901234567890123456789012345678",
                "12345678901234567890123456789012345678",
            ),
        ] {
            assert_eq!(canonical_number(text).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(canonical_number("1e125").unwrap().len(), 126);
        assert_eq!(canonical_number("1e-130").unwrap().len(), 132);
    }

    #[test]
    fn what_dynamodb_cannot_keep_is_refused() {
        for text in [
            "123456789012345678901234567890123456789",
            "1e126",
            "1e-131",
            "1e99999999999999999999",
            "",
            "-",
            "+1",
            "1x",
            "NaN",
            ".5",
        ] {
            assert!(canonical_number(text).is_err(), "{text}");
        }
    }
}
