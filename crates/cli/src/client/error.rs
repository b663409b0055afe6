//! Why a request has no usable response.

use std::error::Error;
use std::io;

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
}

impl Refused {
    /// Returns whether one of the errors has this code.
    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.errors.iter().any(|error| error.code == code)
    }

    /// Names parameters as those who asked did. Each pair is the name of a parameter, and that of what set it.
    pub(crate) fn rename(error: &mut anyhow::Error, names: &[(&str, &str)]) {
        let refused = error.downcast_mut::<Self>();
        for error in refused.into_iter().flat_map(|refused| &mut refused.errors) {
            for (parameter, name) in names {
                error.detail = error.detail.replace(parameter, name);
            }
        }
    }
}

/// Converts the error of the operation in this process.
impl From<service::error::Error> for Refused {
    fn from(error: service::error::Error) -> Self {
        let errors = error.problems.into_iter().map(|problem| ErrorObject {
            code: problem.code.to_owned(),
            detail: problem.detail.into_owned(),
        });
        Self {
            errors: errors.collect(),
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.errors.iter();
        let lines = errors.map(|error| format!("{}: {}", error.code, error.detail));
        formatter.write_str(&lines.collect::<Vec<_>>().join("; "))
    }
}

impl Error for Refused {}

/// Returns the first cause. The errors around it say only that sending failed.
pub(crate) fn first_cause(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.last().unwrap_or(error).to_string()
}

/// Returns whether the cause is that the other side does not answer with TLS.
pub(crate) fn is_without_tls(error: &(dyn Error + 'static)) -> bool {
    const NOT_TLS: rustls::Error =
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType);
    // An I/O error shows the error that it wraps as itself, not as its source.
    let io = error.downcast_ref::<io::Error>();
    let wrapped: Option<&(dyn Error + 'static)> = match io.and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    };
    error.downcast_ref() == Some(&NOT_TLS) || wrapped.is_some_and(is_without_tls)
}
