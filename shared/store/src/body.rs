//! The undecoded bodies of responses.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::interceptors::BeforeSerializationInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept};
use aws_sdk_dynamodb::error::{BoxError, ErrorMetadata};
use aws_sdk_dynamodb::operation::get_item::{GetItemError, GetItemOutput};
use aws_sdk_dynamodb::operation::query::{QueryError, QueryOutput};
use aws_smithy_runtime_api::client::interceptors::context::{Error, Output, OutputOrError};
use aws_smithy_runtime_api::client::orchestrator::{HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::ser_de::{DeserializeResponse, SharedResponseDeserializer};
use aws_smithy_types::body::SdkBody;
use serde::Deserialize;

use super::checksum::verified_body;

/// Replaces the deserializer of an operation, and keeps the body of a successful response.
#[derive(Debug, Clone)]
pub(super) struct RawBody {
    body: Arc<Mutex<Option<SdkBody>>>,
    /// Makes the output that the SDK expects, which is empty.
    output: fn() -> Output,
    /// Makes the error that the SDK expects, whose code decides whether it retries.
    error: fn(ErrorMetadata) -> Error,
}

impl RawBody {
    pub(super) fn of_query() -> Self {
        Self {
            body: Arc::default(),
            output: || Output::erase(QueryOutput::builder().build()),
            error: |reported| Error::erase(QueryError::generic(reported)),
        }
    }

    pub(super) fn of_get_item() -> Self {
        Self {
            body: Arc::default(),
            output: || Output::erase(GetItemOutput::builder().build()),
            error: |reported| Error::erase(GetItemError::generic(reported)),
        }
    }

    pub(super) fn take(&self) -> SdkBody {
        let mut body = self.body.lock().unwrap_or_else(PoisonError::into_inner);
        body.take().unwrap_or_else(SdkBody::empty)
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
            let reported = decode_error(response.body().bytes().unwrap_or_default());
            return Err(OrchestratorError::operation((self.error)(reported)));
        }
        verified_body(response).map_err(|flaw| OrchestratorError::response(flaw.into()))?;
        *self.body.lock().unwrap_or_else(PoisonError::into_inner) = response.body().try_clone();
        Ok((self.output)())
    }
}

/// Decodes the error that DynamoDB reports.
fn decode_error(body: &[u8]) -> ErrorMetadata {
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
    metadata.build()
}
