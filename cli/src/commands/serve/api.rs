//! Serves the API: passes plain HTTP requests to the handlers of the Lambda functions.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::X_CONTENT_TYPE_OPTIONS;
use axum::http::response::Response;
use serde::Serialize;
use shared::App;
use shared::error::Error;
use shared::http::{Call, json, new_request_id, refusal, respond};
use shared::model::Timestamp;

use super::docs;
use crate::embedded::Responder;

pub(super) fn responder(app: Arc<App>) -> Responder {
    Responder {
        router: Router::new().fallback(dispatch).with_state(app),
        malformed: || not_sniffed(refusal(&Error::BadRequest, &new_request_id())),
    }
}

async fn dispatch(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let call = Call::from_http(request.into_parts().0, Timestamp::now());
    let response = match path.strip_suffix('/').unwrap_or(&path) {
        users::PATH => users::handle(call, &app).await.map(Body::new),
        response_statistics::PATH => response_statistics::handle(call, &app).await.map(Body::new),
        _ => match docs::file(&path) {
            Some(file) => docs::serve(&call, &path, file).await,
            None => health(&call).await.map(Body::new),
        },
    };
    not_sniffed(response)
}

/// Adds the header that every response has here, and none on Lambda.
fn not_sniffed<B>(mut response: Response<B>) -> Response<B> {
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

/// Serves `/health`; any other path is a 404.
async fn health(call: &Call) -> shared::http::Response {
    respond(call, "other", async {
        call.route("/health")?;
        json(&Health { status: "ok" })
    })
    .await
}
