//! The parameters of the operation.

use std::collections::BTreeSet;
use std::str::FromStr;

use shared::error::{Error, ProblemKind};
use shared::http::Parameters;
use shared::model::{
    Condition, Invalid, Period, ProjectId, Timestamp, TraitCondition, TraitFilter, TraitFilters,
    TraitName, TraitType, Zone,
};

use crate::breakdown::{Breakdown, BreakdownParameters};

/// The parsed parameters of a request.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) project: ProjectId,
    pub(crate) period: Period,
    /// As given; `None` when defaulted.
    pub(crate) start_date: Option<Timestamp>,
    /// As given; `None` when defaulted.
    pub(crate) end_date: Option<Timestamp>,
    pub(crate) filters: TraitFilters,
    pub(crate) breakdown: Breakdown,
}

impl Query {
    /// Parses the parameters of a request that arrived at `now`.
    pub(crate) fn parse(mut parameters: Parameters, now: Timestamp) -> Result<Self, Error> {
        let project = parameters.project_and_format();
        let given = ["timezone", "startDate", "endDate"].map(|name| parameters.has(name));
        let zone: Option<Zone> = parameters.optional("timezone");
        let has_zone = zone.is_some();
        let zone = zone.unwrap_or_default();
        let mut date = |name| parameters.optional_with(name, |text| zone.parse_timestamp(text));
        let (start_date, end_date) = (date("startDate"), date("endDate"));
        // With a malformed parameter, the period would be one that was not requested.
        let is_known = given == [has_zone, start_date.is_some(), end_date.is_some()];
        let period = is_known.then(|| Period::of_request(start_date, end_date, now));
        if period == Some(None) {
            parameters.report(
                ProblemKind::Invalid,
                "startDate",
                "must not be after endDate",
            );
        }
        let filters = filters(&mut parameters);
        let breakdown = BreakdownParameters::take(&mut parameters, zone);
        let period = period.flatten();
        let breakdown = period.map(|period| breakdown.divide(&mut parameters, period));
        parameters.finish()?;
        match (project, period, breakdown) {
            (Some(project), Some(period), Some(breakdown)) => Ok(Self {
                project,
                period,
                start_date,
                end_date,
                filters,
                breakdown,
            }),
            // If no problem was reported, both are given.
            _ => Err(Error::Internal),
        }
    }
}

impl Query {
    /// Returns whether the figures depend on the traits of the records.
    pub(crate) fn needs_traits(&self) -> bool {
        !self.filters.is_empty() || self.breakdown.grouping.is_some()
    }
}

const PREFIX: &str = "filters[user.traits.";

fn filters(parameters: &mut Parameters) -> TraitFilters {
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
    // Malformed filters count too.
    match filters.collect::<Vec<_>>().try_into() {
        Ok(filters) if count <= TraitFilters::MAX => filters,
        _ => {
            parameters.report(ProblemKind::Invalid, "filters", "must not be more than 20");
            TraitFilters::default()
        }
    }
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
