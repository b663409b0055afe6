//! What a filter requires of a trait.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::str::FromStr;

use super::{BooleanOperator, NumberOperator, StringOperator, TraitType};
use crate::model::{Decimal, Invalid};

/// The text that a string trait is compared with: 0–1024 bytes of UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringValue(String);

impl FromStr for StringValue {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.len() <= 1024 {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must be at most 1024 bytes"))
        }
    }
}

/// The boolean that a trait is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BooleanValue(bool);

impl FromStr for BooleanValue {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        text.parse()
            .map(Self)
            .map_err(|_| Invalid("must be true or false"))
    }
}

/// A trait of a record, as far as filters can compare it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraitValue<'a> {
    /// A string.
    String(&'a str),
    /// The decimal text of a number.
    Number(&'a str),
    /// A boolean.
    Boolean(bool),
}

/// A condition on one trait of a response record: an operator, and the value that the trait is compared
/// with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// A condition on a string.
    String(StringOperator, StringValue),
    /// A condition on a number.
    Number(NumberOperator, Decimal),
    /// A condition on a boolean.
    Boolean(BooleanOperator, BooleanValue),
}

impl Condition {
    /// Returns the type of trait that the condition compares.
    pub fn trait_type(&self) -> TraitType {
        match self {
            Self::String(..) => TraitType::String,
            Self::Number(..) => TraitType::Number,
            Self::Boolean(..) => TraitType::Boolean,
        }
    }

    /// Returns the operator's name in a request.
    pub fn operator(&self) -> &'static str {
        match self {
            Self::String(operator, _) => operator.as_str(),
            Self::Number(operator, _) => operator.as_str(),
            Self::Boolean(operator, _) => operator.as_str(),
        }
    }

    /// Returns the text of the value in a request. Equal numbers have one text.
    pub fn value(&self) -> Cow<'_, str> {
        match self {
            Self::String(_, StringValue(text)) => text.into(),
            Self::Number(_, number) => number.to_string().into(),
            Self::Boolean(_, BooleanValue(flag)) => if *flag { "true" } else { "false" }.into(),
        }
    }

    /// Returns whether a record with this trait meets the condition. `None` stands for a trait that is
    /// absent or of a type that cannot be compared. Such a trait, like one of another type than the
    /// condition's, is equal to nothing, contains nothing, and is neither greater nor less.
    #[inline]
    pub fn matches(&self, found: Option<TraitValue<'_>>) -> bool {
        match self {
            Self::String(operator, StringValue(value)) => {
                let text = match found {
                    Some(TraitValue::String(text)) => Some(text),
                    _ => None,
                };
                string_matches(*operator, text, value)
            }
            Self::Number(operator, value) => {
                let digits = match found {
                    Some(TraitValue::Number(digits)) => Some(digits),
                    _ => None,
                };
                number_matches(*operator, digits, value)
            }
            Self::Boolean(operator, BooleanValue(value)) => {
                let is_equal = found == Some(TraitValue::Boolean(*value));
                match operator {
                    BooleanOperator::Eq => is_equal,
                    BooleanOperator::Ne => !is_equal,
                }
            }
        }
    }
}

fn string_matches(operator: StringOperator, found: Option<&str>, value: &str) -> bool {
    let holds = |test: fn(&str, &str) -> bool| found.is_some_and(|text| test(text, value));
    match operator {
        StringOperator::Eq => holds(|text, value| text == value),
        StringOperator::Ne => !holds(|text, value| text == value),
        StringOperator::Contains => holds(|text, value| text.contains(value)),
        StringOperator::Ncontains => !holds(|text, value| text.contains(value)),
    }
}

/// Compares with the digits of a number. Digits that are no number are equal to nothing.
fn number_matches(operator: NumberOperator, found: Option<&str>, value: &Decimal) -> bool {
    let number: Option<Decimal> = found.and_then(|digits| digits.parse().ok());
    let order = number.map(|number| number.cmp(value));
    match operator {
        NumberOperator::Eq => order == Some(Ordering::Equal),
        NumberOperator::Ne => order != Some(Ordering::Equal),
        NumberOperator::Gt => order.is_some_and(Ordering::is_gt),
        NumberOperator::Gte => order.is_some_and(Ordering::is_ge),
        NumberOperator::Lt => order.is_some_and(Ordering::is_lt),
        NumberOperator::Lte => order.is_some_and(Ordering::is_le),
    }
}
