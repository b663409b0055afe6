//! The engine at an address of this machine, for other programs: DynamoDB's protocol over HTTP. Refuses
//! web pages.

mod browser;
mod request;

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, FromRequest as _, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, Response, StatusCode};
use serde_json::json;
use shared::http::new_request_id;

use super::database::{Engine, Reply};
use request::{Checked, Refusal, media_type};

/// The time in which a client must send the whole body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The length of the longest body, as DynamoDB limits it.
const MAX_BODY: usize = 16 << 20;

const HEALTHY: &str = "healthy: dynamodb.us-east-1.amazonaws.com ";

/// Returns what responds to requests at the address.
pub fn router(engine: Engine) -> Router {
    let router = Router::new().fallback(respond).with_state(engine);
    router.layer(DefaultBodyLimit::max(MAX_BODY))
}

async fn respond(State(engine): State<Engine>, request: Request) -> Response<Body> {
    if browser::sent(request.headers()) {
        let message = "this endpoint does not serve web pages";
        return refusal(StatusCode::FORBIDDEN, "AccessDeniedException", message).map(Body::from);
    }
    if request.uri().path() != "/" {
        return not_found();
    }
    let (head, body) = request.into_parts();
    let body = match whole(&head, body).await {
        Ok(body) => body,
        Err(refusal) => return refusal,
    };
    match head.method {
        Method::GET => response(StatusCode::OK, None, HEALTHY),
        Method::POST => run(&engine, head, body).await,
        _ => not_found(),
    }
}

/// Reads the body. A client that never completes it does not hold the engine.
async fn whole(head: &Parts, body: Body) -> Result<String, Response<Body>> {
    let request = Request::from_parts(head.clone(), body);
    let body = tokio::time::timeout(BODY_TIMEOUT, String::from_request(request, &())).await;
    let Ok(body) = body else {
        let message = "the client did not send the whole body";
        let refusal = refusal(StatusCode::BAD_REQUEST, "ValidationException", message);
        return Err(refusal.map(Body::from));
    };
    body.map_err(|error| {
        let message = json!({ "message": error.body_text() }).to_string();
        response(error.status(), Some(media_type(&head.headers)), message)
    })
}

async fn run(engine: &Engine, head: Parts, body: String) -> Response<Body> {
    let media_type = Some(media_type(&head.headers));
    let Reply { status, body } = match request::check(&head, body) {
        Ok(Checked { operation, body }) => engine.run(&operation, &body).await,
        Err(Refusal::Error(reply)) => reply,
        Err(Refusal::NotFound) => return not_found(),
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response(status, media_type, body)
}

fn not_found() -> Response<Body> {
    response(
        StatusCode::NOT_FOUND,
        None,
        "<UnknownOperationException/>\n",
    )
}

/// Returns an error of this endpoint in DynamoDB's form.
fn refusal(status: StatusCode, code: &str, message: &str) -> Response<String> {
    let code = format!("com.amazonaws.dynamodb.v20120810#{code}");
    let body = json!({ "__type": code, "message": message });
    with_headers(status, Some(request::AWS_JSON), body.to_string())
}

fn response(
    status: StatusCode,
    media_type: Option<&'static str>,
    body: impl AsRef<[u8]> + Into<Body>,
) -> Response<Body> {
    with_headers(status, media_type, body).map(Into::into)
}

/// Returns a response with the headers that DynamoDB sends.
fn with_headers<B: AsRef<[u8]>>(
    status: StatusCode,
    media_type: Option<&'static str>,
    body: B,
) -> Response<B> {
    let checksum = crc32fast::hash(body.as_ref());
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Some(media_type) = media_type {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    }
    headers.insert("x-amz-crc32", checksum.into());
    // It is visible ASCII.
    if let Ok(id) = HeaderValue::try_from(new_request_id()) {
        headers.insert("x-amzn-requestid", id);
    }
    response
}
