//! Why a request has no usable response.

use std::error::Error;

use rustls::InvalidMessage;
use serde::Deserialize;

/// The context of a response that cannot be decoded.
pub(crate) const UNEXPECTED: &str = "the service returned an unexpected response";

/// The errors of a request that the service refused (contract, section 1).
#[derive(Debug, Deserialize)]
pub(crate) struct Refused {
    errors: Vec<ErrorObject>,
}

#[derive(Debug, Deserialize)]
struct ErrorObject {
    code: String,
    detail: String,
    source: Option<Source>,
}

#[derive(Debug, Deserialize)]
struct Source {
    parameter: Option<String>,
}

impl Refused {
    /// Returns whether one of the errors has this code.
    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.errors.iter().any(|error| error.code == code)
    }

    /// Returns the parameters that are at fault.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        let sources = self.errors.iter().filter_map(|error| error.source.as_ref());
        sources.filter_map(|source| source.parameter.as_deref())
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.errors.iter();
        let lines = errors.map(|error| format!("{}: {}", error.code, error.detail));
        let lines: Vec<_> = lines.collect();
        write!(
            formatter,
            "the service refused the request: {}",
            lines.join("; ")
        )
    }
}

impl Error for Refused {}

/// Returns whether the other side does not speak TLS.
pub(super) fn is_no_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|mut cause| {
        // An error of the system may hold another one.
        while let Some(inner) = cause
            .downcast_ref::<std::io::Error>()
            .and_then(|it| it.get_ref())
        {
            cause = inner;
        }
        matches!(
            cause.downcast_ref(),
            Some(rustls::Error::InvalidMessage(
                InvalidMessage::InvalidContentType
            ))
        )
    })
}

/// Returns the first cause. The errors around it say only that sending failed.
pub(crate) fn first_cause(error: &(dyn Error + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}

/// Returns an error and what caused it, the first cause last.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
