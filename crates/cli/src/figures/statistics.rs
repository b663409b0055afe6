//! Asks for the statistics of a project: an API, or the same operation in this process. Where nothing is
//! found, the answer says which trait no record has.

use anyhow::Context as _;
use axum::http::Request;
use form_urlencoded::Serializer;
use model::{GroupKind, PrivateTraits};
use response_statistics::{PATH, ask_unauthenticated};
use service::{App, Call};
use tables::Tables;

use super::answer::{Answer, Figures, TimeSpan, Trait, attributes, parse};
use super::missing_trait;
use super::statistics_request::{GroupTrait, StatisticsRequest};
use crate::client::{Client, Refused, StatisticsDocument, UNEXPECTED};

/// The operation: that of an API, or the same one in this process.
pub(crate) enum Statistics {
    Remote(Client),
    /// Whoever may read the store needs no key.
    Local(Box<App>),
}

impl Statistics {
    /// Answers from this store.
    pub(crate) fn of_store(store: &Tables, private_traits: PrivateTraits) -> Self {
        Self::Local(Box::new(App {
            private_traits,
            ..App::new(store.reader())
        }))
    }

    /// Asks for figures. Where no record has the string that they are to be grouped by, but the boolean of this
    /// name, they are grouped by that.
    ///
    /// # Errors
    ///
    /// Fails with a [`MissingTrait`](super::MissingTrait) if nothing was found because no record of the period
    /// has a trait that was asked for.
    pub(crate) async fn ask(&self, query: &StatisticsRequest) -> anyhow::Result<Answer<Figures>> {
        let answer = parse(&self.request(&query.parameters()).await?)?;
        let Some(missing) = missing_trait::cause(self, query, &answer.elements).await else {
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
        let by_boolean = StatisticsRequest {
            group_by: Some(boolean),
            ..query.clone()
        };
        parse(&self.request(&by_boolean.parameters()).await?)
    }

    /// Asks for the figures of the period as a whole; returns them, the period that was counted, and how many of
    /// its records could not be read. Fails as [`Self::ask`] does.
    pub(crate) async fn whole(
        &self,
        query: &StatisticsRequest,
    ) -> anyhow::Result<(Figures, TimeSpan, u64)> {
        let answer = self.ask(&query.clone().whole()).await?;
        let figures = answer.elements.into_iter().next().context(UNEXPECTED)?;
        let period = figures.interval.clone().context(UNEXPECTED)?;
        Ok((figures, period, answer.skipped))
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
            && let Some(error) = missing_trait::of_filters(self, query).await
        {
            return Err(error.into());
        }
        Ok(traits)
    }

    /// Asks for the traits of the period's records that pass the filters, of which there may be none.
    pub(crate) async fn traits(&self, query: &StatisticsRequest) -> anyhow::Result<Answer<Trait>> {
        attributes(&self.request(&query.describing()).await?)
    }

    /// Requests statistics with these parameters.
    ///
    /// # Errors
    ///
    /// Fails with a [`Refused`] if the operation answers with an error.
    pub(crate) async fn request(
        &self,
        parameters: &[(&str, String)],
    ) -> anyhow::Result<StatisticsDocument> {
        let query = Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        let app = match self {
            Self::Remote(client) => return client.statistics(&query).await,
            Self::Local(app) => app,
        };
        let request = Request::get(format!("{PATH}?{query}")).body(())?;
        let call = Call::from_http(request.into_parts().0, service::now());
        let document = ask_unauthenticated(&call, app).await;
        Ok(StatisticsDocument {
            text: String::from_utf8(document.map_err(Refused::from)?)?,
            skipped: call.usage.totals().skipped,
        })
    }
}
