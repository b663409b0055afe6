//! The store of a folder at an address of this machine, for other programs: DynamoDB's protocol over HTTP. Refuses
//! web pages.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use axum::{Extension, Router};
use dynoxide::DynoxideError;
use serde_json::json;
use server::{Guard, InFlight, Memory};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::folder_store::FolderStore;
use super::served::FOLDER_ID;
use super::{operations, unread};

/// The time in which a client must send the whole body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The length of the longest body, as DynamoDB limits it.
const MAX_BODY: usize = 16 << 20;

/// The largest response, in megabytes. DynamoDB limits the items of a `BatchGetItem` so.
const LARGEST_RESPONSE: usize = 16;

/// The memory of all large responses that are not sent yet, in megabytes.
const RESPONSES: usize = 64;

/// The length from which on few bodies are read at a time.
const LONG_BODY: u64 = 64 << 10;

/// The media type of AWS's own clients.
const AWS_JSON: &str = "application/x-amz-json-1.0";

const HEALTHY: &str = "healthy: dynamodb.us-east-1.amazonaws.com ";

/// Returns the router of the address, which bounds the memory of its responses.
pub fn router(folder_store: FolderStore) -> Router {
    let memory = Memory::new(RESPONSES, LARGEST_RESPONSE);
    Router::new()
        .fallback(respond)
        .with_state((folder_store, memory))
}

async fn respond(
    State((folder_store, memory)): State<(FolderStore, Memory)>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
) -> Response<Body> {
    if Guard::Programs.refuses(request.uri(), request.headers()) {
        let message = "this endpoint does not serve web pages";
        return refusal(StatusCode::FORBIDDEN, "AccessDeniedException", message);
    }
    if request.uri().path() != "/" {
        return not_found();
    }
    let (head, body) = request.into_parts();
    match head.method {
        Method::GET => healthy(&folder_store),
        Method::POST => run(&folder_store, memory.room(&in_flight), &head.headers, body).await,
        _ => not_found(),
    }
}

/// Answers that the store is there, and names this use of its folder.
fn healthy(folder_store: &FolderStore) -> Response<Body> {
    let mut response = response(StatusCode::OK, None, HEALTHY);
    if let Ok(id) = HeaderValue::from_str(folder_store.folder().id()) {
        response.headers_mut().insert(FOLDER_ID, id);
    }
    response
}

/// Refuses a request without the access key of the folder, if that has one, as DynamoDB would.
fn unauthorized(folder_store: &FolderStore, headers: &HeaderMap) -> Option<Response<Body>> {
    let key = folder_store.folder().access_key()?;
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
    Some(refusal(StatusCode::BAD_REQUEST, code, message))
}

/// Returns the operation that is requested, if there is one of its name.
fn operation(headers: &HeaderMap) -> Option<&str> {
    let target = headers.get("x-amz-target")?.to_str().ok()?;
    let operation = target.strip_prefix("DynamoDB_20120810.")?;
    operations::exists(operation).then_some(operation)
}

/// Runs the operation once its body is there, and room for its response.
async fn run(
    folder_store: &FolderStore,
    room: impl Future<Output = ()>,
    headers: &HeaderMap,
    body: Body,
) -> Response<Body> {
    /// How many long bodies are in memory at a time.
    static LONG_BODIES: Semaphore = Semaphore::const_new(4);
    if let Some(refusal) = unauthorized(folder_store, headers) {
        return refusal;
    }
    let Some(operation) = operation(headers) else {
        let (code, message) = ("UnknownOperationException", "there is no such operation");
        return refusal(StatusCode::BAD_REQUEST, code, message);
    };
    let is_long = body
        .size_hint()
        .upper()
        .is_none_or(|length| length > LONG_BODY);
    let _turn = if is_long {
        // The semaphore is never closed.
        LONG_BODIES.acquire().await.ok()
    } else {
        None
    };
    match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => {
            room.await;
            let (status, reply) = match folder_store
                .operate(operation.to_owned(), body.clone())
                .await
            {
                Ok(reply) => {
                    unread::report(folder_store, operation, &body).await;
                    (StatusCode::OK, reply)
                }
                Err(error) => (status(&error), error.to_json()),
            };
            if reply.len() > LARGEST_RESPONSE << 20 {
                let message = "the response has more than 16 MB: request fewer items";
                return refusal(StatusCode::BAD_REQUEST, "ValidationException", message);
            }
            response(status, Some(AWS_JSON), reply)
        }
        Ok(Err(_)) => {
            let message = "the body was not sent whole, or has more than 16 MB";
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            refusal(status, "ValidationException", message)
        }
        Err(_) => {
            let message = "the client did not send the whole body";
            refusal(StatusCode::BAD_REQUEST, "ValidationException", message)
        }
    }
}

fn status(error: &DynoxideError) -> StatusCode {
    StatusCode::from_u16(error.status_code()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

fn not_found() -> Response<Body> {
    response(
        StatusCode::NOT_FOUND,
        None,
        "<UnknownOperationException/>\n",
    )
}

/// Returns an error of this endpoint in DynamoDB's form.
fn refusal(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let code = format!("com.amazonaws.dynamodb.v20120810#{code}");
    let body = json!({ "__type": code, "message": message });
    response(status, Some(AWS_JSON), body.to_string())
}

/// Returns a response with the headers that DynamoDB sends.
fn response(
    status: StatusCode,
    media_type: Option<&'static str>,
    body: impl AsRef<[u8]> + Into<Body>,
) -> Response<Body> {
    let checksum = crc32fast::hash(body.as_ref());
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Some(media_type) = media_type {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    headers.insert("x-amz-crc32", checksum.into());
    // The id is visible ASCII, so it is a valid header.
    if let Ok(id) = HeaderValue::try_from(Uuid::new_v4().to_string()) {
        headers.insert("x-amzn-requestid", id);
    }
    response
}
