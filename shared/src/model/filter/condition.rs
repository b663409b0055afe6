//! What a filter requires of a trait.

use std::cmp::Ordering;
use std::fmt;
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

impl fmt::Display for StringValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The boolean that a trait is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BooleanValue(bool);

impl FromStr for BooleanValue {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let flag = text.parse();
        flag.map(Self).map_err(|_| Invalid("must be true or false"))
    }
}

impl fmt::Display for BooleanValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An operator, and the value that a trait is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition<O, V> {
    /// How the trait is compared.
    pub operator: O,
    /// What it is compared with.
    pub value: V,
}

impl Condition<StringOperator, StringValue> {
    /// Returns whether a record with this trait passes. `None` stands for a trait that is absent or not
    /// a string: it is equal to nothing and contains nothing.
    pub fn matches(&self, found: Option<&str>) -> bool {
        let holds =
            |test: fn(&str, &str) -> bool| found.is_some_and(|text| test(text, &self.value.0));
        match self.operator {
            StringOperator::Eq => holds(|text, value| text == value),
            StringOperator::Ne => !holds(|text, value| text == value),
            StringOperator::Contains => holds(|text, value| text.contains(value)),
            StringOperator::Ncontains => !holds(|text, value| text.contains(value)),
        }
    }
}

impl Condition<NumberOperator, Decimal> {
    /// Returns whether a record with this trait passes. `None` stands for a trait that is absent or not
    /// a number: it is equal to nothing, and neither greater nor less. So are digits that are no number.
    pub fn matches(&self, digits: Option<&str>) -> bool {
        let number: Option<Decimal> = digits.and_then(|digits| digits.parse().ok());
        let order = number.map(|number| number.cmp(&self.value));
        match self.operator {
            NumberOperator::Eq => order == Some(Ordering::Equal),
            NumberOperator::Ne => order != Some(Ordering::Equal),
            NumberOperator::Gt => order.is_some_and(Ordering::is_gt),
            NumberOperator::Gte => order.is_some_and(Ordering::is_ge),
            NumberOperator::Lt => order.is_some_and(Ordering::is_lt),
            NumberOperator::Lte => order.is_some_and(Ordering::is_le),
        }
    }
}

impl Condition<BooleanOperator, BooleanValue> {
    /// Returns whether a record with this trait passes. `None` stands for a trait that is absent or not
    /// a boolean: it is equal to nothing.
    pub fn matches(&self, found: Option<bool>) -> bool {
        match self.operator {
            BooleanOperator::Eq => found == Some(self.value.0),
            BooleanOperator::Ne => found != Some(self.value.0),
        }
    }
}

/// What a filter requires of a trait: its type, and how its value compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraitCondition {
    /// A condition on a string.
    String(Condition<StringOperator, StringValue>),
    /// A condition on a number.
    Number(Condition<NumberOperator, Decimal>),
    /// A condition on a boolean.
    Boolean(Condition<BooleanOperator, BooleanValue>),
}

impl TraitCondition {
    /// Returns whether a record passes whose trait is absent or of another type.
    pub fn matches_absent(&self) -> bool {
        match self {
            Self::String(condition) => condition.matches(None),
            Self::Number(condition) => condition.matches(None),
            Self::Boolean(condition) => condition.matches(None),
        }
    }

    /// Returns operator and value; unless the type is a string, it precedes the operator. Equal values
    /// have equal texts.
    pub fn words(&self) -> (String, String) {
        let (kind, operator, value) = self.texts();
        match kind {
            TraitType::String => (operator, value),
            TraitType::Number | TraitType::Boolean => (format!("{kind}.{operator}"), value),
        }
    }

    /// Returns type, operator and value. Equal values have equal texts.
    pub fn texts(&self) -> (TraitType, String, String) {
        match self {
            Self::String(condition) => condition.texts(TraitType::String),
            Self::Number(condition) => condition.texts(TraitType::Number),
            Self::Boolean(condition) => condition.texts(TraitType::Boolean),
        }
    }
}

impl<O: fmt::Display, V: fmt::Display> Condition<O, V> {
    fn texts(&self, kind: TraitType) -> (TraitType, String, String) {
        (kind, self.operator.to_string(), self.value.to_string())
    }
}
