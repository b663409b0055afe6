//! Why a request has no usable response.

use std::error::Error;

use serde::Deserialize;
use shared::error::Fault;

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

/// The same, from the operation in this process.
impl From<shared::error::Error> for Refused {
    fn from(error: shared::error::Error) -> Self {
        let errors = error.problems.into_iter().map(|problem| ErrorObject {
            code: problem.code.to_owned(),
            detail: problem.detail.into_owned(),
            source: problem.fault.map(|fault| Source {
                parameter: match fault {
                    Fault::Parameter(name) => Some(name.into_owned()),
                    Fault::Header(_) => None,
                },
            }),
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
