//! The parameters that divide the figures into intervals and groups, and that state their uncertainty.

use model::{
    Confidence, GroupBy, Invalid, Period, PrivateTraits, Respondents, Segments, TraitName, Unit,
    WeekStart, Zone,
};
use serde::Serialize;
use service::error::{Error, ProblemKind};
use service::http::Parameters;

use crate::calendar::{Calendar, Interval};
use crate::refusals::private_trait;

/// How the figures of a period are divided.
#[derive(Debug)]
pub(crate) struct Breakdown {
    pub(crate) series: Option<IntervalSeries>,
    pub(crate) grouping: Option<Grouping>,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) respondents: Respondents,
}

/// The calendar intervals of a period.
#[derive(Debug)]
pub(crate) struct IntervalSeries {
    pub(crate) calendar: Calendar,
    pub(crate) intervals: Vec<Interval>,
}

/// The groups of a response.
#[derive(Debug)]
pub(crate) struct Grouping {
    pub(crate) by: GroupBy,
    pub(crate) limit: usize,
}

const MAX_INTERVALS: usize = 1000;
const MAX_ELEMENTS: usize = 10_000;
const DEFAULT_GROUPS: u16 = 20;
const MAX_GROUPS: u16 = 100;

impl IntervalSeries {
    fn new(calendar: Calendar, period: Period) -> Self {
        let intervals = match calendar.unit {
            Unit::All => vec![Interval::whole(period)],
            _ => calendar.intervals(period).take(MAX_INTERVALS + 1).collect(),
        };
        Self {
            calendar,
            intervals,
        }
    }
}

impl Breakdown {
    /// The names of the parameters.
    pub(crate) const PARAMETERS: [&str; 6] = [
        "interval",
        "weekStart",
        "groupBy",
        "groupLimit",
        "confidence",
        "respondents",
    ];

    /// Takes the parameters, and divides the period if there is one, in the zone of `timezone`. Reports
    /// limits that the division exceeds.
    pub(crate) fn take(parameters: &mut Parameters, zone: Zone, period: Option<Period>) -> Self {
        let calendar = calendar(parameters, zone);
        let series = calendar.zip(period);
        let series = series.map(|(calendar, period)| IntervalSeries::new(calendar, period));
        let grouping = grouping(parameters);
        let count = series.as_ref().map_or(1, |series| series.intervals.len());
        let columns = grouping.as_ref().map_or(1, |grouping| grouping.limit + 1);
        if count > MAX_INTERVALS {
            let what = "must divide the period into at most 1000 intervals: choose a longer one, or narrow the period";
            parameters.report(ProblemKind::Invalid, "interval", what);
        } else if count * columns > MAX_ELEMENTS {
            let most = MAX_ELEMENTS / count - 1;
            let what = format!("must be at most {most} for the {count} intervals of the period");
            parameters.report(ProblemKind::Invalid, "groupLimit", &what);
        }
        Self {
            series,
            grouping,
            confidence: parameters.optional("confidence"),
            respondents: parameters.optional("respondents").unwrap_or_default(),
        }
    }

    /// Returns what is requested beyond the figures of the whole period, for ids: equal for equal requests,
    /// however they are written. `None` if nothing is.
    pub(crate) fn requested(&self) -> Option<impl Serialize> {
        let calendar = self.series.as_ref().map(|series| &series.calendar);
        let grouping = self.grouping.as_ref();
        let weeks = calendar.filter(|calendar| calendar.unit == Unit::Week);
        let requested = (
            calendar.map(|calendar| calendar.unit.to_string()),
            calendar.map(|calendar| calendar.zone.name()),
            weeks.map(|calendar| calendar.week_start.to_string()),
            grouping.map(|grouping| grouping.by.to_string()),
            grouping.map(|grouping| grouping.limit),
            self.confidence.map(Confidence::percent),
        );
        let is_divided = calendar.is_some() || grouping.is_some();
        let is_latest = self.respondents == Respondents::Latest;
        (is_divided || self.confidence.is_some() || is_latest).then_some(requested)
    }

    /// Refuses groups by a trait that names people.
    pub(crate) fn check_privacy(&self, private: &PrivateTraits) -> Result<(), Error> {
        match &self.grouping {
            Some(grouping) if private.contains(grouping.by.name.as_str()) => {
                Err(private_trait(&grouping.by.name))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the period is divided into several intervals.
    pub(crate) fn has_intervals(&self) -> bool {
        let series = self.series.as_ref();
        series.is_some_and(|series| series.intervals.len() > 1)
    }

    /// Returns the division of records, for the store.
    pub(crate) fn segments(&self) -> Segments {
        let intervals = self.series.iter().flat_map(|series| &series.intervals);
        let edges = intervals.skip(1).map(|interval| interval.start);
        let group_by = self.grouping.as_ref().map(|grouping| grouping.by.clone());
        Segments::new(edges, group_by)
    }
}

/// Requires a parameter with another one. `describe` allows neither.
fn require_with(parameters: &mut Parameters, required: &str, other: &str) {
    if parameters.has(other) && !parameters.has(required) && !parameters.has("describe") {
        let what = format!("is required with {other}");
        parameters.report(ProblemKind::Missing, required, &what);
    }
}

fn calendar(parameters: &mut Parameters, zone: Zone) -> Option<Calendar> {
    require_with(parameters, "interval", "weekStart");
    let unit: Option<Unit> = parameters.optional("interval");
    let week_start: Option<WeekStart> = parameters.optional("weekStart");
    if unit.is_some_and(|unit| unit != Unit::Week) && week_start.is_some() {
        let what = "is only for the interval week";
        parameters.report(ProblemKind::Invalid, "weekStart", what);
    }
    Some(Calendar {
        unit: unit?,
        week_start: week_start.unwrap_or_default(),
        zone,
    })
}

fn grouping(parameters: &mut Parameters) -> Option<Grouping> {
    require_with(parameters, "groupBy", "groupLimit");
    let by: Option<GroupBy> = parameters.optional_with("groupBy", |text| {
        text.parse().map_err(|expected: Invalid| {
            let is_bare = text.parse::<TraitName>().is_ok() && !text.starts_with("user.");
            let [string, boolean] =
                ["string", "boolean"].map(|kind| format!("user.traits.{kind}.{text}"));
            if is_bare {
                format!("must be {string} or {boolean}")
            } else {
                expected.to_string()
            }
        })
    });
    let limit = parameters.number_up_to("groupLimit", MAX_GROUPS);
    Some(Grouping {
        by: by?,
        limit: limit.unwrap_or(DEFAULT_GROUPS).into(),
    })
}
