//! The parameters of the operation.

use shared::error::{Error, ProblemKind};
use shared::http::Parameters;
use shared::model::{Period, ProjectId, Timestamp, TraitFilters, Zone};

use crate::breakdown::{Breakdown, BreakdownParameters};
use crate::filters::filters;

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
