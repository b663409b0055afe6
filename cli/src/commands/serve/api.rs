//! Serves the API: passes plain HTTP requests to the handlers of the Lambda functions.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::response::Response;
use serde::Serialize;
use shared::App;
use shared::error::Error;
use shared::http::{Call, json, new_request_id, refusal, respond};
use shared::model::Timestamp;

use super::docs;
use crate::asset::not_sniffed;
use crate::dashboard::{self, Settings};
use crate::embedded::Responder;

struct Site {
    app: App,
    settings: Settings,
}

pub(super) fn responder(app: App, settings: Settings) -> Responder {
    Responder {
        router: Router::new()
            .fallback(dispatch)
            .with_state(Arc::new(Site { app, settings })),
        malformed: || not_sniffed(refusal(&Error::BadRequest, &new_request_id())),
    }
}

async fn dispatch(State(site): State<Arc<Site>>, request: Request) -> Response<Body> {
    let Site { app, settings } = &*site;
    let path = request.uri().path().to_owned();
    let call = Call::from_http(request.into_parts().0, Timestamp::now());
    let response = match path.strip_suffix('/').unwrap_or(&path) {
        users::PATH => users::handle(call, app).await.map(Body::new),
        response_statistics::PATH => response_statistics::handle(call, app).await.map(Body::new),
        _ => match docs::asset(&path).or_else(|| dashboard::asset(&path, settings)) {
            Some(asset) => asset.serve(&call, &path).await,
            None => health(&call).await.map(Body::new),
        },
    };
    not_sniffed(response)
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
