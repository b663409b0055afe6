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
        let damaged = |reason: &str| Err(OrchestratorError::response(reason.into()));
        let Some(bytes) = response.body().bytes() else {
            return damaged("the body is missing");
        };
        if !response.status().is_success() {
            return Err(OrchestratorError::operation(Error::erase(decode_error(
                bytes,
            ))));
        }
        if let Some(expected) = response.headers().get("x-amz-crc32")
            && expected.parse() != Ok(crc32fast::hash(bytes))
        {
            return damaged("the body does not match its checksum");
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = response.body().try_clone();
        Ok(Output::erase(QueryOutput::builder().build()))
    }
}

/// Decodes the error that DynamoDB reports; its code decides whether the SDK retries.
fn decode_error(body: &[u8]) -> QueryError {
    #[derive(Deserialize, Default)]
    struct Document {
        #[serde(rename = "__type", default)]
        kind: String,
        #[serde(alias = "Message")]
        message: Option<String>,
    }
    let document: Document = serde_json::from_slice(body).unwrap_or_default();
    let code = document.kind.rsplit('#').next().unwrap_or_default();
    let mut metadata = ErrorMetadata::builder().code(code);
    if let Some(message) = document.message {
        metadata = metadata.message(message);
    }
    QueryError::generic(metadata.build())
}
