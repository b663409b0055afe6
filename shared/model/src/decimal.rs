//! Decimal numbers as DynamoDB keeps them.

use std::fmt;
use std::num::IntErrorKind;
use std::str::FromStr;

use crate::parsed::Invalid;

/// The number of significant digits that DynamoDB keeps.
const DIGITS: usize = 38;

/// The power of ten of each of the 38 significant digits, the first digit first. Shorter numbers are padded
/// with zeros at the end, so that the digits of all numbers can be compared.
#[allow(clippy::indexing_slicing)] // the compiler evaluates the loop
const PLACES: [i128; DIGITS] = {
    let mut places = [1; DIGITS];
    let mut n = DIGITS - 1;
    while n > 0 {
        places[n - 1] = 10 * places[n];
        n -= 1;
    }
    places
};

/// An exact decimal number: 0, or a number of at most 38 significant digits whose magnitude is
/// between 1E-130 and 9.99E+125. It is compared by value: `1.0` equals `1`.
///
/// The number is `0.d₁d₂… × 10^point`, with d₁ ≠ 0. Comparing the fields one after another, as the derived
/// order does, compares the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal {
    /// The sign: -1, 0 or 1.
    sign: i8,
    /// The point, multiplied by the sign: of two negative numbers, the one with the greater point is less.
    signed_point: i16,
    /// The 38 digits as a whole number, multiplied by the sign.
    signed_digits: i128,
}

impl FromStr for Decimal {
    type Err = Invalid;

    /// Parses a number as DynamoDB does: an optional sign, digits with at most one point among them,
    /// and an optional exponent. Allocates nothing.
    ///
    /// # Errors
    ///
    /// Refuses what DynamoDB refuses.
    fn from_str(text: &str) -> Result<Self, Invalid> {
        const MALFORMED: Invalid = Invalid("must be a decimal number, such as 4, -0.5 or 1e3");
        const TOO_LONG: Invalid = Invalid("must be a number of at most 38 significant digits");
        const OUT_OF_RANGE: Invalid = Invalid(
            "must be between 1E-130 and 9.99E+125 in magnitude, or 0 with such an exponent",
        );
        let (mut sign, unsigned) = match text.strip_prefix('-') {
            Some(unsigned) => (-1, unsigned),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (coefficient, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((coefficient, exponent)) => (
                coefficient,
                exponent.parse::<isize>().map_err(|error| {
                    use IntErrorKind::{NegOverflow, PosOverflow};
                    match error.kind() {
                        PosOverflow | NegOverflow => OUT_OF_RANGE,
                        _ => MALFORMED,
                    }
                })?,
            ),
            None => (unsigned, 0),
        };
        let (whole, fraction) = coefficient.split_once('.').unwrap_or((coefficient, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(MALFORMED);
        }
        let mut digits = 0;
        let mut leading_zeros = 0;
        let mut length = 0;
        for byte in whole.bytes().chain(fraction.bytes()) {
            match byte {
                b'0' if digits == 0 => leading_zeros += 1,
                b'0' => length += 1,
                b'1'..=b'9' => {
                    digits += i128::from(byte - b'0') * PLACES.get(length).ok_or(TOO_LONG)?;
                    length += 1;
                }
                _ => return Err(MALFORMED),
            }
        }
        if digits == 0 {
            sign = 0;
            // DynamoDB checks the range of a zero as if its last digit were a 1.
            leading_zeros -= 1;
        }
        let point = exponent
            .saturating_add_unsigned(whole.len())
            .saturating_sub_unsigned(leading_zeros);
        let point = i16::try_from(point)
            .ok()
            .filter(|point| (-129..=126).contains(point));
        Ok(Self {
            sign,
            signed_point: i16::from(sign) * point.ok_or(OUT_OF_RANGE)?,
            signed_digits: i128::from(sign) * digits,
        })
    }
}

impl fmt::Display for Decimal {
    /// Writes the number as DynamoDB returns it: without an exponent, redundant zeros or a redundant
    /// sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.sign < 0 { "-" } else { "" };
        let all_digits = self.signed_digits.unsigned_abs().to_string();
        let digits = all_digits.trim_end_matches('0');
        let point = self.signed_point * i16::from(self.sign);
        let places = usize::from(point.unsigned_abs());
        match digits.split_at_checked(places) {
            _ if self.sign == 0 => f.write_str("0"),
            _ if point <= 0 => write!(f, "{sign}0.{:0>places$}{digits}", ""),
            Some((whole, "")) => write!(f, "{sign}{whole}"),
            Some((whole, fraction)) => write!(f, "{sign}{whole}.{fraction}"),
            None => write!(f, "{sign}{digits:0<places$}"),
        }
    }
}
