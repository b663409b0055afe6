//! Serves the API: passes plain HTTP requests to the handlers of the Lambda functions.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use serde::Serialize;
use shared::App;
use shared::http::{Call, Response, json, respond};
use shared::model::Timestamp;

use super::docs;

pub(super) fn router(app: Arc<App>) -> Router {
    docs::router().fallback(dispatch).with_state(app)
}

async fn dispatch(State(app): State<Arc<App>>, request: Request) -> axum::response::Response {
    let path = request.uri().path().to_owned();
    let call = Call::from_http(request.into_parts().0, Timestamp::now());
    let response = match path.strip_suffix('/').unwrap_or(&path) {
        users::PATH => users::handle(call, &app).await,
        response_statistics::PATH => response_statistics::handle(call, &app).await,
        _ => health(&call).await,
    };
    response.map(axum::body::Body::new)
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
}

/// Serves `/health`; any other path is a 404.
async fn health(call: &Call) -> Response {
    respond(call, "other", async {
        call.route("/health")?;
        json(&Health { status: "ok" })
    })
    .await
}
