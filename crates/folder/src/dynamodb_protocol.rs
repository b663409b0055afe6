//! DynamoDB's protocol at an address of this machine, for other programs: HTTP, of which web pages are refused.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use axum::{Extension, Router};
use dynoxide::DynoxideError;
use serde_json::json;
use server::{InFlight, Memory, NoRoom, Room};

use super::dynamodb_operations::Operation;
use super::folder_store::FolderStore;

/// The time in which a client must send the whole body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The length of the longest body, as DynamoDB limits it.
const MAX_BODY: usize = 16 << 20;

/// The memory of requests and their responses. DynamoDB limits bodies and the items of a `BatchGetItem` so. All callers
/// have the same key.
const ROOM: Room = Room {
    all: 64,
    of_caller: 64,
};

/// The megabytes of the longest body and the longest response.
const LONGEST: u32 = 16;

/// The media type of AWS's own clients.
const AWS_JSON: &str = "application/x-amz-json-1.0";

/// Returns the router of the address, which bounds the memory of requests and responses.
pub fn router(store: FolderStore) -> Router {
    let memory = Arc::new(Memory::new(ROOM));
    Router::new().fallback(respond).with_state((store, memory))
}

async fn respond(
    State((store, memory)): State<(FolderStore, Arc<Memory<()>>)>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
) -> Response<Body> {
    if !is_from_a_program(request.headers()) {
        let message = "this endpoint does not serve web pages";
        return refusal(StatusCode::FORBIDDEN, "AccessDeniedException", message);
    }
    if request.uri().path() != "/" || request.method() != Method::POST {
        let message = "operations are sent by POST to the path /";
        return refusal(StatusCode::NOT_FOUND, "UnknownOperationException", message);
    }
    if let Some(refusal) = unauthorized(&store, request.headers()) {
        return refusal;
    }
    let Some(operation) = requested_operation(request.headers()) else {
        return bad_request("UnknownOperationException", "there is no such operation");
    };
    // For its body and its response.
    if let Err(NoRoom) = memory.room(&in_flight, (), LONGEST).await {
        let message = "other requests leave no room for this one";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return refusal(status, "ServiceUnavailable", message);
    }
    let body = to_bytes(request.into_body(), MAX_BODY);
    let body = match tokio::time::timeout(BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let message = "the body was not sent whole, or has more than 16 MB";
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return refusal(status, "ValidationException", message);
        }
        Err(_) => {
            let message = "the client did not send the whole body";
            return bad_request("ValidationException", message);
        }
    };
    let (status, reply) = match store.operate(operation, body).await {
        Ok(reply) => (StatusCode::OK, reply),
        Err(error) => (status(&error), error.to_json()),
    };
    if reply.len() > (LONGEST as usize) << 20 {
        let message = "the response has more than 16 MB: request fewer items";
        return bad_request("ValidationException", message);
    }
    response(status, reply)
}

/// Returns whether a request comes from a program, also in a container of this machine, and not from a web page. A
/// page of another site sends an `Origin`; a page whose own name resolves to this machine sends that name as the
/// `Host`.
fn is_from_a_program(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let host = host.to_str().ok().filter(|host| !host.contains('@'));
    let authority = host.and_then(|host| host.parse::<Authority>().ok());
    let is_of_this_machine = authority.is_some_and(|authority| {
        let name = authority.host();
        let mut names = ["localhost", "host.docker.internal"].into_iter();
        names.any(|own| name.eq_ignore_ascii_case(own))
            || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
    });
    is_of_this_machine && !headers.contains_key(ORIGIN)
}

/// Refuses a request without the access key of the folder, if that has one, as DynamoDB would.
fn unauthorized(store: &FolderStore, headers: &HeaderMap) -> Option<Response<Body>> {
    let key = store.folder().access_key.as_ref()?;
    let (code, message) = match headers.get(AUTHORIZATION) {
        Some(authorization) if key.is_in(authorization.as_bytes()) => return None,
        Some(_) => (
            "UnrecognizedClientException",
            "The security token included in the request is invalid.",
        ),
        None => (
            "MissingAuthenticationTokenException",
            "Request is missing Authentication Token",
        ),
    };
    Some(bad_request(code, message))
}

fn requested_operation(headers: &HeaderMap) -> Option<Operation> {
    let target = headers.get("x-amz-target")?.to_str().ok()?;
    Operation::named(target.strip_prefix("DynamoDB_20120810.")?)
}

fn status(error: &DynoxideError) -> StatusCode {
    StatusCode::from_u16(error.status_code()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn bad_request(code: &str, message: &str) -> Response<Body> {
    refusal(StatusCode::BAD_REQUEST, code, message)
}

/// Returns an error of this endpoint in DynamoDB's form.
fn refusal(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let code = format!("com.amazonaws.dynamodb.v20120810#{code}");
    let body = json!({ "__type": code, "message": message });
    response(status, body.to_string())
}

/// Returns a response with the headers that clients of DynamoDB read.
fn response(status: StatusCode, body: String) -> Response<Body> {
    let checksum = crc32fast::hash(body.as_bytes());
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(AWS_JSON));
    headers.insert("x-amz-crc32", checksum.into());
    response
}
