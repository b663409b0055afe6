//! Checks that a response arrived as DynamoDB sent it. The SDK does not.

use aws_sdk_dynamodb::config::interceptors::AfterDeserializationInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;

/// Returns the body of a successful response, or what is wrong with it.
pub(super) fn verified_body(response: &HttpResponse) -> Result<&[u8], &'static str> {
    let body = response.body().bytes().ok_or("the body is missing")?;
    // The SDK would take it for `{}`, which means that there is no such item.
    if body.is_empty() {
        return Err("the body is empty");
    }
    match response.headers().get("x-amz-crc32") {
        Some(expected) if expected.parse() != Ok(crc32fast::hash(body)) => {
            Err("the body does not match its checksum")
        }
        _ => Ok(body),
    }
}

/// Refuses the response of an operation that the SDK decodes if its body is not verified.
#[derive(Debug)]
pub(super) struct VerifiesBody;

impl Intercept for VerifiesBody {
    fn name(&self) -> &'static str {
        "VerifiesBody"
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let response = context.response();
        if response.status().is_success() {
            verified_body(response)?;
        }
        Ok(())
    }
}
