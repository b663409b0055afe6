//! The statistics of a project: those of an API, or of the same operation in this process.

use axum::http::Request;
use form_urlencoded::Serializer;
use model::PrivateTraits;
use response_statistics::{PATH, ask_unauthenticated};
use service::{App, Call};
use tables::Tables;

use super::answer::{Answer, Element, Trait, attributes};
use super::statistics_request::StatisticsRequest;
use crate::client::{Client, Refused, StatisticsDocument};

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
            ..App::new(tables.reader())
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
}
