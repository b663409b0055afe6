//! A filter as one text: `NAME=[TYPE.]OPERATOR:VALUE`.

use std::fmt;
use std::str::FromStr;

use super::{Operator, TraitCondition, TraitFilter, TraitType, TraitValue};
use crate::Invalid;

/// Why a text is no filter. It is displayed as the requirement, as [`Invalid`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidFilter {
    /// It has no `=`, or no `:` after it.
    Form,
    /// The name is empty or too long.
    Name(Invalid),
    /// There is no such type.
    Type(Invalid),
    /// The type has no such operator.
    Operator(TraitType, Invalid),
    /// It is an operator of numbers alone, without the type before it.
    Untyped(Operator, Invalid),
    /// The value is not of the type.
    Value(Invalid),
}

impl fmt::Display for InvalidFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str(
                "must be NAME=OPERATOR:VALUE, such as plan=eq:pro, seats=number.gte:4 \
                 or beta=boolean.eq:true",
            ),
            Self::Name(expected) => expected.fmt(f),
            Self::Type(expected) => {
                write!(
                    f,
                    "must have as the type before the operator {}",
                    what(expected)
                )
            }
            Self::Operator(kind, expected) => {
                write!(
                    f,
                    "must have as the operator of a {kind} {}",
                    what(expected)
                )
            }
            Self::Untyped(operator, expected) => write!(
                f,
                "{} (of a number, number.{operator})",
                Self::Operator(TraitType::String, *expected)
            ),
            Self::Value(expected) => write!(f, "must have a value that is {}", what(expected)),
        }
    }
}

/// Returns what a part must be.
fn what(Invalid(expected): &Invalid) -> &'static str {
    expected.strip_prefix("must be ").unwrap_or(expected)
}

impl std::error::Error for InvalidFilter {}

/// Parses what [`TraitFilter`] displays. The name ends at the first `=`, and the operator at the first
/// `:` after it; an operator without a type is one on strings.
impl FromStr for TraitFilter {
    type Err = InvalidFilter;

    fn from_str(text: &str) -> Result<Self, InvalidFilter> {
        let (name, rest) = text.split_once('=').ok_or(InvalidFilter::Form)?;
        let (operator, value) = rest.split_once(':').ok_or(InvalidFilter::Form)?;
        let name = name.parse().map_err(InvalidFilter::Name)?;
        let (kind, operator) = match operator.split_once('.') {
            Some((kind, operator)) => (kind.parse().map_err(InvalidFilter::Type)?, operator),
            None => (TraitType::String, operator),
        };
        let operator =
            Operator::parse(kind, operator).map_err(|expected| {
                match Operator::parse(TraitType::Number, operator) {
                    Ok(of_numbers) if kind == TraitType::String => {
                        InvalidFilter::Untyped(of_numbers, expected)
                    }
                    _ => InvalidFilter::Operator(kind, expected),
                }
            })?;
        let value = TraitValue::parse(kind, value).map_err(InvalidFilter::Value)?;
        let condition = TraitCondition { operator, value };
        Ok(Self { name, condition })
    }
}

/// Writes the filter in its canonical form: equal filters have equal texts.
impl fmt::Display for TraitFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operator, value) = self.condition.words();
        write!(f, "{}={operator}:{value}", self.name.as_str())
    }
}
