//! The statistics of a project: those of an API, or of the same operation in this process.

use anyhow::Context as _;
use axum::http::Request;
use chrono::Datelike as _;
use form_urlencoded::Serializer;
use model::{GroupKind, PrivateTraits, Unit};
use response_statistics::{Figures, PATH, TimeSpan, ask_unauthenticated};
use service::{App, Call};
use tables::Tables;

use super::answer::{Answer, Element, Trait, attributes};
use super::period::LocalPeriod;
use super::statistics_request::StatisticsRequest;
use crate::client::{Client, Refused, StatisticsDocument, UNEXPECTED};

/// The operation: that of an API, or the same one in this process.
pub(crate) enum Statistics {
    Remote(Client),
    /// Whoever may read the store needs no key.
    Local {
        app: Box<App>,
        tables: Tables,
    },
}

impl Statistics {
    /// Answers from this store.
    pub(crate) fn of_store(tables: Tables, private_traits: PrivateTraits) -> Self {
        let app = App {
            private_traits,
            ..App::new(tables.reader.clone())
        };
        Self::Local {
            app: Box::new(app),
            tables,
        }
    }

    /// Asks for figures, whatever is found.
    pub(super) async fn figures(
        &self,
        query: &StatisticsRequest,
    ) -> anyhow::Result<Answer<Element>> {
        attributes(&self.request(&query.parameters()).await?)
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
            Self::Local { app, .. } => app,
        };
        let request = Request::get(format!("{PATH}?{query}")).body(())?;
        let call = Call::from_http(request.into_parts().0, service::now());
        let document = ask_unauthenticated(&call, app).await;
        Ok(StatisticsDocument {
            text: String::from_utf8(document.map_err(Refused::from)?)?,
            skipped: call.usage.totals().skipped,
        })
    }

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
        let mut by_boolean = query.clone();
        match &mut by_boolean.group_by {
            Some(by) if by.kind == GroupKind::String && missing.is_group_of("boolean") => {
                by.kind = GroupKind::Boolean;
            }
            _ => return Err(missing.into()),
        }
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

    /// Returns the months in which records of the project were created, whatever their traits, of 83 years. `None` of
    /// an API, which would have to read all records.
    pub(crate) async fn months(&self, query: &StatisticsRequest) -> Option<Vec<LocalPeriod>> {
        let Self::Local { .. } = self else {
            return None;
        };
        let zone = query.zone();
        let year = zone.local(service::now().into()).year();
        let first_day = |year: i32| Some(format!("{year:04}-01-01"));
        let months = StatisticsRequest {
            start: first_day(year - 73),
            end: first_day(year + 10),
            period: None,
            interval: Some(Unit::Month),
            ..query.of_all_records()
        };
        let found = self.figures(&months).await.ok()?.elements.into_iter();
        let found = found.filter(|month| month.figures.displays > 0);
        let periods = found.filter_map(|month| LocalPeriod::of(&month.interval?, &zone).ok());
        Some(periods.collect())
    }

    /// Returns the projects that have records, as far as the store can tell.
    pub(crate) async fn projects(&self) -> Vec<String> {
        match self {
            Self::Remote(_) => Vec::new(),
            Self::Local { tables, .. } => tables.projects().await.unwrap_or_default(),
        }
    }
}
