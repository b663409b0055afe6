//! The error document, which has the same form for every error (contract, section 1).

use http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Response};
use serde::Serialize;

use crate::error::{Description, Error, Fault};

#[derive(Serialize)]
struct ErrorDocument<'a> {
    errors: Vec<Object<'a>>,
}

#[derive(Serialize)]
struct Object<'a> {
    id: &'a str,
    status: &'a str,
    code: &'a str,
    title: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Fault<'a>>,
}

/// Returns the response to a request that failed.
pub(super) fn response(error: &Error, request_id: &str) -> Response<String> {
    let mut response = Response::new(document(error, request_id));
    *response.status_mut() = error.status();
    let header = match error {
        Error::Unauthenticated(challenge) => Some((WWW_AUTHENTICATE, challenge.www_authenticate)),
        Error::MethodNotAllowed => Some((ALLOW, "GET")),
        Error::Throttled | Error::Unavailable => Some((RETRY_AFTER, "1")),
        _ => None,
    };
    if let Some((name, value)) = header {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

fn document(error: &Error, id: &str) -> String {
    let status = error.status();
    let object = |code, title, detail, source| Object {
        id,
        status: status.as_str(),
        code,
        title,
        detail,
        source,
    };
    let Description {
        code,
        title,
        detail,
    } = error.description();
    let errors = match error {
        Error::Parameters(problems) => problems
            .iter()
            .map(|problem| {
                let (code, title) = problem.kind.code_and_title();
                let source = Some(Fault::Parameter(&problem.parameter));
                object(code, title, &problem.detail, source)
            })
            .collect(),
        _ => vec![object(code, title, &detail, error.fault())],
    };
    // Strings always serialize.
    serde_json::to_string(&ErrorDocument { errors }).unwrap_or_default()
}
