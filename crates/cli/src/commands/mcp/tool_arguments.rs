//! The arguments of the tools, and the requests that they stand for.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{anyhow, ensure};
use model::{Operator, Respondents, TraitFilters, Unit};
use response_statistics::PeriodWord;
use rmcp::schemars::transform::{RecursiveTransform, Transform as _};
use rmcp::schemars::{self, JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

use crate::figures::StatisticsRequest;

/// What every tool is asked about.
#[derive(Deserialize, JsonSchema)]
struct Scope {
    /// The id of the project.
    project: String,
    /// The IANA time zone of intervals and of dates without an offset, such as Europe/Prague. Default: UTC.
    timezone: Option<String>,
    #[schemars(length(max = 20), extend("description" = filters()))]
    filters: Option<Vec<String>>,
    /// The start of the period, inclusive: an ISO 8601 date or timestamp such as 2026-01-31 or
    /// 2026-01-31T08:30:00Z. Default: 30 days before the end.
    start: Option<String>,
    /// The end of the period, exclusive, in the same form. Default: the end of today.
    end: Option<String>,
    /// The period, instead of start and end: a year (2026), quarter (2026-Q3), month (2026-09) or ISO week
    /// (2026-W41); this- or last- and week, month, quarter or year; or the days until today: 30d, 12w, 6mo or 1y.
    /// Months are those of the calendar, and the last is this one: 12mo are eleven whole months and the running one,
    /// and 1mo on the first day is that day. Default: 30d.
    period: Option<String>,
}

fn filters() -> String {
    format!(
        "Count only records whose traits match all of these. Each is {}: plan=eq:growth, plan=in:free,growth, \
         seats=number.gte:4, beta=boolean.eq:true. Case counts.",
        Operator::described()
    )
}

/// The arguments of `statistics`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = as_arguments)]
pub(super) struct OfStatistics {
    #[serde(flatten)]
    scope: Scope,
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
    /// Compare the period with another one: previous (as many months or days before it), year (the same dates a year
    /// earlier), START/END, two dates or timestamps, or a word as in `period`. Not with interval.
    compare: Option<String>,
}

/// The arguments of `traits`.
#[derive(Deserialize, JsonSchema)]
#[schemars(transform = as_arguments)]
pub(super) struct OfTraits {
    #[serde(flatten)]
    scope: Scope,
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
        let query = query(self.scope)?;
        // A comparison is of whole periods, and refuses an interval.
        let whole = query.interval.filter(|_| self.compare.is_none());
        Ok(StatisticsRequest {
            interval: value("interval", self.interval)?.or(whole),
            compare: self.compare,
            group_by: value("groupBy", self.group_by)?,
            group_limit: self.group_limit,
            respondents: value("respondents", self.respondents)?,
            ..query
        })
    }
}

impl OfTraits {
    pub(super) fn query(self) -> anyhow::Result<StatisticsRequest> {
        query(self.scope)
    }
}

/// Makes a request of the arguments, which say the period in one way.
fn query(scope: Scope) -> anyhow::Result<StatisticsRequest> {
    ensure!(
        scope.period.is_none() || (scope.start.is_none() && scope.end.is_none()),
        "`period` is given instead of `start` and `end`"
    );
    if let Some(word) = &scope.period {
        let _: PeriodWord = parsed("period", word)?;
    }
    let filters = scope.filters.unwrap_or_default();
    let most = TraitFilters::MAX;
    ensure!(
        filters.len() <= most,
        "`filters` must not be more than {most}"
    );
    let filter = filters.into_iter().map(|text| parsed("filters", &text));
    let query = StatisticsRequest {
        project: Some(parsed("project", &scope.project)?),
        start: scope.start,
        end: scope.end,
        period: scope.period,
        filter: filter.collect::<anyhow::Result<_>>()?,
        timezone: value("timezone", scope.timezone)?,
        ..StatisticsRequest::default()
    };
    // So the answer says which period a default meant, and how certain each score is.
    Ok(query.with_default_period(service::now().into()).in_full())
}

fn value<T: FromStr<Err: Display>>(name: &str, text: Option<String>) -> anyhow::Result<Option<T>> {
    text.map(|text| parsed(name, &text)).transpose()
}

fn parsed<T: FromStr<Err: Display>>(name: &str, text: &str) -> anyhow::Result<T> {
    text.parse()
        .map_err(|expected| anyhow!("`{name}` {expected}"))
}
