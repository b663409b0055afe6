//! The traits of records: what there is to filter and group by.

use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, attributes, without_formats};
use super::query::StatisticsRequest;
use super::statistics::Statistics;

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

impl Trait {
    /// Requests the traits of the period's records that pass the filters.
    pub(crate) async fn list(
        statistics: &Statistics,
        query: &StatisticsRequest,
    ) -> anyhow::Result<Answer<Self>> {
        attributes(&statistics.request(&query.describing()).await?)
    }
}
