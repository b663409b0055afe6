//! Asks the operation. Where nothing is found, the answer says which trait no record has.

use anyhow::Context as _;
use model::GroupKind;

use super::answer::{Answer, Figures, TimeSpan, parse};
use super::grouping::GroupTrait;
use super::missing;
use super::query::StatisticsRequest;
use super::statistics::Statistics;
use super::traits::Trait;
use crate::client::UNEXPECTED;

/// Asks for figures. Where no record has the string that they are to be grouped by, but the boolean of this
/// name, they are grouped by that.
///
/// # Errors
///
/// Fails with a [`MissingTrait`](super::MissingTrait) if nothing was found because no record of the period
/// has a trait that was asked for.
pub(crate) async fn ask(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> anyhow::Result<Answer<Figures>> {
    let answer = parse(&statistics.request(&query.parameters()).await?)?;
    let Some(missing) = missing::cause(statistics, query, &answer.elements).await else {
        return Ok(answer);
    };
    let untyped = query.group_by.as_ref().filter(|by| by.kind.is_none());
    let Some(by) = untyped.filter(|_| missing.is_boolean_group()) else {
        return Err(missing.into());
    };
    let boolean = GroupTrait {
        kind: Some(GroupKind::Boolean),
        ..by.clone()
    };
    let query = StatisticsRequest {
        group_by: Some(boolean),
        ..query.clone()
    };
    parse(&statistics.request(&query.parameters()).await?)
}

/// Asks for the figures of the period as a whole; returns them, the period that was counted, and how many of its
/// records could not be read.
pub(crate) async fn whole(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> anyhow::Result<(Figures, TimeSpan, u64)> {
    let answer = ask(statistics, &query.clone().whole()).await?;
    let figures = answer.elements.into_iter().next().context(UNEXPECTED)?;
    let period = figures.interval.clone().context(UNEXPECTED)?;
    Ok((figures, period, answer.skipped))
}

/// Lists the traits of the records that match.
///
/// # Errors
///
/// Fails with a [`MissingTrait`](super::MissingTrait) if there are none because no record of the period has
/// one that is filtered by.
pub(crate) async fn describe(
    statistics: &Statistics,
    query: &StatisticsRequest,
) -> anyhow::Result<Answer<Trait>> {
    let traits = Trait::list(statistics, query).await?;
    if traits.elements.is_empty()
        && let Some(error) = missing::of_filters(statistics, query).await
    {
        return Err(error.into());
    }
    Ok(traits)
}
