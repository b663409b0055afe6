//! Connects the SDK to the engine in this process, without HTTP.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;

use super::engine::Engine;

/// Hands the SDK's requests to the engine.
#[derive(Debug, Clone)]
pub(crate) struct InProcess {
    engine: Engine,
}

impl InProcess {
    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine }
    }
}

impl HttpClient for InProcess {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for InProcess {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let Self { engine } = self.clone();
        HttpConnectorFuture::new(async move {
            let not_sent = |reason: &str| ConnectorError::user(reason.into());
            let target = request.headers().get("x-amz-target").unwrap_or_default();
            let operation = target.split_once('.').map_or(target, |(_, name)| name);
            let body = request.body().bytes().map(std::str::from_utf8);
            let Some(Ok(body)) = body else {
                return Err(not_sent("a request of the SDK is not text"));
            };
            let reply = engine.run(operation, body).await;
            let status = reply.status.try_into();
            let status = status.map_err(|_| not_sent("the engine has no valid status"))?;
            Ok(HttpResponse::new(status, SdkBody::from(reply.body)))
        })
    }
}
