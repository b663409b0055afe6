//! DynamoDB's protocol at an address of this machine, for other programs: HTTP, of which web pages are refused, and
//! the operations as dynoxide implements them.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use axum::{Extension, Router};
use dynoxide::actions::query::{QueryRequest, QueryResponse};
use dynoxide::actions::scan::{ScanRequest, ScanResponse};
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use server::{InFlight, Memory, NoRoom, Room};
use uuid::Uuid;

use super::folder_store::FolderStore;
use super::layout;

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

const HEALTHY: &str = "healthy: dynamodb.us-east-1.amazonaws.com ";

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
    if request.uri().path() != "/" {
        return not_found();
    }
    let (head, body) = request.into_parts();
    match head.method {
        Method::GET => response(StatusCode::OK, None, HEALTHY),
        Method::POST => {
            answer(
                &store,
                memory.room(&in_flight, (), LONGEST),
                &head.headers,
                body,
            )
            .await
        }
        _ => not_found(),
    }
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
    let key = store.folder().access_key()?;
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
fn requested_operation(headers: &HeaderMap) -> Option<&str> {
    let target = headers.get("x-amz-target")?.to_str().ok()?;
    let operation = target.strip_prefix("DynamoDB_20120810.")?;
    function_of(operation).map(|_| operation)
}

/// Runs the operation once there is room for its body and its response.
async fn answer(
    store: &FolderStore,
    room: impl Future<Output = Result<(), NoRoom>>,
    headers: &HeaderMap,
    body: Body,
) -> Response<Body> {
    if let Some(refusal) = unauthorized(store, headers) {
        return refusal;
    }
    let Some(operation) = requested_operation(headers) else {
        let message = "there is no such operation";
        return refusal(
            StatusCode::BAD_REQUEST,
            "UnknownOperationException",
            message,
        );
    };
    if let Err(NoRoom) = room.await {
        let message = "other requests leave no room for this one";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return refusal(status, "ServiceUnavailable", message);
    }
    let body = match tokio::time::timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let message = "the body was not sent whole, or has more than 16 MB";
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            return refusal(status, "ValidationException", message);
        }
        Err(_) => {
            let message = "the client did not send the whole body";
            return refusal(StatusCode::BAD_REQUEST, "ValidationException", message);
        }
    };
    let operated = store.operate(operation.to_owned(), body);
    let (status, reply) = match operated.await {
        Ok(reply) => (StatusCode::OK, reply),
        Err(error) => (status(&error), error.to_json()),
    };
    if reply.len() > (LONGEST as usize) << 20 {
        let message = "the response has more than 16 MB: request fewer items";
        return refusal(StatusCode::BAD_REQUEST, "ValidationException", message);
    }
    response(status, Some(AWS_JSON), reply)
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

impl FolderStore {
    /// Runs an operation on a request in DynamoDB's JSON, and returns the response.
    pub(super) async fn operate(&self, operation: String, body: Bytes) -> dynoxide::Result<String> {
        // Not the store itself: where it is dropped last, it waits for the thread that runs this.
        let folder = self.folder().clone();
        let name = operation.clone();
        let running = self.writer().run(move |writing| {
            let body = str::from_utf8(&body).map_err(|_| {
                DynoxideError::SerializationException("the body is not UTF-8".to_owned())
            })?;
            let response = run(&writing.dynoxide, &operation, body);
            if operation == "CreateTable" {
                layout::complete(&mut folder.connect()?)?;
            }
            response
        });
        let panicked = || DynoxideError::InternalServerError("the operation panicked".to_owned());
        let returned = running.await.unwrap_or_else(|| Err(panicked()));
        returned.inspect_err(|error| self.count_failure(&name, error))
    }
}

/// Parses and runs a request in DynamoDB's JSON, and returns the response. Blocks.
type Operation = fn(&Database, &str) -> dynoxide::Result<String>;

/// Runs an operation. Blocks.
fn run(database: &Database, operation: &str, body: &str) -> dynoxide::Result<String> {
    let unknown = || DynoxideError::SerializationException("an unknown operation".to_owned());
    let function = function_of(operation).ok_or_else(unknown)?;
    function(database, body).map_err(|error| match error {
        // A statement reports the item in another form than the other operations do.
        DynoxideError::ConditionalCheckFailedException(message, Some(item))
            if operation == "ExecuteStatement" =>
        {
            DynoxideError::StatementConditionalCheckFailed(message, item)
        }
        error => error,
    })
}

/// Returns the function that runs the operation of this name, if there is one. `UpdateTable` would give tables indexes
/// and streams, in which items that are written with SQL would be missing.
fn function_of(operation: &str) -> Option<Operation> {
    macro_rules! operations {
        ($($name:literal: $run:path,)+) => {
            match operation {
                $($name => Some(|database, body| run_parsed(database, body, $run)),)+
                _ => None,
            }
        };
    }
    operations! {
        "BatchExecuteStatement": Database::batch_execute_statement,
        "BatchGetItem": Database::batch_get_item,
        "BatchWriteItem": Database::batch_write_item,
        "CreateTable": Database::create_table,
        "DeleteItem": Database::delete_item,
        "DeleteTable": Database::delete_table,
        "DescribeTable": Database::describe_table,
        "DescribeTimeToLive": Database::describe_time_to_live,
        "ExecuteStatement": Database::execute_statement,
        "ExecuteTransaction": Database::execute_transaction,
        "GetItem": Database::get_item,
        "ListTables": Database::list_tables,
        "ListTagsOfResource": Database::list_tags_of_resource,
        "PutItem": Database::put_item,
        "Query": query,
        "Scan": scan,
        "TagResource": Database::tag_resource,
        "TransactGetItems": Database::transact_get_items,
        "TransactWriteItems": Database::transact_write_items,
        "UntagResource": Database::untag_resource,
        "UpdateItem": Database::update_item,
        "UpdateTimeToLive": Database::update_time_to_live,
    }
}

/// The greatest number of items of a page that has no `Limit`: dynoxide collects everything that is left to
/// read before it cuts a page.
const DEFAULT_LIMIT: usize = 1_000;

fn query(database: &Database, mut request: QueryRequest) -> dynoxide::Result<QueryResponse> {
    request.limit.get_or_insert(DEFAULT_LIMIT);
    database.query(request)
}

fn scan(database: &Database, mut request: ScanRequest) -> dynoxide::Result<ScanResponse> {
    request.limit.get_or_insert(DEFAULT_LIMIT);
    database.scan(request)
}

fn run_parsed<I: DeserializeOwned, O: Serialize>(
    database: &Database,
    body: &str,
    run: fn(&Database, I) -> dynoxide::Result<O>,
) -> dynoxide::Result<String> {
    let output = run(database, parse(body)?)?;
    serde_json::to_string(&output)
        .map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

fn parse<I: DeserializeOwned>(body: &str) -> dynoxide::Result<I> {
    serde_json::from_str(body)
        .map_err(|error| DynoxideError::ValidationException(error.to_string()))
}
