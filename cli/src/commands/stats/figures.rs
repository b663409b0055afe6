//! The response of the API, as far as it is drawn.

use anyhow::{Context, ensure};
use serde::Deserialize;

use super::super::client::UNEXPECTED;

/// The members of the contract, section 4, that are drawn. Members that were not requested are absent.
#[derive(Deserialize)]
pub(in crate::commands) struct Figures {
    pub(in crate::commands) start: Option<String>,
    pub(in crate::commands) end: Option<String>,
    pub(in crate::commands) group: Option<Group>,
    #[serde(default)]
    pub(in crate::commands) other: bool,
    pub(in crate::commands) responses: u64,
    pub(in crate::commands) displays: u64,
    pub(in crate::commands) dismissed: u64,
    pub(in crate::commands) promoters: u64,
    pub(in crate::commands) passives: u64,
    pub(in crate::commands) detractors: u64,
    /// The ratings that do not count because of newer ones.
    #[serde(default)]
    pub(in crate::commands) superseded: u64,
    nps: Option<f64>,
    pub(in crate::commands) frequency: [u64; 11],
    #[serde(rename = "npsLow")]
    nps_low: Option<f64>,
    #[serde(rename = "npsHigh")]
    nps_high: Option<f64>,
}

/// The value of a group.
#[derive(Deserialize)]
#[serde(untagged)]
pub(in crate::commands) enum Group {
    Boolean(bool),
    String(String),
}

#[derive(Deserialize)]
struct StatisticsDocument {
    data: Vec<Element>,
}

#[derive(Deserialize)]
struct Element {
    attributes: Figures,
}

/// Parses the elements of a response. Unless the figures are divided, there is exactly one.
pub(in crate::commands) fn parse(body: &str, is_divided: bool) -> anyhow::Result<Vec<Figures>> {
    let StatisticsDocument { data } = serde_json::from_str(body).context(UNEXPECTED)?;
    ensure!(is_divided || data.len() == 1, UNEXPECTED);
    Ok(data.into_iter().map(|element| element.attributes).collect())
}

impl Figures {
    /// Returns the start and the end of its interval of time, if there are such intervals.
    pub(in crate::commands) fn period(&self) -> Option<[&str; 2]> {
        Some([self.start.as_deref()?, self.end.as_deref()?])
    }

    /// Returns the score, from -100 to 100; `None` without responses, whose zero nobody gave.
    pub(in crate::commands) fn score(&self) -> Option<f64> {
        self.nps.filter(|_| self.responses > 0)
    }

    /// Returns the interval of the score, if it was requested and
    /// there are responses.
    pub(in crate::commands) fn interval(&self) -> Option<(f64, f64)> {
        self.nps_low.zip(self.nps_high)
    }
}
