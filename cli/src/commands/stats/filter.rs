//! `--filter`: conditions on traits, as they are written on the command line.

use std::fmt::Display;
use std::str::FromStr;

use shared::model::{
    BooleanOperator, BooleanValue, Decimal, Invalid, NumberOperator, StringOperator, StringValue,
    TraitName, TraitType,
};

/// A parsed filter.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    name: TraitName,
    kind: TraitType,
    operator: String,
    value: String,
}

impl FromStr for Filter {
    type Err = String;

    /// Parses `NAME=OPERATOR:VALUE`. The operator of a trait that is not a string has its type before
    /// it: `legroom=number.gte:4`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=');
        let parts = parts.and_then(|(name, rest)| Some((name, rest.split_once(':')?)));
        let (name, (operator, value)) = parts.ok_or(
            "write it as NAME=OPERATOR:VALUE, such as plan=eq:pro, legroom=number.gte:4 or recommended=boolean.eq:true",
        )?;
        let name = name.parse().map_err(|error| format!("the name {error}"))?;
        let (kind, operator) = operator.split_once('.').unwrap_or(("string", operator));
        let kind = kind
            .parse()
            .map_err(|error| format!("the type before the operator {error}"))?;
        let (operator, value) = match kind {
            TraitType::String => condition::<StringOperator, StringValue>(kind, operator, value),
            TraitType::Number => condition::<NumberOperator, Decimal>(kind, operator, value),
            TraitType::Boolean => condition::<BooleanOperator, BooleanValue>(kind, operator, value),
        }?;
        Ok(Self {
            name,
            kind,
            operator,
            value,
        })
    }
}

/// Checks an operator and a value of this type, and returns their texts in a request.
fn condition<O, V>(kind: TraitType, operator: &str, value: &str) -> Result<(String, String), String>
where
    O: FromStr<Err = Invalid> + Display,
    V: FromStr<Err = Invalid> + Display,
{
    let operator: O = operator
        .parse()
        .map_err(|error| format!("the operator of a {kind} {error}"))?;
    let value: V = value
        .parse()
        .map_err(|error| format!("the value {error}"))?;
    Ok((operator.to_string(), value.to_string()))
}

impl Filter {
    /// Returns the two parameters of the filter.
    pub(super) fn parameters(&self) -> [(String, String); 2] {
        let key = format!("filters[user.traits.{}.{}]", self.kind, self.name.as_str());
        [
            (format!("{key}[operator]"), self.operator.clone()),
            (format!("{key}[value]"), self.value.clone()),
        ]
    }
}

impl Display for Filter {
    /// Writes the filter for people, with quotes around a string.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} ", self.name.as_str(), self.operator)?;
        match self.kind {
            TraitType::String => write!(f, "{:?}", self.value),
            TraitType::Number | TraitType::Boolean => f.write_str(&self.value),
        }
    }
}
