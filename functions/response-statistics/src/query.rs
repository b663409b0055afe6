//! The parameters of the operation.

use model::items::{ItemDetail, ItemSelection};
use model::{Period, ProjectId, Respondents, Segments, Timestamp, TraitFilters, Zone};
use service::Parameters;
use service::error::{Error, ProblemKind};

use crate::breakdown::Breakdown;
use crate::filters::filters;

/// The parsed parameters of a request.
#[derive(Debug)]
pub(crate) struct StatisticsQuery {
    pub(crate) project: ProjectId,
    pub(crate) period: Period,
    /// As given; `None` when defaulted.
    pub(crate) start_date: Option<Timestamp>,
    /// As given; `None` when defaulted.
    pub(crate) end_date: Option<Timestamp>,
    pub(crate) filters: TraitFilters,
    pub(crate) requested: Requested,
}

/// What is requested of the records.
#[derive(Debug)]
pub(crate) enum Requested {
    Figures(Breakdown),
    Traits,
}

impl StatisticsQuery {
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
        let period = period.flatten();
        let filters = filters(&mut parameters);
        report_combinations(&mut parameters);
        let describes = parameters.is_given("describe", "traits");
        let divided = period.filter(|_| !describes);
        let breakdown = Breakdown::take(&mut parameters, zone, divided);
        parameters.finish()?;
        // If no problem was reported, both are given.
        Ok(Self {
            project: project.ok_or_else(Error::internal)?,
            period: period.ok_or_else(Error::internal)?,
            start_date,
            end_date,
            filters,
            requested: if describes {
                Requested::Traits
            } else {
                Requested::Figures(breakdown)
            },
        })
    }

    /// Returns the records that are read.
    pub(crate) fn selection(&self) -> ItemSelection {
        let (segments, detail) = match &self.requested {
            Requested::Traits => (Segments::default(), ItemDetail::Traits),
            Requested::Figures(breakdown) => {
                let detail = match breakdown.respondents {
                    Respondents::All => ItemDetail::Outcome,
                    Respondents::Latest => ItemDetail::Respondent,
                };
                (breakdown.segments(), detail)
            }
        };
        ItemSelection {
            project: self.project.clone(),
            period: self.period,
            filters: self.filters.clone(),
            segments,
            detail,
        }
    }
}

/// Reports what `describe` cannot be combined with.
fn report_combinations(parameters: &mut Parameters) {
    for name in Breakdown::PARAMETERS {
        if parameters.has("describe") && parameters.has(name) {
            let what = format!("cannot be combined with {name}");
            parameters.report(ProblemKind::Invalid, "describe", &what);
        }
    }
}
