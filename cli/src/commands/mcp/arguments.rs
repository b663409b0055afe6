//! The arguments of the tools, and the questions that they stand for.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{anyhow, ensure};
use rmcp::schemars::transform::{RecursiveTransform, Transform as _};
use rmcp::schemars::{self, JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;
use shared::model::{Respondents, Timestamp, TraitFilters, Unit};

use crate::figures::StatisticsRequest;

/// What every tool is asked about.
#[derive(Deserialize, JsonSchema)]
struct Scope {
    /// The id of the project.
    project: String,
    /// The IANA time zone of intervals and of dates without an offset, such as Europe/Prague. Default: UTC.
    timezone: Option<String>,
    /// Count only records whose traits match all of these. Each is NAME=OPERATOR:VALUE for a string (eq,
    /// ne, contains, ncontains), NAME=number.OPERATOR:VALUE for a number (eq, ne, gt, gte, lt, lte), or
    /// NAME=boolean.OPERATOR:VALUE for a boolean (eq, ne): plan=eq:growth, seats=number.gte:4,
    /// beta=boolean.eq:true. Case counts.
    #[schemars(length(max = 20))]
    filters: Option<Vec<String>>,
}

/// The period.
#[derive(Deserialize, JsonSchema)]
struct Span {
    /// The start of the period, inclusive: an ISO 8601 date or timestamp such as 2026-01-31 or
    /// 2026-01-31T08:30:00Z. Default: 30 days before the end.
    start: Option<String>,
    /// The end of the period, exclusive, in the same form. Default: the end of today.
    end: Option<String>,
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
    before_start: String,
    /// The end of the earlier period, exclusive.
    before_end: String,
    /// The start of the later period, inclusive; not before the earlier one ends.
    after_start: String,
    /// The end of the later period, exclusive. Default: the end of today.
    after_end: Option<String>,
    /// Which ratings count: all (the default), or each person's latest.
    #[schemars(extend("enum" = Respondents::NAMES))]
    respondents: Option<String>,
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
        let query = query(self.scope, self.span)?;
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
        query(self.scope, self.span)
    }
}

impl OfComparison {
    /// Returns the questions about the earlier and the later period.
    pub(super) fn queries(self) -> anyhow::Result<[StatisticsRequest; 2]> {
        let span = Span {
            start: Some(self.before_start),
            end: Some(self.before_end),
        };
        let before = StatisticsRequest {
            respondents: value("respondents", self.respondents)?,
            ..query(self.scope, span)?
        };
        let after = StatisticsRequest {
            start: Some(self.after_start),
            end: self.after_end,
            ..before.clone()
        };
        Ok([before, after.with_default_period(Timestamp::now().into())])
    }
}

fn query(scope: Scope, Span { start, end }: Span) -> anyhow::Result<StatisticsRequest> {
    let filters = scope.filters.unwrap_or_default();
    let most = TraitFilters::MAX;
    ensure!(
        filters.len() <= most,
        "`filters` must not be more than {most}"
    );
    let filter = filters.into_iter().map(|text| parsed("filters", &text));
    let query = StatisticsRequest {
        project: Some(parsed("project", &scope.project)?),
        start,
        end,
        filter: filter.collect::<anyhow::Result<_>>()?,
        interval: None,
        week_start: None,
        timezone: value("timezone", scope.timezone)?,
        group_by: None,
        group_limit: None,
        respondents: None,
        confidence: None,
    };
    // So the answer says which period a default meant, and how certain each score is.
    Ok(query.with_default_period(Timestamp::now().into()).in_full())
}

fn value<T: FromStr<Err: Display>>(name: &str, text: Option<String>) -> anyhow::Result<Option<T>> {
    text.map(|text| parsed(name, &text)).transpose()
}

fn parsed<T: FromStr<Err: Display>>(name: &str, text: &str) -> anyhow::Result<T> {
    text.parse()
        .map_err(|expected| anyhow!("`{name}` {expected}"))
}
