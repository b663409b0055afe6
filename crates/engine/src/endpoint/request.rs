//! The checks of the head of a request, in DynamoDB's order.

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, DATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use dynoxide::auth_material::{self, AuthMaterial};
use serde_json::json;

use crate::database::Reply;
use crate::operations;

/// Why a request is refused.
pub(super) enum HeadRefusal {
    /// It is none to an operation.
    NotFound,
    Error(Reply),
}

/// The media type of AWS's own clients.
pub(super) const AWS_JSON: &str = "application/x-amz-json-1.0";
const JSON: &str = "application/json";

/// Returns the media type of the response: the one of the request.
pub(super) fn media_type(headers: &HeaderMap) -> &'static str {
    requested_type(headers).unwrap_or(JSON)
}

fn requested_type(headers: &HeaderMap) -> Option<&'static str> {
    let (media_type, _) = content_type(headers)
        .split_once(';')
        .unwrap_or((content_type(headers), ""));
    let is_of = |known: &&str| media_type.trim().eq_ignore_ascii_case(known);
    [AWS_JSON, JSON].into_iter().find(is_of)
}

fn content_type(headers: &HeaderMap) -> &str {
    text(headers, &CONTENT_TYPE).unwrap_or_default()
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Checks the head of a request to `/`, and returns its operation.
pub(super) fn check(head: &Parts) -> Result<String, HeadRefusal> {
    if requested_type(&head.headers).is_none() && !content_type(&head.headers).is_empty() {
        return Err(HeadRefusal::NotFound);
    }
    let operation = operation(&head.headers).ok_or_else(unknown_operation)?;
    authenticate(head)?;
    Ok(operation.to_owned())
}

fn operation(headers: &HeaderMap) -> Option<&str> {
    let target = text(headers, &HeaderName::from_static("x-amz-target"))?;
    let operation = target.strip_prefix("DynamoDB_20120810.")?;
    operations::exists(operation).then_some(operation)
}

/// Checks that a signature is there, not whether it is valid.
fn authenticate(head: &Parts) -> Result<(), HeadRefusal> {
    let refusal = auth_material::validate(AuthMaterial {
        authorization: text(&head.headers, &AUTHORIZATION),
        query: head.uri.query().unwrap_or_default(),
        has_date_header: head.headers.contains_key("x-amz-date") || head.headers.contains_key(DATE),
    });
    refusal.map_or(Ok(()), |error| Err(error_of(error)))
}

fn unknown_operation() -> HeadRefusal {
    let error = json!({"__type": "com.amazon.coral.service#UnknownOperationException"});
    error_of(error.to_string())
}

fn error_of(json: String) -> HeadRefusal {
    HeadRefusal::Error(Reply {
        status: 400,
        body: json.into_bytes(),
    })
}
