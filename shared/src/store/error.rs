use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::RequestId;

use crate::error::Error;

/// What DynamoDB answers when it wants to be asked later.
const THROTTLED: [&str; 3] = [
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
];

/// Whether the store only asks for patience.
pub(super) fn throttled<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> bool {
    error.code().is_some_and(|code| THROTTLED.contains(&code))
}

/// Logs what the store said, which the caller must not see, and tells the caller whether to try
/// again: a refusal that would be repeated (no such table, no permission) is our own fault,
/// everything else passes.
pub(super) fn fault<E>(operation: &'static str, error: &SdkError<E, HttpResponse>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    let code = error.code().unwrap_or(match error {
        SdkError::TimeoutError(_) => "timeout",
        SdkError::DispatchFailure(_) => "no connection",
        SdkError::ResponseError(_) => "unreadable answer",
        SdkError::ConstructionFailure(_) => "unusable request",
        _ => "unknown",
    });
    let permanent = matches!(error, SdkError::ServiceError(context) if context.raw().status().is_client_error())
        && !THROTTLED.contains(&code);
    tracing::error!(
        operation,
        code,
        aws_request_id = error.request_id(),
        "the store failed"
    );
    if permanent {
        Error::Internal
    } else {
        Error::Unavailable
    }
}
