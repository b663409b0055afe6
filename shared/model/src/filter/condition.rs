//! What a filter requires of a trait.

use std::fmt;

use super::names::{Operator, TraitType};
use crate::decimal::Decimal;
use crate::invalid::Invalid;

/// What a filter compares a trait with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraitValue {
    /// A string of 0–1024 bytes.
    String(String),
    /// A number.
    Number(Decimal),
    /// A boolean.
    Boolean(bool),
}

impl TraitValue {
    /// Parses a value of this type.
    pub fn parse(kind: TraitType, text: &str) -> Result<Self, Invalid> {
        match kind {
            TraitType::String if text.len() > 1024 => Err(Invalid("must be at most 1024 bytes")),
            TraitType::String => Ok(Self::String(text.to_owned())),
            TraitType::Number => text.parse().map(Self::Number),
            TraitType::Boolean => match text.parse() {
                Ok(flag) => Ok(Self::Boolean(flag)),
                Err(_) => Err(Invalid("must be true or false")),
            },
        }
    }
}

/// Writes the value. Equal values have equal texts.
impl fmt::Display for TraitValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Boolean(flag) => flag.fmt(f),
        }
    }
}

/// What a filter requires of a trait: its type, which is that of the value, and how it compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraitCondition {
    /// How the trait is compared. The type has this operator.
    pub operator: Operator,
    /// What it is compared with.
    pub value: TraitValue,
}

impl TraitCondition {
    /// Returns whether a record passes whose trait is absent or of another type: it is equal to nothing,
    /// contains nothing, and is neither greater nor less.
    pub fn matches_absent(&self) -> bool {
        self.operator.holds(None)
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
        let kind = match self.value {
            TraitValue::String(_) => TraitType::String,
            TraitValue::Number(_) => TraitType::Number,
            TraitValue::Boolean(_) => TraitType::Boolean,
        };
        (kind, self.operator.to_string(), self.value.to_string())
    }
}
