//! The error document, which has the same form for every error (contract, section 1).

use http::{HeaderValue, Response};
use serde::Serialize;

use crate::error::{Error, Problem};

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

/// Returns the response to a request that failed.
pub(super) fn response(error: &Error, request_id: &str) -> Response<String> {
    let object = |problem| ProblemObject {
        id: request_id,
        status: error.status.as_str(),
        problem,
    };
    let errors = error.problems.iter().map(object).collect();
    // Strings always serialize.
    let document = serde_json::to_string(&ErrorDocument { errors }).unwrap_or_default();
    let mut response = Response::new(document);
    *response.status_mut() = error.status;
    if let Some((name, value)) = &error.header {
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
