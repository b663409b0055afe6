//! The attributes of an element: what it counts, and its figures (contract, section 4).

use std::borrow::Cow;

use model::{GroupValue, Respondents};
use serde::{Deserialize, Deserializer, Serialize};

use crate::change::ENOUGH;
use crate::counts::Group;
use crate::query::Breakdown;
use crate::tally::OutcomeTally;

/// An interval of time, as the clocks of its zone show it: `start` inclusive, `end` exclusive.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TimeSpan {
    pub start: String,
    pub end: String,
}

/// What distinguishes a group of the response.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GroupLabel<'a> {
    /// The value of the trait, which is data of records; `None` for records without it, and for all others.
    #[serde(rename = "group")]
    pub value: Option<GroupName<'a>>,
    /// Whether this is all groups that have no element of their own.
    pub other: bool,
}

/// The value that the records of a group have in common.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GroupName<'a> {
    Boolean(bool),
    String(Cow<'a, str>),
}

impl<'a> From<Group<'a>> for GroupLabel<'a> {
    fn from(Group { value, other }: Group<'a>) -> Self {
        let value = match value {
            GroupValue::String(text) => Some(GroupName::String(text.into())),
            GroupValue::Boolean(flag) => Some(GroupName::Boolean(flag)),
            GroupValue::Null => None,
        };
        Self { value, other }
    }
}

/// The figures of an element, or of the same records in an earlier period.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Figures {
    pub responses: u32,
    pub displays: u32,
    pub dismissed: u32,
    pub promoters: u32,
    pub passives: u32,
    pub detractors: u32,
    nps: Option<f64>,
    pub frequency: [u32; 11],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<u32>,
    #[serde(rename = "npsLow", skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "given")]
    nps_low: Option<Bound>,
    #[serde(rename = "npsHigh", skip_serializing_if = "Option::is_none")]
    #[serde(default, deserialize_with = "given")]
    nps_high: Option<Bound>,
}

/// One end of the range of the score; `null` without responses.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Bound(Option<f64>);

/// Decodes an end that is there, though it may be `null`.
fn given<'de, D: Deserializer<'de>>(end: D) -> Result<Option<Bound>, D::Error> {
    Bound::deserialize(end).map(Some)
}

impl Figures {
    pub(crate) fn new(breakdown: &Breakdown, tally: &OutcomeTally) -> Self {
        let kinds = tally.kinds();
        let is_latest = breakdown.respondents == Respondents::Latest;
        let [nps_low, nps_high] = match breakdown.confidence {
            Some(confidence) => kinds.score_range(confidence).map(|end| Some(Bound(end))),
            None => [None, None],
        };
        let responses = kinds.responses();
        Self {
            responses,
            displays: tally.displays,
            dismissed: tally.dismissed,
            promoters: kinds.promoters,
            passives: kinds.passives,
            detractors: kinds.detractors,
            // Zero would be a score that nobody gave.
            nps: (responses > 0 || !breakdown.is_divided()).then(|| kinds.nps()),
            frequency: tally.frequency,
            superseded: is_latest.then_some(tally.superseded),
            nps_low,
            nps_high,
        }
    }

    /// Returns the score. Without responses there is none, also where the API has to say 0.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        if self.responses > 0 { self.nps } else { None }
    }

    /// Returns the ends of the range of the score, if it was requested and there are responses.
    #[must_use]
    pub fn score_range(&self) -> Option<(f64, f64)> {
        self.nps_low?.0.zip(self.nps_high?.0)
    }

    /// Returns whether there are too few responses to tell chance from change.
    #[must_use]
    pub fn are_few(&self) -> bool {
        self.responses < ENOUGH
    }
}
