//! Asks for figures and traits, and says which trait no record has where nothing is found.

use anyhow::Context as _;
use model::{GroupBy, GroupKind};
use response_statistics::{Figures, TimeSpan};

use super::answer::{Answer, Element, Trait};
use super::statistics::Statistics;
use super::statistics_request::StatisticsRequest;
use crate::client::UNEXPECTED;

impl Statistics {
    /// Asks for figures. Where no record has the string that they are to be grouped by, but the boolean of this
    /// name, they are grouped by that.
    ///
    /// # Errors
    ///
    /// Fails with a [`MissingTrait`](super::MissingTrait) if nothing was found because no record of the period
    /// has a trait that was asked for.
    pub(crate) async fn ask(&self, query: &StatisticsRequest) -> anyhow::Result<Answer<Element>> {
        Ok(self.ask_by_type(query).await?.1)
    }

    /// Asks as [`Self::ask`] does; returns what was asked in the end, too.
    pub(crate) async fn ask_by_type(
        &self,
        query: &StatisticsRequest,
    ) -> anyhow::Result<(StatisticsRequest, Answer<Element>)> {
        let answer = self.figures(query).await?;
        let Some(missing) = self.missing_trait(query, &answer.elements).await else {
            return Ok((query.clone(), answer));
        };
        let by_string = query.group_by.as_ref();
        let by_string = by_string.filter(|by| by.kind == GroupKind::String);
        let Some(by) = by_string.filter(|_| missing.is_boolean_group()) else {
            return Err(missing.into());
        };
        let boolean = GroupBy {
            kind: GroupKind::Boolean,
            ..by.clone()
        };
        let by_boolean = StatisticsRequest {
            group_by: Some(boolean),
            ..query.clone()
        };
        let answer = self.figures(&by_boolean).await?;
        Ok((by_boolean, answer))
    }

    /// Asks for the figures of the period as a whole; returns them, the period that was counted, and how many of
    /// its records could not be read. Fails as [`Self::ask`] does.
    pub(crate) async fn whole(
        &self,
        query: &StatisticsRequest,
    ) -> anyhow::Result<(Figures, TimeSpan, u64)> {
        let answer = self.ask(&query.whole()).await?;
        let whole = answer.elements.into_iter().next().context(UNEXPECTED)?;
        let period = whole.interval.context(UNEXPECTED)?;
        Ok((whole.figures, period, answer.skipped))
    }

    /// Asks for the traits of the records that match.
    ///
    /// # Errors
    ///
    /// Fails with a [`MissingTrait`](super::MissingTrait) if there are none because no record of the period has
    /// one that is filtered by.
    pub(crate) async fn describe(
        &self,
        query: &StatisticsRequest,
    ) -> anyhow::Result<Answer<Trait>> {
        let traits = self.traits(query).await?;
        if traits.elements.is_empty()
            && let Some(error) = self.missing_filter(query).await
        {
            return Err(error.into());
        }
        Ok(traits)
    }
}
