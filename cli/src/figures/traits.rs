//! The traits of records: what there is to filter and group by.

use anyhow::Context;
use rmcp::schemars::{self, JsonSchema};
use serde::{Deserialize, Serialize};

use super::Query;
use super::answer::without_formats;
use super::missing;
use crate::client::{Client, UNEXPECTED};

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

#[derive(Deserialize)]
struct Document {
    data: Vec<Element>,
}

#[derive(Deserialize)]
struct Element {
    attributes: Trait,
}

/// What the API answered.
pub(crate) struct TraitList {
    /// The document, unchanged.
    pub(crate) body: String,
    pub(crate) traits: Vec<Trait>,
}

impl TraitList {
    /// Requests the traits of the period's records that pass the filters, or of all.
    pub(super) async fn request(
        client: &Client,
        query: &Query,
        filtered: bool,
    ) -> anyhow::Result<Self> {
        let body = client.statistics(&query.describing(filtered)).await?;
        let Document { data } = serde_json::from_str(&body).context(UNEXPECTED)?;
        let traits = data.into_iter().map(|element| element.attributes);
        Ok(Self {
            traits: traits.collect(),
            body,
        })
    }
}

/// Lists the traits of the records that match.
///
/// # Errors
///
/// Fails with a [`MissingTrait`](super::MissingTrait) if there are none because no record of the period has one that is
/// filtered by.
pub(crate) async fn describe(client: &Client, query: &Query) -> anyhow::Result<TraitList> {
    let list = TraitList::request(client, query, true).await?;
    if list.traits.is_empty()
        && let Some(error) = missing::of_filters(client, query).await
    {
        return Err(error.into());
    }
    Ok(list)
}
