//! The filters of a request, in their two forms (contract, section 4).

use std::collections::BTreeSet;

use model::{
    Operator, TraitCondition, TraitFilter, TraitFilters, TraitName, TraitType, TraitValue,
};
use service::Parameters;
use service::error::ProblemKind;

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
    // Malformed names are left in place and reported as unknown.
    let keys: BTreeSet<_> = parameters.names().filter_map(trait_in).collect();
    let count = keys.len();
    let filters = keys.into_iter().filter_map(|(name, kind)| {
        let key = format!("{PREFIX}{kind}.{}]", name.as_str());
        let part = |part| format!("{key}[{part}]");
        let operator = |text: &str| Operator::parse(kind, text);
        let operator = parameters.required(&part("operator"), operator);
        let value = |text: &str| TraitValue::parse(kind, text);
        let value = parameters.required(&part("value"), value);
        let condition = TraitCondition {
            operator: operator?,
            value: value?,
        };
        Some(TraitFilter { name, condition })
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
