//! The arguments of a call, and the question that they stand for.

use std::fmt::Display;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail, ensure};
use rmcp::model::JsonObject;
use serde_json::{Number, Value};
use shared::model::{Confidence, ProjectId, TraitFilter, TraitFilters};

use super::tools::Tool;
use crate::commands::stats::{Query, group_by};

/// The arguments of a call of a tool, which has no others.
pub(super) struct Arguments {
    members: JsonObject,
    project: ProjectId,
}

/// The names of the arguments of a period's start and end.
pub(super) type PeriodNames = [&'static str; 2];

pub(super) const PERIOD: PeriodNames = ["start", "end"];
pub(super) const BEFORE: PeriodNames = ["beforeStart", "beforeEnd"];
pub(super) const AFTER: PeriodNames = ["afterStart", "afterEnd"];

impl Arguments {
    /// Checks the names of the arguments, and their project.
    pub(super) fn new(
        tool: Tool,
        members: JsonObject,
        only_project: Option<&ProjectId>,
    ) -> anyhow::Result<Self> {
        // `null` is what some clients send for an argument that is absent.
        let members: JsonObject = members
            .into_iter()
            .filter(|(_, it)| !it.is_null())
            .collect();
        let known = tool.arguments();
        if let Some(name) = members.keys().find(|name| !known.contains(&name.as_str())) {
            let name: String = name.chars().take(50).collect();
            bail!(
                "there is no argument {name:?}; there are: {}",
                known.join(", ")
            );
        }
        for name in tool.required() {
            let is_given =
                members.contains_key(*name) || *name == "project" && only_project.is_some();
            ensure!(is_given, "the argument `{name}` is missing");
        }
        let given = parsed(&members, "project")?;
        let project = match (given, only_project) {
            (Some(given), Some(only)) if given != *only => {
                bail!("the only project is {only}, which need not be given")
            }
            (given, only) => given.or_else(|| only.cloned()),
        };
        Ok(Self {
            project: project.context("the argument `project` is missing")?,
            members,
        })
    }

    /// Returns the question, about the period that the arguments with these names bound.
    pub(super) fn query(&self, [start, end]: PeriodNames) -> anyhow::Result<Query> {
        let trait_name: Option<String> = parsed(&self.members, "trait")?;
        let group_by = trait_name.map(|name| group_by::parse(&name));
        let group_by = group_by
            .transpose()
            .map_err(|words| anyhow!("`trait`: {words}"))?;
        Ok(Query {
            project: self.project.clone(),
            start: parsed(&self.members, start)?,
            end: parsed(&self.members, end)?,
            filter: self.filters()?,
            interval: parsed(&self.members, "interval")?,
            week_start: None,
            timezone: parsed(&self.members, "timezone")?,
            group_by,
            group_limit: self.limit()?,
            respondents: parsed(&self.members, "respondents")?,
            // Each score has its interval.
            confidence: parsed(&self.members, "confidence")?.or(Some(Confidence::Percent95)),
            traits: false,
        })
    }

    fn limit(&self) -> anyhow::Result<Option<u64>> {
        let limit: Option<String> = parsed(&self.members, "limit")?;
        let limit = limit.map(|limit| {
            let number = limit.parse().ok();
            let number = number.filter(|number| (1..=100).contains(number));
            number.context("`limit` must be a whole number from 1 to 100")
        });
        limit.transpose()
    }

    fn filters(&self) -> anyhow::Result<Vec<TraitFilter>> {
        let Some(filters) = self.members.get("filters") else {
            return Ok(Vec::new());
        };
        let texts = filters.as_array();
        let texts = texts.and_then(|texts| texts.iter().map(Value::as_str).collect());
        let texts: Vec<_> = texts.context("`filters` must be a list of texts")?;
        ensure!(
            texts.len() <= TraitFilters::MAX,
            "`filters` must not be more than 20"
        );
        let filters = texts.into_iter().map(|text| value(text, "filters"));
        filters.collect()
    }
}

fn parsed<T>(members: &JsonObject, name: &str) -> anyhow::Result<Option<T>>
where
    T: FromStr<Err: Display>,
{
    let text = match members.get(name) {
        None => return Ok(None),
        Some(Value::String(text)) => text,
        Some(Value::Number(number)) => &written(number),
        Some(_) => bail!("`{name}` must be a text or a number"),
    };
    ensure!(text.len() <= 1024, "`{name}` must be at most 1024 bytes");
    value(text, name).map(Some)
}

/// Returns a number as it is usually written: some clients send 95.0.
fn written(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 => format!("{float:.0}"),
        _ => number.to_string(),
    }
}

fn value<T>(text: &str, name: &str) -> anyhow::Result<T>
where
    T: FromStr<Err: Display>,
{
    text.parse()
        .map_err(|expected| anyhow!("`{name}` {expected}"))
}
