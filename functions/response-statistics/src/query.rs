//! The parameters of the operation.

use std::collections::BTreeSet;
use std::str::FromStr;

use shared::error::{Error, ProblemKind};
use shared::http::Parameters;
use shared::model::{Invalid, Period, ProjectId, Timestamp, TraitFilter, TraitFilters, TraitName};

use crate::breakdown::{Breakdown, BreakdownParameters};
use crate::calendar::Zone;

/// The parsed parameters of a request.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) project: ProjectId,
    pub(crate) period: Period,
    /// As given; `None` when defaulted.
    pub(crate) start_date: Option<Timestamp>,
    /// As given; `None` when defaulted.
    pub(crate) end_date: Option<Timestamp>,
    /// Sorted by name.
    pub(crate) filters: TraitFilters,
    pub(crate) breakdown: Breakdown,
}

impl Query {
    /// Parses the parameters of a request that arrived at `now`.
    pub(crate) fn parse(mut parameters: Parameters, now: Timestamp) -> Result<Self, Error> {
        let project = parameters.project_and_format();
        let zone: Zone = parameters.optional("timezone").unwrap_or_default();
        let mut date = |name| parameters.optional_with(name, |text| zone.parse_timestamp(text));
        let (start_date, end_date) = (date("startDate"), date("endDate"));
        let period = Period::of_request(start_date, end_date, now);
        if period.is_none() {
            parameters.report(
                ProblemKind::Invalid,
                "startDate",
                "must not be after endDate",
            );
        }
        let filters = filters(&mut parameters);
        let breakdown = BreakdownParameters::take(&mut parameters, zone);
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

const PREFIX: &str = "filters[user.traits.string.";

fn filters(parameters: &mut Parameters) -> TraitFilters {
    let keys = parameters.names_with_prefix(PREFIX);
    // Malformed names are left in place and reported as unknown.
    let names: BTreeSet<TraitName> = keys.iter().filter_map(|key| name_in(key)).collect();
    let count = names.len();
    let filters: Vec<_> = names
        .into_iter()
        .filter_map(|name| filter(parameters, name))
        .collect();
    // Malformed filters count too.
    match filters.try_into() {
        Ok(filters) if count <= TraitFilters::MAX => filters,
        _ => {
            parameters.report(ProblemKind::Invalid, "filters", "must not be more than 20");
            TraitFilters::default()
        }
    }
}

/// Returns everything between the prefix and the last `][operator]` or `][value]`, including brackets
/// and dots.
fn name_in(key: &str) -> Option<TraitName> {
    let rest = key.strip_prefix(PREFIX)?;
    rest.strip_suffix("][operator]")
        .or_else(|| rest.strip_suffix("][value]"))?
        .parse()
        .ok()
}

fn filter(parameters: &mut Parameters, name: TraitName) -> Option<TraitFilter> {
    let key = |member| format!("{PREFIX}{}][{member}]", name.as_str());
    let operator = parameters.required(&key("operator"));
    let value: Option<Value> = parameters.required(&key("value"));
    Some(TraitFilter {
        name,
        operator: operator?,
        value: value?.0,
    })
}

/// The value that a trait is compared with: 0–1024 bytes.
struct Value(String);

impl FromStr for Value {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.len() <= 1024 {
            Ok(Self(text.to_owned()))
        } else {
            Err(Invalid("must be at most 1024 bytes"))
        }
    }
}
