//! The API: plain HTTP requests, given to the handlers that the Lambda functions use.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use lambda_http::RequestExt as _;
use serde::Serialize;
use shared::App;
use shared::http::{Answer, Call, answer, json};
use shared::model::Timestamp;

use super::docs;

pub(super) fn router(app: Arc<App>) -> Router {
    docs::router().fallback(dispatch).with_state(app)
}

async fn dispatch(State(app): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    // No operation reads a body.
    let request = request
        .map(|_| lambda_http::Body::Empty)
        .with_raw_http_path(&path);
    let now = Timestamp::now();
    let answer = match path.strip_suffix('/').unwrap_or(&path) {
        users::PATH => users::handle(request, &app, now).await,
        response_statistics::PATH => response_statistics::handle(request, &app, now).await,
        _ => health(request, now).await,
    };
    answer.map(axum::body::Body::new)
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

/// `GET /health`, and the 404 of every path that is none.
async fn health(request: lambda_http::Request, now: Timestamp) -> Answer {
    let call = Call::new(&request, now);
    answer(&call, "other", async {
        call.route("/health")?;
        json(&Health { status: "ok" })
    })
    .await
}
