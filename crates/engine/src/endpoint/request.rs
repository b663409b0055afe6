//! The checks of a request before its operation runs, in DynamoDB's order.

use std::borrow::Cow;
use std::collections::BTreeMap;

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, DATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use dynoxide::DynoxideError;
use dynoxide::auth_material::{self, AuthMaterial};
use serde_json::json;
use serde_json::value::RawValue;

use crate::database::Reply;
use crate::operations;

/// A request that was checked.
pub(super) struct Checked {
    pub(super) operation: String,
    /// DynamoDB's JSON.
    pub(super) body: String,
}

/// Why a request is refused.
pub(super) enum Refusal {
    /// It is none to an operation.
    NotFound,
    Error(Reply),
}

impl From<DynoxideError> for Refusal {
    fn from(error: DynoxideError) -> Self {
        Self::Error(error.into())
    }
}

type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

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

/// Checks a request to `/`.
pub(super) fn check(head: &Parts, body: String) -> Result<Checked, Refusal> {
    let headers = &head.headers;
    let is_empty = body.is_empty() && content_type(headers).is_empty();
    if requested_type(headers).is_none() && !is_empty {
        return Err(Refusal::NotFound);
    }
    let operation = operation(headers).ok_or_else(unknown_operation)?.to_owned();
    authenticate(head)?;
    let members = serde_json::from_str(&body)
        .map_err(|error| DynoxideError::SerializationException(error.to_string()))?;
    let body = limited(&operation, members).unwrap_or(body);
    Ok(Checked { operation, body })
}

/// Limits the items that a Query or Scan reads for a page, if it does not: dynoxide collects everything that is left to
/// read before it cuts a page.
fn limited(operation: &str, mut members: Members<'_>) -> Option<String> {
    const LIMIT: &str = "1000";
    let limit = serde_json::from_str(LIMIT).ok()?;
    let is_unlimited = members
        .get("Limit")
        .is_none_or(|limit| limit.get() == "null");
    if !matches!(operation, "Query" | "Scan") || !is_unlimited {
        return None;
    }
    members.insert("Limit".into(), limit);
    serde_json::to_string(&members).ok()
}

fn operation(headers: &HeaderMap) -> Option<&str> {
    let target = text(headers, &HeaderName::from_static("x-amz-target"))?;
    let operation = target
        .strip_prefix("DynamoDB_20120810.")
        .or_else(|| target.strip_prefix("DynamoDBStreams_20120810."))?;
    operations::exists(operation).then_some(operation)
}

/// Checks that a signature is there, not whether it is valid.
fn authenticate(head: &Parts) -> Result<(), Refusal> {
    let refusal = auth_material::validate(AuthMaterial {
        authorization: text(&head.headers, &AUTHORIZATION),
        query: head.uri.query().unwrap_or_default(),
        has_date_header: head.headers.contains_key("x-amz-date") || head.headers.contains_key(DATE),
    });
    refusal.map_or(Ok(()), |error| Err(error_of(error)))
}

fn unknown_operation() -> Refusal {
    let error = json!({"__type": "com.amazon.coral.service#UnknownOperationException"});
    error_of(error.to_string())
}

fn error_of(json: String) -> Refusal {
    Refusal::Error(Reply {
        status: 400,
        body: json.into_bytes(),
    })
}
