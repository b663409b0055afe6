//! A filter as one text: `NAME=[TYPE.]OPERATOR:VALUE`.

use std::fmt;
use std::str::FromStr;

use super::condition::{TraitCondition, TraitValue};
use super::filters::TraitFilter;
use super::names::{Operator, TraitType};
use crate::invalid::Invalid;

/// Why a text is no filter. It is displayed as the requirement, as [`Invalid`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidFilter {
    /// It has no `=`, or no `:` after it.
    Form,
    /// A part of it is not as this requires.
    Part(String),
}

/// Returns a function that makes the error of a part: `beginning`, and then what the part must be.
fn part(beginning: &str) -> impl Fn(Invalid) -> InvalidFilter {
    move |Invalid(expected)| {
        let what = expected.strip_prefix("must be ").unwrap_or(expected);
        InvalidFilter::Part(format!("{beginning} {what}"))
    }
}

impl fmt::Display for InvalidFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => {
                "must be NAME=OPERATOR:VALUE, such as plan=eq:pro, seats=number.gte:4 \
                 or beta=boolean.eq:true"
            }
            Self::Part(expected) => expected,
        })
    }
}

impl std::error::Error for InvalidFilter {}

/// Parses what [`TraitFilter`] displays. The name ends at the first `=`, and the operator at the first
/// `:` after it; an operator without a type is one on strings.
impl FromStr for TraitFilter {
    type Err = InvalidFilter;

    fn from_str(text: &str) -> Result<Self, InvalidFilter> {
        let (name, rest) = text.split_once('=').ok_or(InvalidFilter::Form)?;
        let (operator, value) = rest.split_once(':').ok_or(InvalidFilter::Form)?;
        let name = name.parse();
        let name = name.map_err(|expected: Invalid| InvalidFilter::Part(expected.to_string()))?;
        let (kind, operator) = match operator.split_once('.') {
            Some((kind, operator)) => {
                let of_type = part("must have as the type before the operator");
                (kind.parse().map_err(of_type)?, operator)
            }
            None => (TraitType::String, operator),
        };
        let operator = parse_operator(kind, operator)?;
        let value = TraitValue::parse(kind, value).map_err(part("must have a value that is"))?;
        let condition = TraitCondition { operator, value };
        Ok(Self { name, condition })
    }
}

fn parse_operator(kind: TraitType, text: &str) -> Result<Operator, InvalidFilter> {
    Operator::parse(kind, text).map_err(|expected| {
        let refusal = part(&format!("must have as the operator of a {kind}"))(expected);
        match Operator::parse(TraitType::Number, text) {
            // The operator is one of numbers, and lacks the type before it.
            Ok(_) if kind == TraitType::String => {
                InvalidFilter::Part(format!("{refusal} (of a number, number.{text})"))
            }
            _ => refusal,
        }
    })
}

/// Writes the filter in its canonical form: equal filters have equal texts.
impl fmt::Display for TraitFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (operator, value) = self.condition.words();
        write!(f, "{}={operator}:{value}", self.name.as_str())
    }
}
