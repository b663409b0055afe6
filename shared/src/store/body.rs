//! The undecoded body of a Query's response.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::interceptors::BeforeSerializationInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept};
use aws_sdk_dynamodb::error::{BoxError, ErrorMetadata};
use aws_sdk_dynamodb::operation::query::{QueryError, QueryOutput};
use aws_smithy_runtime_api::client::interceptors::context::{Error, Output, OutputOrError};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use serde::Deserialize;

use crate::store::checksum::verified_body;

/// Replaces the deserializer of a Query, and keeps the body of a successful response.
#[derive(Debug, Default, Clone)]
pub(super) struct RawBody(Arc<Mutex<Option<SdkBody>>>);

impl RawBody {
    pub(super) fn take(&self) -> Option<SdkBody> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Intercept for RawBody {
    fn name(&self) -> &'static str {
        "RawBody"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        config
            .interceptor_state()
            .store_put(SharedResponseDeserializer::new(self.clone()));
        Ok(())
    }
}

impl DeserializeResponse for RawBody {
    fn deserialize_nonstreaming_with_config(
        &self,
        response: &HttpResponse,
        _: &ConfigBag,
    ) -> OutputOrError {
        if !response.status().is_success() {
            let error = decode_error(response.body().bytes().unwrap_or_default());
            return Err(OrchestratorError::operation(Error::erase(error)));
        }
        verified_body(response).map_err(|flaw| OrchestratorError::response(flaw.into()))?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = response.body().try_clone();
        Ok(Output::erase(QueryOutput::builder().build()))
    }
}

/// Decodes the error that DynamoDB reports; its code decides whether the SDK retries.
fn decode_error(body: &[u8]) -> QueryError {
    #[derive(Deserialize, Default)]
    struct ErrorBody {
        #[serde(rename = "__type", default)]
        kind: String,
        #[serde(alias = "Message")]
        message: Option<String>,
    }
    let document: ErrorBody = serde_json::from_slice(body).unwrap_or_default();
    let code = document.kind.rsplit('#').next().unwrap_or_default();
    let mut metadata = ErrorMetadata::builder().code(code);
    if let Some(message) = document.message {
        metadata = metadata.message(message);
    }
    QueryError::generic(metadata.build())
}
