//! The answers of the API: the figures of displays, and the traits that records have.

use anyhow::Context;
use response_statistics::score::range;
use rmcp::schemars::transform::{RecursiveTransform, Transform as _};
use rmcp::schemars::{self, JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::client::{StatisticsDocument, UNEXPECTED};
use crate::text::{counted, printable};

/// Fewer responses than this say little: chance alone moves the score by tens of points.
pub(crate) const FEW: u64 = 30;

/// The figures of a period or interval, or of a group in it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = without_formats)]
pub(crate) struct Figures {
    #[serde(flatten)]
    pub(crate) interval: Option<TimeSpan>,
    #[serde(flatten)]
    pub(crate) group: Option<GroupLabel>,
    /// How often the survey was shown.
    pub(crate) displays: u64,
    pub(crate) dismissed: u64,
    pub(crate) responses: u64,
    /// Whether there are fewer than 30 responses, which say little.
    #[serde(skip_deserializing)]
    pub(crate) few: bool,
    pub(crate) promoters: u64,
    pub(crate) passives: u64,
    pub(crate) detractors: u64,
    /// The ratings that do not count because of newer ones of the same people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) superseded: Option<u64>,
    /// The Net Promoter Score, from -100 to 100; null without responses.
    pub(crate) nps: Option<f64>,
    /// The ends of the interval of the score.
    pub(crate) nps_low: Option<f64>,
    pub(crate) nps_high: Option<f64>,
    /// The interval, rounded as it should be told.
    #[serde(skip_deserializing, rename = "npsInterval")]
    pub(crate) nps_range: Option<String>,
    /// How often each rating from 0 to 10 was given.
    pub(crate) frequency: [u64; 11],
    /// The figures of the period that is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Before>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) change: Option<ElementChange>,
}

/// The figures of an earlier period.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = without_formats)]
pub(crate) struct Before {
    #[serde(flatten)]
    interval: TimeSpan,
    displays: u64,
    responses: u64,
    /// Null without responses.
    nps: Option<f64>,
    nps_low: Option<f64>,
    nps_high: Option<f64>,
}

/// The change of a score from one period to another, in points.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[schemars(transform = without_formats)]
pub(crate) struct Change {
    /// Null if a period has no responses, as the ends of the interval.
    pub(crate) points: Option<f64>,
    /// The ends of the interval of the change, in which that among all customers plausibly lies.
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) verdict: Verdict,
}

/// The change of the whole score, of which the elements are groups.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = without_formats)]
pub(crate) struct WholeChange {
    #[serde(flatten)]
    change: Change,
    /// The sums over all groups with responses in both periods: the points that their scores add, and their shares.
    from_score: Option<f64>,
    from_share: Option<f64>,
    /// The points that the other groups add.
    from_one_period: Option<f64>,
}

/// The change of an element.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = without_formats)]
pub(crate) struct ElementChange {
    #[serde(flatten)]
    pub(crate) change: Change,
    /// The points that a group adds to the change of the whole score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contribution: Option<f64>,
    /// Those that its score adds, if it has responses in both periods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_score: Option<f64>,
    /// Those that its share of the responses adds, if it has responses in both periods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from_share: Option<f64>,
}

/// What can be said of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// Chance does not explain it: its interval leaves out zero.
    Clear,
    /// Chance may explain it.
    Chance,
    /// A period has fewer than 30 responses.
    Few,
    /// The project's records begin within the earlier period.
    Partial,
    /// A period has no responses.
    Empty,
}

/// An interval of time: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub(crate) struct TimeSpan {
    pub(crate) start: String,
    pub(crate) end: String,
}

/// A group of displays.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub(crate) struct GroupLabel {
    /// The value of the trait, which is data of records; null for records without it, and for all others.
    #[serde(rename = "group")]
    pub(crate) value: Option<GroupName>,
    /// Whether this is all groups that are not listed.
    pub(crate) other: bool,
}

impl GroupLabel {
    /// Returns the name of the group. A value that would be empty, or read as one of the words for what has no value,
    /// or that blanks alone tell from another, has quotes.
    pub(crate) fn words(&self) -> String {
        const OTHER: &str = "all others";
        const NO_VALUE: &str = "no value";
        match &self.value {
            Some(GroupName::Boolean(flag)) => flag.to_string(),
            Some(GroupName::String(text)) => match (text.trim(), printable(text)) {
                (OTHER | NO_VALUE | "", name) => format!("\"{name}\""),
                (trimmed, name) if trimmed != text => format!("\"{name}\""),
                (_, name) => name.into_owned(),
            },
            None if self.other => OTHER.to_owned(),
            None => NO_VALUE.to_owned(),
        }
    }
}

/// The value that the records of a group have in common.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum GroupName {
    Boolean(bool),
    String(String),
}

/// A trait as one type (contract, section 4, Traits).
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[schemars(transform = without_formats)]
pub(crate) struct Trait {
    /// The name, which is data of records.
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// How often the survey was shown to somebody who has it.
    pub(crate) displays: u64,
    /// Whether its values name people.
    #[serde(skip_serializing)]
    pub(crate) private: bool,
}

/// Removes the formats of numbers, which validators of schemas do not know.
pub(crate) fn without_formats(schema: &mut Schema) {
    RecursiveTransform(|schema: &mut Schema| {
        schema.remove("format");
    })
    .transform(schema);
}

/// A document of elements that have these attributes.
#[derive(Deserialize)]
struct AnswerDocument<A> {
    data: Vec<AnswerElement<A>>,
    #[serde(default)]
    meta: Option<Meta>,
}

/// What a comparison says of the whole.
#[derive(Deserialize)]
pub(crate) struct Meta {
    pub(crate) summary: String,
    pub(crate) change: Option<WholeChange>,
}

#[derive(Deserialize)]
struct AnswerElement<A> {
    attributes: A,
}

/// The attributes of the elements of an answer.
pub(crate) struct Answer<A> {
    pub(crate) elements: Vec<A>,
    /// `None` without a comparison.
    pub(crate) meta: Option<Meta>,
    /// How many records of the period could not be read, and are not counted.
    pub(crate) skipped: u64,
}

/// Says that records could not be read, if there are any.
pub(crate) fn warning_of_skipped(skipped: u64) -> Option<String> {
    let are = if skipped == 1 { "is" } else { "are" };
    let records = counted(skipped, "record");
    (skipped > 0).then(|| {
        format!("{records} could not be read and {are} not counted; `feedback check` says why")
    })
}

/// Parses the attributes of the elements of a document.
pub(super) fn attributes<A: DeserializeOwned>(
    document: &StatisticsDocument,
) -> anyhow::Result<Answer<A>> {
    let AnswerDocument { data, meta } = serde_json::from_str(&document.text).context(UNEXPECTED)?;
    Ok(Answer {
        elements: data.into_iter().map(|element| element.attributes).collect(),
        meta,
        skipped: document.skipped,
    })
}

/// Parses the figures of a document.
pub(super) fn parse(document: &StatisticsDocument) -> anyhow::Result<Answer<Figures>> {
    let mut answer: Answer<Figures> = attributes(document)?;
    for figures in &mut answer.elements {
        figures.complete();
    }
    Ok(answer)
}

impl Figures {
    /// Returns what can be said of the change, if there is a comparison.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        Some(self.change.as_ref()?.change.verdict)
    }

    /// Fills in what follows from the figures.
    fn complete(&mut self) {
        self.few = self.responses < FEW;
        // Without intervals and groups, the API has to say 0.
        self.nps = self.nps.filter(|_| self.responses > 0);
        let ends = self.nps_low.zip(self.nps_high);
        self.nps_range = ends.map(|(low, high)| range(low, high));
        if let Some(before) = &mut self.before {
            before.nps = before.nps.filter(|_| before.responses > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{StatisticsDocument, parse};

    #[derive(Deserialize)]
    struct Case {
        responses: u64,
        low: f64,
        high: f64,
        interval: String,
        few: bool,
    }

    #[test]
    fn intervals_and_what_is_few_are_those_of_the_table_that_the_dashboard_agrees_with() {
        let cases = include_str!("../../../../tests/intervals.json");
        let cases: Vec<Case> = serde_json::from_str(cases).unwrap();
        assert!(cases.len() > 10);
        for case in cases {
            let attributes = serde_json::json!({
                "responses": case.responses, "displays": case.responses, "dismissed": 0, "promoters": 0,
                "passives": 0, "detractors": 0, "nps": 0, "npsLow": case.low, "npsHigh": case.high,
                "frequency": vec![0; 11],
            });
            let document = serde_json::json!({"data": [{"attributes": attributes}]});
            let document = StatisticsDocument {
                text: document.to_string(),
                skipped: 0,
            };
            let figures = &parse(&document).unwrap().elements[0];
            let found = figures.nps_range.as_deref();
            assert_eq!((found, figures.few), (Some(&*case.interval), case.few));
        }
    }
}
