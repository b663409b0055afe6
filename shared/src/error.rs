//! Every way in which a request can fail, with the status, code and words of its response (contract,
//! section 1).

use std::borrow::Cow;

use http::StatusCode;

use crate::store;

/// How a request failed. It never holds a secret or a message of the store: the caller learns only
/// the kind of a failure inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// 400: all problems with the parameters, sorted by name.
    Parameters(Vec<Problem>),
    /// 401: the credentials are absent, malformed, unknown or revoked. All get the same response.
    Unauthenticated(&'static Challenge),
    /// 403: the credentials are valid but not for this project, whether or not it exists.
    Forbidden,
    /// 404: the path is unknown.
    NotFound,
    /// 405: the path accepts only `GET`.
    MethodNotAllowed,
    /// 422: a buffered list would exceed Lambda's limit.
    ListTooLarge,
    /// A refusal that only one operation has, in its own words.
    Refused(Box<Refusal>),
    /// 500: anything else.
    Internal,
    /// 503: the store throttles.
    Throttled,
    /// 503: the store fails after retries.
    Unavailable,
}

/// A refusal that only one operation has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the response.
    pub status: StatusCode,
    /// The words of the error object.
    pub description: Description,
    /// The parameter at fault, if it is one.
    pub parameter: Option<&'static str>,
}

/// What a client sent that is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault<'a> {
    /// The parameter with this name.
    Parameter(&'a str),
    /// The header with this name.
    Header(&'a str),
}

/// A problem with one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// The parameter's name, decoded.
    pub parameter: String,
    /// A sentence for people.
    pub detail: String,
}

/// The kinds of [`Problem`].
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

/// What an operation requests from a client without valid credentials.
#[derive(Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The header with the credentials of the operation.
    pub header: &'static str,
    /// The value of `WWW-Authenticate`.
    pub www_authenticate: &'static str,
    /// A sentence for people.
    pub detail: &'static str,
}

/// The words of an error object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// `code`.
    pub code: &'static str,
    /// `title`.
    pub title: &'static str,
    /// `detail`.
    pub detail: Cow<'static, str>,
}

impl ProblemKind {
    /// Returns `code` and `title` of the error object.
    pub fn code_and_title(self) -> (&'static str, &'static str) {
        match self {
            Self::Missing => ("missing_parameter", "Missing parameter"),
            Self::Invalid => ("invalid_parameter", "Invalid parameter"),
            Self::Unknown => ("unknown_parameter", "Unknown parameter"),
            Self::Duplicate => ("duplicate_parameter", "Duplicate parameter"),
        }
    }
}

impl Error {
    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Parameters(_) => StatusCode::BAD_REQUEST,
            Self::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::ListTooLarge => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Refused(refusal) => refusal.status,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Throttled | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// Returns what is at fault. [`Error::Parameters`] has a fault for each [`Problem`] instead.
    pub fn fault(&self) -> Option<Fault<'_>> {
        match self {
            Self::Unauthenticated(challenge) => Some(Fault::Header(challenge.header)),
            Self::Forbidden => Some(Fault::Parameter("project")),
            Self::Refused(refusal) => refusal.parameter.map(Fault::Parameter),
            _ => None,
        }
    }

    /// Returns the words of the error object. [`Error::Parameters`] has an object for each
    /// [`Problem`] instead.
    pub fn description(&self) -> Description {
        let (code, title, detail) = match self {
            Self::Parameters(_) => (
                "invalid_parameter",
                "Invalid parameter",
                "The parameters are not valid.",
            ),
            Self::Unauthenticated(challenge) => {
                ("unauthenticated", "Unauthenticated", challenge.detail)
            }
            Self::Forbidden => (
                "forbidden",
                "Forbidden",
                "The credentials do not grant access to this project.",
            ),
            Self::NotFound => (
                "not_found",
                "Not found",
                "There are two operations: GET /api/users and GET /api/v2/response-statistics.",
            ),
            Self::MethodNotAllowed => (
                "method_not_allowed",
                "Method not allowed",
                "This path accepts only GET.",
            ),
            Self::ListTooLarge => (
                "response_too_large",
                "Response too large",
                "The response would exceed 6 MB. Request pages with limit (or a smaller limit) and follow the Link header, \
                 or use an endpoint that streams.",
            ),
            Self::Refused(refusal) => return refusal.description.clone(),
            Self::Internal => (
                "internal",
                "Internal error",
                "Something went wrong on our side. Quote this error's id when reporting it.",
            ),
            Self::Throttled | Self::Unavailable => (
                "unavailable",
                "Unavailable",
                "The data cannot be read at the moment. Try again in a second.",
            ),
        };
        Description {
            code,
            title,
            detail: Cow::Borrowed(detail),
        }
    }
}

/// Logs the failure of the store, and keeps what the caller may learn of it.
impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        error.log();
        match error.kind() {
            _ if error.is_throttled() => Self::Throttled,
            store::ErrorKind::Unavailable | store::ErrorKind::Damaged => Self::Unavailable,
            store::ErrorKind::Refused | store::ErrorKind::Internal => Self::Internal,
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Description { code, detail, .. } = self.description();
        write!(f, "{code}: {detail}")
    }
}

impl std::error::Error for Error {}
