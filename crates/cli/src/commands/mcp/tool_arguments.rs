//! The arguments of the tools, and the requests that they stand for.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{anyhow, ensure};
use model::{Operator, Respondents, Timestamp, TraitFilters, Unit};
use rmcp::schemars::transform::{RecursiveTransform, Transform as _};
use rmcp::schemars::{self, JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

use crate::figures::StatisticsRequest;

/// What every tool is asked about.
#[derive(Clone, Deserialize, JsonSchema)]
struct Scope {
    /// The id of the project.
    project: String,
    /// The IANA time zone of intervals and of dates without an offset, such as Europe/Prague. Default: UTC.
    timezone: Option<String>,
    #[schemars(length(max = 20), extend("description" = filters()))]
    filters: Option<Vec<String>>,
}

fn filters() -> String {
    format!(
        "Count only records whose traits match all of these. Each is {}: plan=eq:growth, plan=in:free,growth, \
         seats=number.gte:4, beta=boolean.eq:true. Case counts.",
        Operator::described()
    )
}

/// The period.
#[derive(Deserialize, JsonSchema)]
struct Span {
    /// The start of the period, inclusive: an ISO 8601 date or timestamp such as 2026-01-31 or
    /// 2026-01-31T08:30:00Z. Default: 30 days before the end.
    start: Option<String>,
    /// The end of the period, exclusive, in the same form. Default: the end of today.
    end: Option<String>,
    /// The period, instead of start and end: a year (2026), quarter (2026-Q3), month (2026-09) or ISO week
    /// (2026-W41); or the days until today: 30d, 12w, 6mo or 1y. Months are those of the calendar, and the last
    /// is this one: 12mo are eleven whole months and the running one, and 1mo on the first day is that day.
    period: Option<String>,
}

/// The arguments of `statistics`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = as_arguments)]
pub(super) struct OfStatistics {
    #[serde(flatten)]
    scope: Scope,
    #[serde(flatten)]
    span: Span,
    /// Divide the period into the intervals of the calendar. Weeks begin on Monday. Default: all, the
    /// period as a whole.
    #[schemars(extend("enum" = Unit::NAMES))]
    interval: Option<String>,
    /// Divide the records by the values of this trait, a string or a boolean: NAME, or string.NAME or
    /// boolean.NAME where it is both. Numbers cannot be grouped.
    group_by: Option<String>,
    /// How many groups to return, those of the most displays; all others are one more. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    group_limit: Option<u64>,
    /// Which ratings count: all (the default), or each person's latest (in each interval).
    #[schemars(extend("enum" = Respondents::NAMES))]
    respondents: Option<String>,
}

/// The arguments of `traits`.
#[derive(Deserialize, JsonSchema)]
#[schemars(transform = as_arguments)]
pub(super) struct OfTraits {
    #[serde(flatten)]
    scope: Scope,
    #[serde(flatten)]
    span: Span,
}

/// The arguments of `compare`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = as_arguments)]
pub(super) struct OfComparison {
    #[serde(flatten)]
    scope: Scope,
    /// The start of the earlier period, inclusive: an ISO 8601 date or timestamp such as 2026-01-31 or
    /// 2026-01-31T08:30:00Z.
    before_start: Option<String>,
    /// The end of the earlier period, exclusive.
    before_end: Option<String>,
    /// The earlier period, instead of its start and end: 2026, 2026-Q3, 2026-09 or 2026-W41.
    before_period: Option<String>,
    /// The start of the later period, inclusive; not before the earlier one ends.
    after_start: Option<String>,
    /// The end of the later period, exclusive. Default: the end of today.
    after_end: Option<String>,
    /// The later period, instead of its start and end, in the same form, or the days until today: 30d, 12w, 6mo
    /// or 1y.
    after_period: Option<String>,
    /// Which ratings count: all (the default), or each person's latest.
    #[schemars(extend("enum" = Respondents::NAMES))]
    respondents: Option<String>,
    /// Also compare each value of this trait, a string or a boolean: NAME, or boolean.NAME where it is both.
    group_by: Option<String>,
    /// How many groups to return, those of the most displays; all others are one more. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    group_limit: Option<u64>,
}

/// Makes a schema one that all assistants understand: without formats of numbers, types that may be null,
/// and arguments that are not listed.
fn as_arguments(schema: &mut Schema) {
    let mut plain = RecursiveTransform(|schema: &mut Schema| {
        schema.remove("format");
        if let Some(Value::Array(types)) = schema.get("type") {
            let of_values = types.first().cloned();
            schema.insert("type".to_owned(), of_values.unwrap_or_default());
        }
    });
    plain.transform(schema);
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
}

impl OfStatistics {
    pub(super) fn query(self) -> anyhow::Result<StatisticsRequest> {
        let query = query(self.scope, self.span, PERIOD)?;
        Ok(StatisticsRequest {
            interval: value("interval", self.interval)?.or(query.interval),
            group_by: value("groupBy", self.group_by)?,
            group_limit: self.group_limit,
            respondents: value("respondents", self.respondents)?,
            ..query
        })
    }
}

impl OfTraits {
    pub(super) fn query(self) -> anyhow::Result<StatisticsRequest> {
        query(self.scope, self.span, PERIOD)
    }
}

impl OfComparison {
    /// Returns the requests for the earlier period, and for the later one, which is compared with it.
    pub(super) fn queries(self) -> anyhow::Result<[StatisticsRequest; 2]> {
        let [before, after] = [
            Span {
                start: self.before_start,
                end: self.before_end,
                period: self.before_period,
            },
            Span {
                start: self.after_start,
                end: self.after_end,
                period: self.after_period,
            },
        ];
        ensure!(
            before.period.is_some() || (before.start.is_some() && before.end.is_some()),
            "`beforeStart` and `beforeEnd`, or `beforePeriod`, must be given"
        );
        ensure!(
            after.period.is_some() || after.start.is_some(),
            "`afterStart` or `afterPeriod` must be given"
        );
        let respondents = value("respondents", self.respondents)?;
        let group_by = value("groupBy", self.group_by)?;
        let before = query(self.scope.clone(), before, BEFORE)?;
        let after = query(self.scope, after, AFTER)?;
        let [_, before_end] = instants(&before, BEFORE)?;
        let [after_start, _] = instants(&after, AFTER)?;
        ensure!(
            before_end <= after_start,
            "`afterStart` ({after_start}) must not be before `beforeEnd` ({before_end})"
        );
        let with = before.start.clone().zip(before.end.clone());
        let after = StatisticsRequest {
            respondents,
            group_by,
            group_limit: self.group_limit,
            compare: with.map(|(start, end)| format!("{start}/{end}")),
            ..after
        };
        Ok([before, after])
    }
}

/// The names of the arguments of a period: its start, its end and itself.
pub(super) type Names = [&'static str; 3];

pub(super) const PERIOD: Names = ["start", "end", "period"];
pub(super) const BEFORE: Names = ["beforeStart", "beforeEnd", "beforePeriod"];
pub(super) const AFTER: Names = ["afterStart", "afterEnd", "afterPeriod"];

/// Makes a request of the arguments. Those of the period have these names, and say it in one way.
fn query(
    scope: Scope,
    span: Span,
    [start, end, period]: Names,
) -> anyhow::Result<StatisticsRequest> {
    ensure!(
        span.period.is_none() || (span.start.is_none() && span.end.is_none()),
        "`{period}` is given instead of `{start}` and `{end}`"
    );
    let filters = scope.filters.unwrap_or_default();
    let most = TraitFilters::MAX;
    ensure!(
        filters.len() <= most,
        "`filters` must not be more than {most}"
    );
    let filter = filters.into_iter().map(|text| parsed("filters", &text));
    let query = StatisticsRequest {
        project: Some(parsed("project", &scope.project)?),
        start: span.start,
        end: span.end,
        period: value(period, span.period)?,
        filter: filter.collect::<anyhow::Result<_>>()?,
        timezone: value("timezone", scope.timezone)?,
        ..StatisticsRequest::default()
    };
    // So the answer says which period a default meant, and how certain each score is.
    Ok(query.with_default_period(service::now().into()).in_full())
}

/// Returns the start and the end of a request, whose arguments have these names.
fn instants(query: &StatisticsRequest, [start, end, _]: Names) -> anyhow::Result<[Timestamp; 2]> {
    let zone = query.timezone.clone().unwrap_or_default();
    let instant = |name, text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        let parsed = zone.parse_timestamp(text);
        parsed.map_err(|expected| anyhow!("`{name}` {expected}, got {text:?}"))
    };
    Ok([instant(start, &query.start)?, instant(end, &query.end)?])
}

fn value<T: FromStr<Err: Display>>(name: &str, text: Option<String>) -> anyhow::Result<Option<T>> {
    text.map(|text| parsed(name, &text)).transpose()
}

fn parsed<T: FromStr<Err: Display>>(name: &str, text: &str) -> anyhow::Result<T> {
    text.parse()
        .map_err(|expected| anyhow!("`{name}` {expected}"))
}
