//! The error of the API, with a constructor for every way in which a request can fail (contract, section
//! 1). Those that only one operation has are where it refuses.

use std::borrow::Cow;

use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde::Serialize;

/// How a request failed. It never holds a secret or a message of the store: the caller learns only
/// the kind of a failure inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The status of the response.
    pub status: StatusCode,
    /// What is wrong: one problem, or several with the parameters.
    pub problems: Vec<Problem>,
    /// What the log calls it, if clients cause it, so that no alarm counts it as a fault.
    pub cause: Option<Cause>,
    /// The header that the response has because of it.
    pub header: Option<(HeaderName, &'static str)>,
}

/// What is wrong: an error object of the response, without the members that all of them share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// A word for programs.
    pub code: &'static str,
    /// The code in words.
    pub title: &'static str,
    /// A sentence for people.
    pub detail: Cow<'static, str>,
    /// What is at fault, if it is a part of the request.
    #[serde(rename = "source", skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// What a client sent that is at fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// The parameter with this name, decoded.
    Parameter(Cow<'static, str>),
    /// The header with this name.
    Header(&'static str),
}

/// A failure with the status of a server error that clients cause, by more than the service is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The store throttled the request until its end.
    Throttled,
    /// The period could not be read in time.
    TooLarge,
}

impl Cause {
    /// Returns its word in the log.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Throttled => "throttled",
            Self::TooLarge => "too_large",
        }
    }
}

/// What is wrong with a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// A required parameter is absent.
    Missing,
    /// The parameter does not accept the value.
    Invalid,
    /// The operation has no such parameter.
    Unknown,
    /// The parameter is given more than once.
    Duplicate,
}

impl Problem {
    /// Makes the problem with a parameter.
    pub(crate) fn with_parameter(kind: ProblemKind, name: &str, detail: String) -> Self {
        let (code, title) = match kind {
            ProblemKind::Missing => ("missing_parameter", "Missing parameter"),
            ProblemKind::Invalid => ("invalid_parameter", "Invalid parameter"),
            ProblemKind::Unknown => ("unknown_parameter", "Unknown parameter"),
            ProblemKind::Duplicate => ("duplicate_parameter", "Duplicate parameter"),
        };
        Self {
            code,
            title,
            detail: detail.into(),
            fault: Some(Fault::Parameter(name.to_owned().into())),
        }
    }
}

impl Error {
    /// Makes an error with one problem, which has this code and this title.
    pub fn new(
        status: StatusCode,
        [code, title]: [&'static str; 2],
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::of(
            status,
            vec![Problem {
                code,
                title,
                detail: detail.into(),
                fault: None,
            }],
        )
    }

    fn of(status: StatusCode, problems: Vec<Problem>) -> Self {
        Self {
            status,
            problems,
            cause: None,
            header: None,
        }
    }

    /// Adds what is at fault to the only problem.
    #[must_use]
    pub fn with_fault(mut self, fault: Fault) -> Self {
        if let Some(problem) = self.problems.last_mut() {
            problem.fault = Some(fault);
        }
        self
    }

    fn with_header(self, name: HeaderName, value: &'static str) -> Self {
        let header = Some((name, value));
        Self { header, ..self }
    }

    /// Makes the error of parameters with these problems, sorted by name.
    pub(crate) fn parameters(problems: Vec<Problem>) -> Self {
        Self::of(StatusCode::BAD_REQUEST, problems)
    }

    /// Makes the error of an event that API Gateway does not send.
    pub(crate) fn unreadable() -> Self {
        let words = ["invalid_parameter", "Invalid parameter"];
        let detail = "The function was invoked with an event that is none of API Gateway.";
        Self::new(StatusCode::BAD_REQUEST, words, detail)
    }

    /// Makes the error of credentials that are absent, malformed, unknown or revoked. All get the same
    /// response.
    pub(crate) fn unauthenticated(
        header: &'static str,
        challenge: &'static str,
        detail: &'static str,
    ) -> Self {
        let words = ["unauthenticated", "Unauthenticated"];
        Self::new(StatusCode::UNAUTHORIZED, words, detail)
            .with_fault(Fault::Header(header))
            .with_header(WWW_AUTHENTICATE, challenge)
    }

    /// Makes the error of credentials that are valid but not for this project, whether or not it exists.
    pub(crate) fn forbidden() -> Self {
        let detail = "The credentials do not grant access to this project.";
        Self::new(StatusCode::FORBIDDEN, ["forbidden", "Forbidden"], detail)
            .with_fault(Fault::Parameter("project".into()))
    }

    /// Makes the error of an unknown path.
    pub fn not_found() -> Self {
        let detail =
            "There are two operations: GET /api/users and GET /api/v2/response-statistics.";
        Self::new(StatusCode::NOT_FOUND, ["not_found", "Not found"], detail)
    }

    /// Makes the error of a path that accepts only `GET`.
    pub(crate) fn method_not_allowed() -> Self {
        Self::only("GET", "This path accepts only GET.")
    }

    /// Makes the error of a path that accepts only `GET` and `HEAD`.
    pub(crate) fn method_of_file_not_allowed() -> Self {
        Self::only("GET, HEAD", "This path accepts only GET and HEAD.")
    }

    fn only(methods: &'static str, detail: &'static str) -> Self {
        let words = ["method_not_allowed", "Method not allowed"];
        Self::new(StatusCode::METHOD_NOT_ALLOWED, words, detail).with_header(ALLOW, methods)
    }

    /// Makes the error of a buffered list that would exceed Lambda's limit.
    pub fn list_too_large() -> Self {
        let words = ["response_too_large", "Response too large"];
        let detail = "The response would exceed 6 MB. Request pages with limit (or a smaller limit) \
                      and follow the Link header, or use an endpoint that streams.";
        Self::unprocessable(words, detail)
    }

    /// Makes the error of a request that asks for more than a response, or a process, can hold.
    pub fn unprocessable(words: [&'static str; 2], detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, words, detail)
    }

    /// Makes the error of anything that has no other.
    pub fn internal() -> Self {
        let detail = "Something went wrong on our side. Quote this error's id when reporting it.";
        let words = ["internal", "Internal error"];
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, words, detail)
    }

    /// Makes the error of a store that fails after retries, or does not answer in time.
    pub fn unavailable() -> Self {
        Self::busy("The data cannot be read at the moment. Try again in a second.")
    }

    /// Makes the error of a request that other requests leave no room for.
    pub fn busy(detail: &'static str) -> Self {
        let words = ["unavailable", "Unavailable"];
        Self::new(StatusCode::SERVICE_UNAVAILABLE, words, detail).with_header(RETRY_AFTER, "1")
    }
}

/// The error document, which has the same form for every error (contract, Errors).
#[derive(Serialize)]
struct ErrorDocument<'a> {
    errors: Vec<ProblemObject<'a>>,
}

#[derive(Serialize)]
struct ProblemObject<'a> {
    id: &'a str,
    status: &'a str,
    #[serde(flatten)]
    problem: &'a Problem,
}

impl Error {
    /// Returns the response to a request that failed.
    pub(crate) fn response(&self, request_id: &str) -> Response<String> {
        let object = |problem| ProblemObject {
            id: request_id,
            status: self.status.as_str(),
            problem,
        };
        let errors = self.problems.iter().map(object).collect();
        // Strings always serialize.
        let document = serde_json::to_string(&ErrorDocument { errors }).unwrap_or_default();
        let mut response = Response::new(document);
        *response.status_mut() = self.status;
        if let Some((name, value)) = &self.header {
            let headers = response.headers_mut();
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// Logs the failure of the store, and keeps what the caller may learn of it.
impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        error.log();
        match error.kind() {
            _ if error.is_throttled() => Self {
                cause: Some(Cause::Throttled),
                ..Self::unavailable()
            },
            store::ErrorKind::Unavailable | store::ErrorKind::Damaged => Self::unavailable(),
            store::ErrorKind::Refused | store::ErrorKind::Internal => Self::internal(),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for Problem { code, detail, .. } in self.problems.iter().take(1) {
            write!(f, "{code}: {detail}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
