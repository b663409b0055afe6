//! Who answers questions about the statistics of a project.

use axum::http::Request;
use form_urlencoded::Serializer;
use response_statistics::{PATH, ask_unauthenticated};
use shared::App;
use shared::http::Call;
use shared::model::Timestamp;

use crate::client::{Client, Refused};

/// The operation: that of an API, or the same one in this process.
pub(crate) enum Statistics {
    Remote(Client),
    /// Whoever may read the store needs no key.
    Local(Box<App>),
}

impl Statistics {
    /// Requests statistics with these parameters, and returns the document.
    ///
    /// # Errors
    ///
    /// Fails with a [`Refused`] if the operation answers with an error.
    pub(crate) async fn request(&self, parameters: &[(&str, String)]) -> anyhow::Result<String> {
        let app = match self {
            Self::Remote(client) => return client.statistics(parameters).await,
            Self::Local(app) => app,
        };
        let query = Serializer::new(String::new())
            .extend_pairs(parameters)
            .finish();
        let request = Request::get(format!("{PATH}?{query}")).body(())?;
        let call = Call::from_http(request.into_parts().0, Timestamp::now());
        let document = ask_unauthenticated(&call, app).await;
        Ok(String::from_utf8(document.map_err(Refused::from)?)?)
    }
}
