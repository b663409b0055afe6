//! The engine at an address of this machine, for other programs: DynamoDB's protocol over HTTP. Refuses
//! web pages.

use std::net::IpAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};

use super::engine::Engine;
use super::listener::Responder;
use super::query::View;

/// The time in which a client must send the whole body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns what responds to requests at the address.
pub(crate) fn responder(engine: Engine) -> Responder {
    Responder {
        router: Router::new().fallback(respond).with_state(engine),
        malformed: || {
            let message = "this is not a valid HTTP request, or its head is too long";
            refusal(StatusCode::BAD_REQUEST, "ValidationException", message)
        },
    }
}

async fn respond(State(engine): State<Engine>, request: Request) -> Response<Body> {
    if from_browser(request.headers()) {
        let message = "this endpoint does not serve web pages";
        return refusal(StatusCode::FORBIDDEN, "AccessDeniedException", message).map(Body::from);
    }
    let (head, body) = request.into_parts();
    let Some(body) = whole(body).await else {
        let message = "the request has no whole body of at most 16 MB";
        return refusal(StatusCode::BAD_REQUEST, "ValidationException", message).map(Body::from);
    };
    let target = head
        .headers
        .get("x-amz-target")
        .and_then(|it| it.to_str().ok());
    let operation = target
        .and_then(|it| it.split_once('.'))
        .map_or("", |(_, name)| name);
    let text = String::from_utf8_lossy(&body);
    let reply = engine.run(operation, &text, View::Exact).await;
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or_default();
    let kind = HeaderValue::from_static("application/x-amz-json-1.0");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Reads the body, so that a client that never completes it does not hold the engine.
async fn whole(body: Body) -> Option<axum::body::Bytes> {
    const MAX: usize = 16 << 20;
    let body = tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(body, MAX)).await;
    body.ok()?.ok()
}

/// Returns whether a web page sent the request. A page of another site sends an `Origin`; a page whose
/// own name resolves to this machine sends that name as the `Host`.
fn from_browser(headers: &HeaderMap) -> bool {
    let host = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    headers.contains_key(ORIGIN) || !(address.is_ok() || name.eq_ignore_ascii_case("localhost"))
}

/// Returns an error in DynamoDB's form.
fn refusal(status: StatusCode, code: &str, message: &str) -> Response<String> {
    let body = serde_json::json!({ "__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": message });
    let mut response = Response::new(body.to_string());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/x-amz-json-1.0");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
