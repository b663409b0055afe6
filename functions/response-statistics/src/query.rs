//! The parameters of the operation (contract, section 4).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use chrono::NaiveDate;
use http::StatusCode;
use items::{ItemDetail, ItemSelection};
use model::{
    Confidence, GroupBy, Operator, Period, PrivateTraits, ProjectId, Respondents, Segments,
    Timestamp, TraitCondition, TraitFilter, TraitFilters, TraitName, TraitType, TraitValue, Unit,
    WeekStart, Zone, word_enum,
};
use serde::Serialize;
use service::Parameters;
use service::error::{Error, Fault, ProblemKind};

use crate::calendar::{Calendar, Interval};
use crate::comparison::{ComparedWith, Comparison, OUTSIDE, RequestedPeriod};
use crate::instant;
use crate::period_word::{NamedPeriod, PeriodWord};
use crate::window::Windows;

/// The parsed parameters of a request.
#[derive(Debug)]
pub(crate) struct StatisticsQuery {
    pub(crate) project: ProjectId,
    pub(crate) period: Period,
    /// As given, or as a word names it; `None` when defaulted.
    pub(crate) start_date: Option<Timestamp>,
    /// As given, or as a word names it; `None` when defaulted.
    pub(crate) end_date: Option<Timestamp>,
    pub(crate) filters: TraitFilters,
    pub(crate) asked: Asked,
    pub(crate) format: Format,
    pub(crate) progress: Progress,
}

/// What is left of the periods of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The requested period lies ahead.
    NotBegun,
    /// It has begun, and its end is known, until when figures change.
    Runs,
    /// The period that it is compared with has begun, and not ended.
    ComparedRuns,
    /// No end is awaited.
    Over,
}

word_enum! {
    /// How the response is written.
    #[derive(Default)]
    pub enum Format, "must be json or csv" {
        /// A document of JSON:API.
        #[default]
        Json = "json",
        /// A table.
        Csv = "csv",
    }
}

/// What is asked of the records.
#[derive(Debug)]
pub(crate) enum Asked {
    Figures(Box<Breakdown>),
    Traits,
}

impl StatisticsQuery {
    /// Parses the parameters of a request that arrived at `now`.
    pub(crate) fn parse(mut parameters: Parameters, now: Timestamp) -> Result<Self, Error> {
        let project = parameters.project();
        let format = parameters.optional("format").unwrap_or_default();
        let given_zone: Option<Zone> = parameters.optional("timezone");
        let has_known_zone = given_zone.is_some() == parameters.has("timezone");
        let zone = given_zone.unwrap_or_default();
        let today = zone.local(now.into()).date();
        let dates = Dates::take(&mut parameters, today, &zone);
        // With a malformed parameter, the period would be one that was not requested.
        let period = match &dates {
            Some(dates) if has_known_zone => dates.period(&mut parameters, now, &zone),
            _ => None,
        };
        let filters = filters(&mut parameters);
        for name in Breakdown::PARAMETERS {
            parameters.report_beside("describe", name);
        }
        let describes = parameters.is_given("describe", "traits");
        let divided = if describes { None } else { period };
        let breakdown = Breakdown::take(&mut parameters, zone.clone(), today, divided);
        parameters.finish()?;
        // If no problem was reported, all are given.
        let dates = dates.ok_or_else(Error::internal)?;
        let requested = period.ok_or_else(Error::internal)?;
        let (start_date, end_date, will_end) = match requested {
            // The day on which a word is used says nothing that the instants do not.
            RequestedPeriod::Named(NamedPeriod {
                period, will_end, ..
            }) => (Some(period.start), Some(period.end), will_end),
            RequestedPeriod::Dated(_) => (dates.start, dates.end, dates.end > Some(now)),
        };
        let compared = breakdown.comparison.as_ref().map(|with| with.period);
        let compared_runs = compared.is_some_and(|with| with.start <= now && now < with.end);
        let progress = match requested.period() {
            period if period.start > now => Progress::NotBegun,
            _ if will_end => Progress::Runs,
            _ if compared_runs => Progress::ComparedRuns,
            _ => Progress::Over,
        };
        Ok(Self {
            project: project.ok_or_else(Error::internal)?,
            period: requested.period(),
            start_date,
            end_date,
            filters,
            progress,
            format,
            asked: if describes {
                Asked::Traits
            } else {
                Asked::Figures(Box::new(breakdown))
            },
        })
    }

    /// Returns the records that are read.
    pub(crate) fn selection(&self) -> ItemSelection {
        let mut period = self.period;
        let (segments, detail) = match &self.asked {
            Asked::Traits => (Segments::default(), ItemDetail::Traits),
            Asked::Figures(breakdown) => {
                let detail = match breakdown.respondents {
                    Respondents::All => ItemDetail::Outcome,
                    Respondents::Latest => ItemDetail::Respondent,
                };
                period = breakdown.windows().map_or(period, Windows::period);
                (breakdown.segments(), detail)
            }
        };
        ItemSelection {
            project: self.project.clone(),
            period,
            filters: self.filters.clone(),
            segments,
            detail,
        }
    }
}

/// What the parameters say of the period: two dates, of which each may be missing, or a word.
#[derive(Debug)]
struct Dates {
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    named: Option<NamedPeriod>,
}

impl Dates {
    /// Takes the parameters; returns `None` if one is malformed.
    fn take(parameters: &mut Parameters, today: NaiveDate, zone: &Zone) -> Option<Self> {
        let given = ["startDate", "endDate", "period"].map(|name| parameters.has(name));
        let mut date = |name| parameters.optional_with(name, |text| instant::parse(text, zone));
        let (start, end) = (date("startDate"), date("endDate"));
        let named = named_period(parameters, today, zone);
        let are_known = given == [start.is_some(), end.is_some(), named.is_some()];
        are_known.then_some(Self { start, end, named })
    }

    /// Returns the period of a request that arrived at `now`. Reports one that ends before it starts.
    fn period(
        &self,
        parameters: &mut Parameters,
        now: Timestamp,
        zone: &Zone,
    ) -> Option<RequestedPeriod> {
        if let Some(named) = self.named {
            return Some(RequestedPeriod::Named(named));
        }
        let period = Period::of_request(self.start, self.end, now, zone);
        if period.is_none() {
            let what = "must not be after endDate";
            parameters.report(ProblemKind::Invalid, "startDate", what);
        }
        period.map(RequestedPeriod::Dated)
    }
}

/// Takes the word that names the period, instead of two dates.
fn named_period(parameters: &mut Parameters, today: NaiveDate, zone: &Zone) -> Option<NamedPeriod> {
    let word: PeriodWord = parameters.optional("period")?;
    for name in ["startDate", "endDate"] {
        parameters.report_beside("period", name);
    }
    let named = word.on(today, zone);
    if named.is_none() {
        parameters.report(ProblemKind::Invalid, "period", OUTSIDE);
    }
    named
}

/// How the figures of a period are divided.
#[derive(Debug)]
pub(crate) struct Breakdown {
    pub(crate) intervals: Option<Intervals>,
    pub(crate) group_by: Option<GroupBy>,
    /// How many groups have elements of their own.
    pub(crate) group_limit: usize,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) respondents: Respondents,
    pub(crate) comparison: Option<Comparison>,
}

/// The calendar intervals of a period.
#[derive(Debug)]
pub(crate) struct Intervals {
    pub(crate) calendar: Calendar,
    pub(crate) list: Vec<Interval>,
    /// The dates that their elements count, if these are not their own.
    pub(crate) windows: Option<Windows>,
}

const MAX_INTERVALS: usize = 1000;
const MAX_ELEMENTS: usize = 10_000;
const DEFAULT_GROUPS: u16 = 20;
const MAX_GROUPS: u16 = 100;

impl Intervals {
    fn new(calendar: Calendar, period: Period, window: Option<u16>) -> Self {
        let list: Vec<_> = match calendar.unit {
            Unit::All => vec![Interval::whole(period)],
            _ => calendar.intervals(period).take(MAX_INTERVALS + 1).collect(),
        };
        Self {
            windows: window.map(|days| Windows::new(days, &calendar, &list, period)),
            calendar,
            list,
        }
    }
}

impl Breakdown {
    /// The names of the parameters.
    pub(crate) const PARAMETERS: [&str; 8] = [
        "interval",
        "weekStart",
        "window",
        "groupBy",
        "groupLimit",
        "confidence",
        "respondents",
        "compare",
    ];

    /// Takes the parameters, and divides the period if there is one, in the zone of `timezone`. Reports
    /// limits that the division exceeds.
    pub(crate) fn take(
        parameters: &mut Parameters,
        zone: Zone,
        today: NaiveDate,
        requested: Option<RequestedPeriod>,
    ) -> Self {
        let comparison = comparison(parameters, &zone, today, requested);
        let calendar = calendar(parameters, zone.clone());
        let respondents = parameters.optional("respondents").unwrap_or_default();
        let window = window(parameters, calendar.as_ref(), respondents);
        let calendar = match requested {
            // What a word meant is shown.
            Some(RequestedPeriod::Named(_)) => calendar.or_else(|| Some(Calendar::whole(zone))),
            _ => calendar,
        };
        let intervals = calendar
            .zip(requested)
            .map(|(calendar, requested)| Intervals::new(calendar, requested.period(), window));
        let group_by = group_by(parameters);
        let given_limit = parameters.number_up_to("groupLimit", MAX_GROUPS);
        let group_limit = usize::from(given_limit.unwrap_or(DEFAULT_GROUPS));
        let count = intervals
            .as_ref()
            .map_or(1, |intervals| intervals.list.len());
        let columns = group_by.as_ref().map_or(1, |_| group_limit + 1);
        if count > MAX_INTERVALS {
            let what = "must divide the period into at most 1000 intervals: choose a longer one, or ask for a shorter period";
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
            respondents,
            comparison,
        }
    }

    /// Returns what is requested beyond the figures of the whole period, for ids: equal for equal requests,
    /// however they are written. `None` if nothing is.
    pub(crate) fn id_member(&self) -> Option<impl Serialize> {
        let calendar = self.intervals.as_ref().map(|intervals| &intervals.calendar);
        let group_by = self.group_by.as_ref();
        let weeks = calendar.filter(|calendar| calendar.unit == Unit::Week);
        let zone = calendar.map(|calendar| &calendar.zone);
        let compared = self.comparison.as_ref();
        let member = (
            calendar.map(|calendar| calendar.unit.to_string()),
            zone.or(compared.map(|with| &with.zone)).map(Zone::name),
            weeks.map(|calendar| calendar.week_start.to_string()),
            group_by.map(GroupBy::to_string),
            group_by.map(|_| self.group_limit),
            self.confidence.map(Confidence::percent),
        );
        let is_latest = self.respondents == Respondents::Latest;
        let is_more = self.confidence.is_some() || is_latest || compared.is_some();
        (self.is_divided() || is_more).then_some(member)
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

    /// Returns the windows, if elements have some.
    pub(crate) fn windows(&self) -> Option<&Windows> {
        self.intervals.as_ref()?.windows.as_ref()
    }

    /// Returns the indexes of the parts of the records that belong to the period itself.
    pub(crate) fn parts_of_period(&self) -> Range<usize> {
        self.windows().map_or(0..usize::MAX, Windows::of_period)
    }

    /// Returns the division of records, for the store.
    pub(crate) fn segments(&self) -> Segments {
        if let Some(windows) = self.windows() {
            return Segments::new(windows.edges(), self.group_by.clone());
        }
        let intervals = self.intervals.iter().flat_map(|intervals| &intervals.list);
        let edges = intervals.skip(1).map(|interval| interval.start);
        Segments::new(edges, self.group_by.clone())
    }
}

/// Requires a parameter with another one. `describe` allows neither.
fn require_with(parameters: &mut Parameters, required: &str, other: &str) {
    if !parameters.has("describe") {
        parameters.report_without(required, other);
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

/// Takes the number of dates of a window.
fn window(
    parameters: &mut Parameters,
    calendar: Option<&Calendar>,
    respondents: Respondents,
) -> Option<u16> {
    require_with(parameters, "interval", "window");
    let days = parameters.optional_with("window", Windows::parse_days)?;
    let unit = calendar.map(|calendar| calendar.unit);
    if !matches!(unit, None | Some(Unit::Day | Unit::Week | Unit::Month)) {
        let what = "is only for the intervals day, week and month";
        parameters.report(ProblemKind::Invalid, "window", what);
        return None;
    }
    if respondents == Respondents::Latest {
        let what = "cannot be combined with respondents=latest";
        parameters.report(ProblemKind::Invalid, "window", what);
        return None;
    }
    Some(days)
}

fn comparison(
    parameters: &mut Parameters,
    zone: &Zone,
    today: NaiveDate,
    requested: Option<RequestedPeriod>,
) -> Option<Comparison> {
    let parse = |text: &str| ComparedWith::parse(text, today, zone);
    let with = parameters.optional_with("compare", parse)?;
    if parameters.has("interval") {
        let what = "cannot be combined with interval: ask for the whole periods, without it";
        parameters.report(ProblemKind::Invalid, "compare", what);
        return None;
    }
    let comparison = Comparison::of(requested?, with, zone.clone());
    let report = |what: &str| parameters.report(ProblemKind::Invalid, "compare", what);
    comparison.map_err(report).ok()
}

fn group_by(parameters: &mut Parameters) -> Option<GroupBy> {
    require_with(parameters, "groupBy", "groupLimit");
    parameters.optional("groupBy")
}

/// Makes the error of groups by a trait that names people.
fn private_trait(name: &TraitName) -> Error {
    let detail = format!(
        "The trait {:?} names people, and a Read Key must not list them. Group by another trait.",
        name.as_str()
    );
    let words = ["private_trait", "Private trait"];
    Error::new(StatusCode::FORBIDDEN, words, detail).with_fault(Fault::Parameter("groupBy".into()))
}

/// The parameter that holds a whole filter, and may be repeated.
const FILTER: &str = "filter";
/// What the parameters of the other form begin with.
const PREFIX: &str = "filters[user.traits.";

/// Takes all filters. Malformed ones count towards their limit, too.
fn filters(parameters: &mut Parameters) -> TraitFilters {
    let (mut filters, nested_count) = nested(parameters);
    let at_fault = if parameters.has(FILTER) {
        FILTER
    } else {
        "filters"
    };
    let whole: Vec<TraitFilter> = parameters.repeated(FILTER);
    let count = nested_count + whole.len();
    for filter in whole {
        if filters.contains(&filter) {
            let expected = "must not repeat a filter";
            let text = filter.to_string();
            parameters.report_value(ProblemKind::Duplicate, FILTER, &expected, &text);
        }
        filters.push(filter);
    }
    report_contradiction(parameters, &filters);
    match filters.try_into() {
        Ok(filters) if count <= TraitFilters::MAX => filters,
        _ => {
            parameters.report(ProblemKind::Invalid, at_fault, "must not be more than 20");
            TraitFilters::default()
        }
    }
}

/// Reports the first filter that requires another value of a trait than one before it, so that no record would match
/// both.
fn report_contradiction(parameters: &mut Parameters, filters: &[TraitFilter]) {
    let mut required = BTreeMap::new();
    for filter in filters {
        let TraitFilter { name, condition } = filter;
        if condition.operator != Operator::Eq {
            continue;
        }
        let (kind, _, two) = condition.texts();
        let one = required.entry((name, kind)).or_insert_with(|| two.clone());
        if *one == two {
            continue;
        }
        let mut expected = "must not require two values of one trait".to_owned();
        let listed = format!("{}=in:{one},{two}", name.as_str());
        let is_list = kind == TraitType::String && !one.contains(',') && !two.contains(',');
        if is_list && listed.len() <= 100 {
            expected = format!("{expected}; write {listed} for either of them");
        }
        let text = filter.to_string();
        parameters.report_value(ProblemKind::Invalid, FILTER, &expected, &text);
        return;
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
        let operator = parameters.required(&part("operator"), |text| Operator::parse(kind, text));
        let parse = |text: &str| TraitValue::parse(kind, operator, text);
        let value = parameters.required(&part("value"), parse);
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
