//! What the tools return: structured content, of a limited size.

use anyhow::Context;
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;
use serde_json::Value;

use super::text::{harmless, kept};
use crate::commands::client::UNEXPECTED;
use crate::commands::stats::Query;
use crate::commands::stats::change::Change;
use crate::commands::stats::claims::{FEW, confidence};
use crate::commands::stats::figures::{Figures, Group};

/// The most elements of a list. A hundred groups and all others have room.
pub(super) const MOST: usize = 200;

/// The result of a tool.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) structured: Value,
}

impl Answer {
    pub(super) fn new(text: String, structured: &impl Serialize) -> anyhow::Result<Self> {
        let structured = serde_json::to_value(structured).context("cannot write the result")?;
        Ok(Self { text, structured })
    }
}

/// What was asked, with the values in effect.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    project: String,
    timezone: String,
    /// The filters, all of which match.
    filters: Vec<String>,
}

/// Which ratings count, and how certain intervals are.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counted {
    /// Which ratings count: `all`, or each person's `latest`.
    respondents: String,
    /// The confidence of intervals, in percent.
    confidence: u8,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Statistics {
    #[serde(flatten)]
    asked: Asked,
    #[serde(flatten)]
    counted: Counted,
    period: Period,
    /// One element for each interval and group.
    elements: Vec<Element>,
    /// How many elements are left out because there are too many: the earliest intervals, or the last groups.
    omitted: usize,
    /// What the figures show, as far as chance does not explain it.
    finding: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Described {
    #[serde(flatten)]
    asked: Asked,
    period: Period,
    /// The displays of the period.
    displays: u64,
    traits: Vec<Trait>,
    /// How many traits are left out because there are too many.
    omitted: usize,
    /// How many traits are left out because they name people.
    private: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Comparison {
    #[serde(flatten)]
    asked: Asked,
    #[serde(flatten)]
    counted: Counted,
    before: Element,
    after: Element,
    /// The change of the score from `before` to `after`; null if either has no responses.
    change: Option<ScoreChange>,
    /// Whether the change is unlikely to be chance alone; null if either period has fewer than 30 responses.
    unlikely_chance: Option<bool>,
}

/// A period or interval: `start` inclusive, `end` exclusive.
#[derive(Serialize, JsonSchema, Clone)]
pub(super) struct Period {
    pub(super) start: String,
    pub(super) end: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Element {
    #[serde(flatten)]
    period: Period,
    #[serde(flatten)]
    group: Option<GroupOf>,
    /// The Net Promoter Score, from -100 to 100; null without responses.
    nps: Option<f64>,
    /// The ends of the score's confidence interval.
    nps_low: Option<f64>,
    nps_high: Option<f64>,
    responses: u64,
    /// Whether there are fewer than 30 responses, which say little.
    few: bool,
    displays: u64,
    dismissed: u64,
    promoters: u64,
    passives: u64,
    detractors: u64,
    /// The ratings that newer ones of the same persons replace.
    superseded: u64,
    /// How often each rating from 0 to 10 was given.
    frequency: [u64; 11],
}

#[derive(Serialize, JsonSchema)]
struct GroupOf {
    /// The value of the trait, which is data of a record; null for records without it, and for all others.
    group: Option<GroupValue>,
    /// Whether this is all groups that are not listed.
    other: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum GroupValue {
    Boolean(bool),
    String(String),
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Trait {
    /// The name, which is data of records.
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// How many displays have it.
    pub(super) displays: u64,
}

#[derive(Serialize, JsonSchema)]
struct ScoreChange {
    points: f64,
    /// The ends of the change's confidence interval.
    low: f64,
    high: f64,
}

impl Asked {
    fn of(query: &Query) -> Self {
        let timezone = query.timezone.as_deref().unwrap_or("UTC");
        Self {
            project: query.project.to_string(),
            timezone: timezone.to_owned(),
            filters: query.filter.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Counted {
    fn of(query: &Query) -> Self {
        Self {
            respondents: if query.is_latest() { "latest" } else { "all" }.to_owned(),
            confidence: confidence(query).0,
        }
    }
}

impl Statistics {
    pub(super) fn of(
        query: &Query,
        period: Period,
        elements: &[Figures],
        finding: Option<String>,
    ) -> anyhow::Result<Self> {
        let listed = kept(query, elements, MOST).iter();
        let listed = listed.map(|figures| Element::of(figures, query.group_by.is_some()));
        Ok(Self {
            asked: Asked::of(query),
            counted: Counted::of(query),
            period,
            elements: listed.collect::<anyhow::Result<_>>()?,
            omitted: elements.len().saturating_sub(MOST),
            finding,
        })
    }
}

impl Described {
    pub(super) fn of(
        query: &Query,
        period: Period,
        displays: u64,
        mut traits: Vec<Trait>,
        private: usize,
    ) -> Self {
        let omitted = traits.len().saturating_sub(MOST);
        traits.truncate(MOST);
        Self {
            asked: Asked::of(query),
            period,
            displays,
            traits,
            omitted,
            private,
        }
    }
}

impl Comparison {
    pub(super) fn of(query: &Query, [before, after]: [&Figures; 2]) -> anyhow::Result<Self> {
        let change = change(query, before, after);
        let is_known = before.responses >= FEW && after.responses >= FEW;
        let certain = change.as_ref().map(Change::is_certain);
        Ok(Self {
            asked: Asked::of(query),
            counted: Counted::of(query),
            before: Element::of(before, false)?,
            after: Element::of(after, false)?,
            change: change.map(|Change { points, low, high }| ScoreChange { points, low, high }),
            unlikely_chance: certain.filter(|_| is_known),
        })
    }
}

/// Returns the change between two scores, if there are two.
pub(super) fn change(query: &Query, before: &Figures, after: &Figures) -> Option<Change> {
    let (_, risk) = confidence(query);
    let both = before.score().and(after.score());
    both.map(|_| Change::between(before, after, risk))
}

impl Period {
    /// Returns the period of figures that are divided into intervals.
    pub(super) fn of(figures: &Figures) -> anyhow::Result<Self> {
        let [start, end] = figures.period().context(UNEXPECTED)?;
        Ok(Self {
            start: start.to_owned(),
            end: end.to_owned(),
        })
    }
}

impl Element {
    fn of(figures: &Figures, is_grouped: bool) -> anyhow::Result<Self> {
        let interval = figures.interval();
        Ok(Self {
            period: Period::of(figures)?,
            group: is_grouped.then(|| GroupOf::of(figures)),
            nps: figures.score(),
            nps_low: interval.map(|(low, _)| low),
            nps_high: interval.map(|(_, high)| high),
            responses: figures.responses,
            few: figures.responses < FEW,
            displays: figures.displays,
            dismissed: figures.dismissed,
            promoters: figures.promoters,
            passives: figures.passives,
            detractors: figures.detractors,
            superseded: figures.superseded,
            frequency: figures.frequency,
        })
    }
}

impl GroupOf {
    fn of(figures: &Figures) -> Self {
        let value = figures.group.as_ref().map(|group| match group {
            Group::Boolean(flag) => GroupValue::Boolean(*flag),
            Group::String(text) => GroupValue::String(harmless(text)),
        });
        Self {
            group: value,
            other: figures.other,
        }
    }
}
