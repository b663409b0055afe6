//! Asks the API. Where nothing is found, the answer says which trait no record has.

use super::answer::{Figures, parse};
use super::missing::{self, EmptyBecause};
use super::query::StatisticsRequest;
use super::traits::TraitList;
use crate::client::Client;

/// The figures that the API answered.
pub(crate) struct FiguresAnswer {
    /// The document, unchanged.
    pub(crate) body: String,
    pub(crate) elements: Vec<Figures>,
}

impl FiguresAnswer {
    async fn request(client: &Client, query: &StatisticsRequest) -> anyhow::Result<Self> {
        let body = client.statistics(&query.parameters()).await?;
        let elements = parse(&body)?;
        Ok(Self { body, elements })
    }
}

/// Asks for figures. Where no record has the string that they are to be grouped by, but the boolean of this
/// name, they are grouped by that.
///
/// # Errors
///
/// Fails with a [`MissingTrait`](super::MissingTrait) if nothing was found because no record of the period
/// has a trait that was asked for.
pub(crate) async fn ask(
    client: &Client,
    query: &StatisticsRequest,
) -> anyhow::Result<FiguresAnswer> {
    let answer = FiguresAnswer::request(client, query).await?;
    match missing::cause(client, query, &answer.elements).await {
        EmptyBecause::Boolean(query) => FiguresAnswer::request(client, &query).await,
        EmptyBecause::Missing(error) => Err(error.into()),
        EmptyBecause::None => Ok(answer),
    }
}

/// Lists the traits of the records that match.
///
/// # Errors
///
/// Fails with a [`MissingTrait`](super::MissingTrait) if there are none because no record of the period has
/// one that is filtered by.
pub(crate) async fn describe(
    client: &Client,
    query: &StatisticsRequest,
) -> anyhow::Result<TraitList> {
    let list = TraitList::request(client, query, true).await?;
    if list.traits.is_empty()
        && let Some(error) = missing::of_filters(client, query).await
    {
        return Err(error.into());
    }
    Ok(list)
}
