//! The parameters that divide the figures into intervals and groups, and that state their uncertainty.

use std::str::FromStr;

use serde::Serialize;
use shared::error::{Error, ProblemKind};
use shared::http::Parameters;
use shared::model::{GroupBy, GroupKind, Invalid, Period, Segments, Zone};

use crate::calendar::{Calendar, Interval, Unit, WeekStart};
use crate::uncertainty::Confidence;

/// How the figures of a period are divided.
#[derive(Debug, Default)]
pub(crate) struct Breakdown {
    pub(crate) series: Option<IntervalSeries>,
    pub(crate) grouping: Option<Grouping>,
    pub(crate) confidence: Option<Confidence>,
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

/// The parameters, before the period is known.
pub(crate) struct BreakdownParameters {
    calendar: Option<Calendar>,
    grouping: Option<Grouping>,
    confidence: Option<Confidence>,
}

const MAX_INTERVALS: usize = 1000;
const MAX_ELEMENTS: usize = 10_000;
const DEFAULT_GROUPS: usize = 20;

impl BreakdownParameters {
    /// Takes the parameters. The zone is that of `timezone`.
    pub(crate) fn take(parameters: &mut Parameters, zone: Zone) -> Self {
        Self {
            calendar: calendar(parameters, zone),
            grouping: grouping(parameters),
            confidence: parameters.optional("confidence"),
        }
    }

    /// Divides a period. Reports limits that the division exceeds.
    pub(crate) fn divide(self, parameters: &mut Parameters, period: Period) -> Breakdown {
        let series = self.calendar.map(|calendar| {
            let intervals = calendar.intervals(period).take(MAX_INTERVALS + 1);
            IntervalSeries {
                intervals: intervals.collect(),
                calendar,
            }
        });
        let count = series.as_ref().map_or(1, |series| series.intervals.len());
        let columns = self
            .grouping
            .as_ref()
            .map_or(1, |grouping| grouping.limit + 1);
        if count > MAX_INTERVALS {
            let what = "must divide the period into at most 1000 intervals: choose a longer one, or narrow the period";
            parameters.report(ProblemKind::Invalid, "interval", what);
        } else if count * columns > MAX_ELEMENTS {
            let what = format!(
                "must be lower: {count} intervals of {columns} groups, with the rest as one of them, are more than 10000 \
                 elements"
            );
            parameters.report(ProblemKind::Invalid, "groupLimit", &what);
        }
        Breakdown {
            series,
            grouping: self.grouping,
            confidence: self.confidence,
        }
    }
}

impl Breakdown {
    /// Returns what is requested beyond the figures of the whole period, for ids: equal for equal
    /// questions, however they are put. `None` if that is nothing.
    pub(crate) fn question(&self) -> Option<impl Serialize> {
        let calendar = self.series.as_ref().map(|series| &series.calendar);
        let grouping = self.grouping.as_ref();
        let by = |by: &GroupBy| format!("user.traits.{}.{}", by.kind.as_str(), by.name.as_str());
        let question = (
            calendar.map(|calendar| calendar.unit.as_str()),
            calendar.map(|calendar| calendar.zone.name()),
            calendar.and_then(|calendar| Some(calendar.unit.week_start()?.as_str())),
            grouping.map(|grouping| by(&grouping.by)),
            grouping.map(|grouping| grouping.limit),
            self.confidence.map(Confidence::percent),
        );
        let any = calendar.is_some() || grouping.is_some() || self.confidence.is_some();
        any.then_some(question)
    }

    /// Returns the error of more groups than may be counted.
    pub(crate) fn too_many_groups(&self) -> Error {
        let grouping = self.grouping.as_ref();
        grouping.map_or(Error::Internal, |grouping| {
            Error::TooManyGroups(grouping.by.name.clone())
        })
    }

    /// Returns the division of records, for the store.
    pub(crate) fn segments(&self) -> Segments {
        let intervals = self.series.iter().flat_map(|series| &series.intervals);
        let edges = intervals.skip(1).map(|interval| interval.start);
        let group_by = self.grouping.as_ref().map(|grouping| grouping.by.clone());
        Segments::new(edges, group_by)
    }
}

fn calendar(parameters: &mut Parameters, zone: Zone) -> Option<Calendar> {
    if parameters.has("weekStart") && !parameters.has("interval") {
        parameters.report(
            ProblemKind::Missing,
            "interval",
            "is required with weekStart",
        );
    }
    let unit: Option<Unit> = parameters.optional("interval");
    let week_start: Option<WeekStart> = parameters.optional("weekStart");
    let unit = match (unit?, week_start) {
        (Unit::Week(_), Some(start)) => Unit::Week(start),
        (unit, Some(_)) => {
            let what = "is only for the interval week";
            parameters.report(ProblemKind::Invalid, "weekStart", what);
            unit
        }
        (unit, None) => unit,
    };
    Some(Calendar { unit, zone })
}

fn grouping(parameters: &mut Parameters) -> Option<Grouping> {
    if parameters.has("groupLimit") && !parameters.has("groupBy") {
        parameters.report(
            ProblemKind::Missing,
            "groupBy",
            "is required with groupLimit",
        );
    }
    let by: Option<GroupTrait> = parameters.optional("groupBy");
    let limit: Option<GroupLimit> = parameters.optional("groupLimit");
    Some(Grouping {
        by: by?.0,
        limit: limit.map_or(DEFAULT_GROUPS, |limit| limit.0),
    })
}

struct GroupTrait(GroupBy);

impl FromStr for GroupTrait {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let of = |kind: GroupKind| {
            let name = text
                .strip_prefix("user.traits.")?
                .strip_prefix(kind.as_str())?
                .strip_prefix('.')?
                .parse()
                .ok()?;
            Some(Self(GroupBy { name, kind }))
        };
        of(GroupKind::String)
            .or_else(|| of(GroupKind::Boolean))
            .ok_or(Invalid(
                "must be user.traits.string.<name> or user.traits.boolean.<name>, with a name of 1 to 255 bytes",
            ))
    }
}

struct GroupLimit(usize);

impl FromStr for GroupLimit {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(limit @ 1..=100) if digits => Ok(Self(limit)),
            _ => Err(Invalid("must be a number from 1 to 100")),
        }
    }
}
