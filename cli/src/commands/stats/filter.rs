//! `--filter`: conditions on traits, as they are written on the command line.

use std::str::FromStr;

use shared::model::{Condition, Invalid, TraitFilter, TraitType};

/// Parses `NAME=OPERATOR:VALUE`. The operator of a trait that is not a string has its type before it:
/// `legroom=number.gte:4`.
///
/// # Errors
///
/// Says which part is wrong, for people.
pub(super) fn parse(text: &str) -> Result<TraitFilter, String> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(name, rest)| Some((name, rest.split_once(':')?)));
    let (name, (operator, value)) = parts.ok_or(
        "write it as NAME=OPERATOR:VALUE, such as plan=eq:pro, legroom=number.gte:4 or recommended=boolean.eq:true",
    )?;
    let name = name.parse().map_err(|error| format!("the name {error}"))?;
    let (kind, operator) = operator.split_once('.').unwrap_or(("string", operator));
    let condition = match kind
        .parse()
        .map_err(|error| format!("the type before the operator {error}"))?
    {
        TraitType::String => condition(kind, operator, value, Condition::String),
        TraitType::Number => condition(kind, operator, value, Condition::Number),
        TraitType::Boolean => condition(kind, operator, value, Condition::Boolean),
    }?;
    Ok(TraitFilter { name, condition })
}

fn condition<O, V>(
    kind: &str,
    operator: &str,
    value: &str,
    condition: fn(O, V) -> Condition,
) -> Result<Condition, String>
where
    O: FromStr<Err = Invalid>,
    V: FromStr<Err = Invalid>,
{
    let operator = operator.parse();
    let operator = operator.map_err(|error| format!("the operator of a {kind} {error}"))?;
    let value = value
        .parse()
        .map_err(|error| format!("the value {error}"))?;
    Ok(condition(operator, value))
}

/// Returns the two parameters of the filter.
pub(super) fn parameters(filter: &TraitFilter) -> [(String, String); 2] {
    let TraitFilter { name, condition } = filter;
    let kind = condition.trait_type().as_str();
    let key = format!("filters[user.traits.{kind}.{}]", name.as_str());
    [
        (format!("{key}[operator]"), condition.operator().to_owned()),
        (format!("{key}[value]"), condition.value().into_owned()),
    ]
}

/// Returns the filter as words, with quotes around a string.
pub(super) fn describe(filter: &TraitFilter) -> String {
    let TraitFilter { name, condition } = filter;
    let value = match condition.trait_type() {
        TraitType::String => format!("{:?}", condition.value()),
        TraitType::Number | TraitType::Boolean => condition.value().into_owned(),
    };
    format!("{} {} {value}", name.as_str(), condition.operator())
}
