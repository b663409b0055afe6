//! The filters of a request, in their two forms (contract, section 4).

use std::collections::BTreeSet;
use std::str::FromStr;

use shared::error::ProblemKind;
use shared::http::Parameters;
use shared::model::{
    Condition, Invalid, TraitCondition, TraitFilter, TraitFilters, TraitName, TraitType,
};

/// The parameter that holds a whole filter, and may be repeated.
const FILTER: &str = "filter";
/// What the parameters of the other form begin with.
const PREFIX: &str = "filters[user.traits.";

/// Takes all filters. Malformed ones count towards their limit, too.
pub(crate) fn filters(parameters: &mut Parameters) -> TraitFilters {
    let (mut filters, nested_count) = nested(parameters);
    let at_fault = if parameters.has(FILTER) {
        FILTER
    } else {
        "filters"
    };
    let whole: Vec<TraitFilter> = parameters.repeated(FILTER);
    let count = nested_count + whole.len();
    for filter in whole {
        if filters.len() <= TraitFilters::MAX && filters.contains(&filter) {
            let (kind, text) = (ProblemKind::Duplicate, filter.to_string());
            parameters.report_value(kind, FILTER, &"must not repeat a filter", &text);
        }
        filters.push(filter);
    }
    match filters.try_into() {
        Ok(filters) if count <= TraitFilters::MAX => filters,
        _ => {
            parameters.report(ProblemKind::Invalid, at_fault, "must not be more than 20");
            TraitFilters::default()
        }
    }
}

/// Takes the filters that are two parameters each; returns them, and how many there are with the
/// malformed ones.
fn nested(parameters: &mut Parameters) -> (Vec<TraitFilter>, usize) {
    let keys = parameters.names_with_prefix(PREFIX);
    // Malformed names are left in place and reported as unknown.
    let keys: BTreeSet<_> = keys.iter().filter_map(|key| trait_in(key)).collect();
    let count = keys.len();
    let filters = keys.into_iter().filter_map(|(name, kind)| {
        let key = format!("{PREFIX}{kind}.{}]", name.as_str());
        let condition = match kind {
            TraitType::String => condition(parameters, &key).map(TraitCondition::String),
            TraitType::Number => condition(parameters, &key).map(TraitCondition::Number),
            TraitType::Boolean => condition(parameters, &key).map(TraitCondition::Boolean),
        };
        condition.map(|condition| TraitFilter { name, condition })
    });
    (filters.collect(), count)
}

/// Returns the type after the prefix, and as the name everything from its dot to the last `][operator]`
/// or `][value]`, including brackets and dots.
fn trait_in(key: &str) -> Option<(TraitName, TraitType)> {
    let (kind, rest) = key.strip_prefix(PREFIX)?.split_once('.')?;
    let name = rest
        .strip_suffix("][operator]")
        .or_else(|| rest.strip_suffix("][value]"))?;
    Some((name.parse().ok()?, kind.parse().ok()?))
}

/// Takes the operator and the value of a filter, which are required.
fn condition<O, V>(parameters: &mut Parameters, key: &str) -> Option<Condition<O, V>>
where
    O: FromStr<Err = Invalid>,
    V: FromStr<Err = Invalid>,
{
    let operator = parameters.required(&format!("{key}[operator]"));
    let value = parameters.required(&format!("{key}[value]"));
    Some(Condition {
        operator: operator?,
        value: value?,
    })
}
