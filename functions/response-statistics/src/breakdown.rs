//! The parameters that divide the figures into intervals and groups, and that state their uncertainty.

use model::{
    Confidence, GroupBy, Invalid, Period, PrivateTraits, Respondents, Segments, TraitName, Unit,
    WeekStart, Zone,
};
use serde::Serialize;
use service::Parameters;
use service::error::{Error, ProblemKind};

use crate::calendar::{Calendar, Interval};
use crate::refusals::private_trait;

/// How the figures of a period are divided.
#[derive(Debug)]
pub(crate) struct Breakdown {
    pub(crate) intervals: Option<Intervals>,
    pub(crate) group_by: Option<GroupBy>,
    /// How many groups have elements of their own.
    pub(crate) group_limit: usize,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) respondents: Respondents,
}

/// The calendar intervals of a period.
#[derive(Debug)]
pub(crate) struct Intervals {
    pub(crate) calendar: Calendar,
    pub(crate) list: Vec<Interval>,
}

const MAX_INTERVALS: usize = 1000;
const MAX_ELEMENTS: usize = 10_000;
const DEFAULT_GROUPS: u16 = 20;
const MAX_GROUPS: u16 = 100;

impl Intervals {
    fn new((calendar, period): (Calendar, Period)) -> Self {
        let list = match calendar.unit {
            Unit::All => vec![Interval::whole(period)],
            _ => calendar.intervals(period).take(MAX_INTERVALS + 1).collect(),
        };
        Self { calendar, list }
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
        let intervals = calendar.zip(period).map(Intervals::new);
        let group_by = group_by(parameters);
        let group_limit = parameters.number_up_to("groupLimit", MAX_GROUPS);
        let group_limit = usize::from(group_limit.unwrap_or(DEFAULT_GROUPS));
        let count = intervals
            .as_ref()
            .map_or(1, |intervals| intervals.list.len());
        let columns = group_by.as_ref().map_or(1, |_| group_limit + 1);
        if count > MAX_INTERVALS {
            let what = "must divide the period into at most 1000 intervals: choose a longer one, or narrow the period";
            parameters.report(ProblemKind::Invalid, "interval", what);
        } else if count * columns > MAX_ELEMENTS {
            let most = MAX_ELEMENTS / count - 1;
            let what = format!("must be at most {most} for the {count} intervals of the period");
            parameters.report(ProblemKind::Invalid, "groupLimit", &what);
        }
        Self {
            intervals,
            group_by,
            group_limit,
            confidence: parameters.optional("confidence"),
            respondents: parameters.optional("respondents").unwrap_or_default(),
        }
    }

    /// Returns what is requested beyond the figures of the whole period, for ids: equal for equal requests,
    /// however they are written. `None` if nothing is.
    pub(crate) fn requested(&self) -> Option<impl Serialize> {
        let calendar = self.intervals.as_ref().map(|intervals| &intervals.calendar);
        let group_by = self.group_by.as_ref();
        let weeks = calendar.filter(|calendar| calendar.unit == Unit::Week);
        let requested = (
            calendar.map(|calendar| calendar.unit.to_string()),
            calendar.map(|calendar| calendar.zone.name()),
            weeks.map(|calendar| calendar.week_start.to_string()),
            group_by.map(GroupBy::to_string),
            group_by.map(|_| self.group_limit),
            self.confidence.map(Confidence::percent),
        );
        let is_latest = self.respondents == Respondents::Latest;
        (self.is_divided() || self.confidence.is_some() || is_latest).then_some(requested)
    }

    /// Returns whether intervals or groups are requested.
    pub(crate) fn is_divided(&self) -> bool {
        self.intervals.is_some() || self.group_by.is_some()
    }

    /// Refuses groups by a trait that names people.
    pub(crate) fn check_privacy(&self, private: &PrivateTraits) -> Result<(), Error> {
        match &self.group_by {
            Some(by) if private.contains(by.name.as_str()) => Err(private_trait(&by.name)),
            _ => Ok(()),
        }
    }

    /// Returns whether the period is divided into several intervals.
    pub(crate) fn has_intervals(&self) -> bool {
        let intervals = self.intervals.as_ref();
        intervals.is_some_and(|intervals| intervals.list.len() > 1)
    }

    /// Returns the division of records, for the store.
    pub(crate) fn segments(&self) -> Segments {
        let intervals = self.intervals.iter().flat_map(|intervals| &intervals.list);
        let edges = intervals.skip(1).map(|interval| interval.start);
        Segments::new(edges, self.group_by.clone())
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

fn group_by(parameters: &mut Parameters) -> Option<GroupBy> {
    require_with(parameters, "groupBy", "groupLimit");
    parameters.optional_with("groupBy", |text| {
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
    })
}
