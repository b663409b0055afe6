//! The answer of the API, as far as it is shown.

use anyhow::Context;
use rmcp::schemars::transform::{RecursiveTransform, Transform as _};
use rmcp::schemars::{self, JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::Query;
use super::missing::{self, Cause};
use crate::client::{Client, UNEXPECTED};

/// Fewer responses than this say little: chance alone moves the score by tens of points.
pub(crate) const FEW: u64 = 30;

/// The figures of a period or interval, or of a group in it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = without_formats)]
pub(crate) struct Figures {
    #[serde(flatten)]
    pub(crate) interval: Option<Interval>,
    #[serde(flatten)]
    pub(crate) group: Option<Group>,
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
    /// How often each rating from 0 to 10 was given.
    pub(crate) frequency: [u64; 11],
}

/// An interval of time: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Interval {
    pub(crate) start: String,
    pub(crate) end: String,
}

/// A group of records.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Group {
    /// The value of the trait, which is data of records; null for records without it, and for all others.
    #[serde(rename = "group")]
    pub(crate) value: Option<Value>,
    /// Whether this is all groups that are not listed.
    pub(crate) other: bool,
}

/// The value that the records of a group have in common.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Value {
    Boolean(bool),
    String(String),
}

/// Removes the formats of numbers, which validators of schemas do not know.
pub(crate) fn without_formats(schema: &mut Schema) {
    RecursiveTransform(|schema: &mut Schema| {
        schema.remove("format");
    })
    .transform(schema);
}

#[derive(Deserialize)]
struct Document {
    data: Vec<Element>,
}

#[derive(Deserialize)]
struct Element {
    attributes: Figures,
}

/// What the API answered.
pub(crate) struct Answer {
    /// The document, unchanged.
    pub(crate) body: String,
    pub(crate) elements: Vec<Figures>,
}

impl Answer {
    /// Requests an answer.
    async fn request(client: &Client, query: &Query) -> anyhow::Result<Self> {
        let body = client.statistics(&query.parameters()).await?;
        let elements = parse(&body)?;
        Ok(Self { body, elements })
    }
}

/// Parses the elements of a document.
pub(crate) fn parse(body: &str) -> anyhow::Result<Vec<Figures>> {
    let Document { data } = serde_json::from_str(body).context(UNEXPECTED)?;
    let elements = data.into_iter().map(|Element { attributes }| Figures {
        few: attributes.responses < FEW,
        ..attributes
    });
    Ok(elements.collect())
}

/// Asks for figures. Where no record has the string that they are to be grouped by, but the boolean of this name, they are
/// grouped by that.
///
/// # Errors
///
/// Fails with a [`MissingTrait`](super::MissingTrait) if nothing was found because no record of the period has a trait that
/// was asked for.
pub(crate) async fn ask(client: &Client, query: &Query) -> anyhow::Result<Answer> {
    let answer = Answer::request(client, query).await?;
    match missing::cause(client, query, &answer.elements).await {
        Cause::Boolean(query) => Answer::request(client, &query).await,
        Cause::Missing(error) => Err(error.into()),
        Cause::None => Ok(answer),
    }
}
