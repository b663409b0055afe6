//! How an operation of the store fails.

use std::fmt;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::RequestId;
use serde::{Deserialize, Serialize};

/// A failed operation of the store. It is written for the operator of the service: clients of the
/// API learn only its [kind](ErrorKind).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    operation: &'static str,
    /// The name of the index that was read, if it was one.
    index: Option<String>,
    code: String,
    message: Option<String>,
    aws_request_id: Option<String>,
}

/// What a failure means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorKind {
    /// The store cannot be reached, throttles, or fails after retries. A later attempt may succeed.
    Unavailable,
    /// The store refuses the request, and would refuse it again: a table is missing, or a
    /// permission.
    Refused,
    /// The store's response is malformed.
    Damaged,
    /// Building the request failed.
    Internal,
}

pub(crate) fn is_throttling(code: &str) -> bool {
    const CODES: [&str; 3] = [
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
    ];
    CODES.contains(&code)
}

impl Error {
    /// Classifies an error of the SDK. `operation` names the operation and the table.
    pub fn from_sdk<E>(operation: &'static str, error: &SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
    {
        let is_refusal = matches!(
            error,
            SdkError::ServiceError(context) if context.raw().status().is_client_error()
        );
        let permanent = is_refusal && !error.code().is_some_and(is_throttling);
        // What stands between may answer with a page of its own, which has no code.
        let reported = error.code().filter(|code| !code.is_empty());
        let code = reported.unwrap_or(match error {
            SdkError::TimeoutError(_) => "timeout",
            SdkError::DispatchFailure(_) => "no connection",
            SdkError::ResponseError(_) => "unreadable response",
            _ => "unknown",
        });
        let kind = if permanent {
            ErrorKind::Refused
        } else {
            ErrorKind::Unavailable
        };
        Self {
            message: error
                .message()
                .map(str::to_owned)
                .or_else(|| first_cause(error)),
            aws_request_id: error.request_id().map(str::to_owned),
            ..Self::new(kind, operation, code)
        }
    }

    /// Makes an error that the SDK did not report. `code` says in a few words what is wrong.
    pub fn new(kind: ErrorKind, operation: &'static str, code: &str) -> Self {
        Self {
            kind,
            operation,
            index: None,
            code: code.to_owned(),
            message: None,
            aws_request_id: None,
        }
    }

    pub(crate) fn of_index(self, index: Option<String>) -> Self {
        Self { index, ..self }
    }

    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns what is wrong: the store's code, or a few words.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns whether the store throttled the request, with all its attempts.
    pub fn is_throttled(&self) -> bool {
        is_throttling(&self.code)
    }

    /// Logs the failure without the store's message, which may quote data.
    pub fn log(&self) {
        tracing::error!(
            operation = self.operation,
            index = self.index,
            code = self.code,
            aws_request_id = self.aws_request_id,
            "the store failed"
        );
    }
}

/// Returns the first cause of an error that the store did not report, such as a refused connection.
fn first_cause(error: &dyn std::error::Error) -> Option<String> {
    let mut first = error.source()?;
    while let Some(source) = first.source() {
        first = source;
    }
    Some(first.to_string())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            ErrorKind::Unavailable => "the store is unavailable",
            ErrorKind::Refused => "the store refused the request",
            ErrorKind::Damaged => "the store's response is malformed",
            ErrorKind::Internal => "the request could not be built",
        };
        write!(f, "{what} ({}: {}", self.operation, self.code)?;
        if let Some(message) = &self.message {
            write!(f, ": {message}")?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for Error {}
