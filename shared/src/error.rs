//! Every way in which a request can fail, and the status, code and words the caller gets for it
//! (contract, section 1).

use http::StatusCode;

/// How a request failed. It never holds a secret or a message of the store: what goes wrong inside
/// is logged where it happens, and the caller learns only its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// 400: everything that is wrong with the parameters, sorted by their names.
    Parameters(Vec<Problem>),
    /// 401: the credentials are absent, malformed, unknown or revoked. One and the same answer for
    /// all of them.
    Unauthenticated(&'static Challenge),
    /// 403: valid credentials, but not for this project, whether or not it exists.
    Forbidden,
    /// 404: no such path.
    NotFound,
    /// 405: the path is known, but takes only `GET`.
    MethodNotAllowed,
    /// 422: a whole answer would pass what Lambda can return at once.
    ResponseTooLarge,
    /// 500: anything else.
    Internal,
    /// 503: the store throttles or fails after retries.
    Unavailable,
    /// 504: the time left does not suffice to read the period.
    PeriodTooLarge,
}

/// What is wrong with one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem.
    pub fault: Fault,
    /// The parameter's name, decoded.
    pub parameter: String,
    /// The problem in words.
    pub detail: String,
}

/// The kinds of [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A required parameter is absent.
    Missing,
    /// The value is not one that the parameter takes.
    Invalid,
    /// The operation has no such parameter.
    Unknown,
    /// The parameter is given more than once.
    Duplicate,
}

/// What an operation asks for when it is not given valid credentials.
#[derive(Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The header that the operation reads its credentials from.
    pub header: &'static str,
    /// The value of `WWW-Authenticate`.
    pub www_authenticate: &'static str,
    /// What to send, in words.
    pub detail: &'static str,
}

impl Fault {
    /// `code` and `title` of the error object.
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
    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Parameters(_) => StatusCode::BAD_REQUEST,
            Self::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::ResponseTooLarge => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::PeriodTooLarge => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// `code`, `title` and `detail` of the error object; parameters have one object each and bring
    /// their own.
    pub fn words(&self) -> (&'static str, &'static str, &'static str) {
        match self {
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
                "These credentials are valid, but they do not open this project.",
            ),
            Self::NotFound => (
                "not_found",
                "Not found",
                "There are two operations: GET /api/users and GET /api/v2/response-statistics.",
            ),
            Self::MethodNotAllowed => (
                "method_not_allowed",
                "Method not allowed",
                "This path answers GET only.",
            ),
            Self::ResponseTooLarge => (
                "response_too_large",
                "Response too large",
                "The answer would pass 6 MB. Ask for pages with limit (or a smaller limit) and follow the Link header, \
                 or use an endpoint that streams.",
            ),
            Self::Internal => (
                "internal",
                "Internal error",
                "Something went wrong on our side. Name the id of this error when you report it.",
            ),
            Self::Unavailable => (
                "unavailable",
                "Unavailable",
                "The data cannot be read at the moment. Try again in a second.",
            ),
            Self::PeriodTooLarge => (
                "period_too_large",
                "Period too large",
                "The period holds more than can be read in the time of one request. Narrow it with startDate and \
                 endDate.",
            ),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (code, _, detail) = self.words();
        write!(f, "{code}: {detail}")
    }
}

impl std::error::Error for Error {}
