//! Serves the API: passes plain HTTP requests to the handlers of the Lambda functions.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::response::Response;
use server::Memory;
use shared::App;
use shared::http::{Call, json, respond};
use shared::model::Timestamp;

use super::docs;
use crate::asset::{not_sniffed, serve};
use crate::commands::{LARGEST_RESPONSE, RESPONSES};
use crate::page::{self, Settings};

struct ApiSite {
    app: App,
    settings: Settings,
    memory: Memory,
}

pub(super) fn router(app: App, settings: Settings) -> Router {
    let site = ApiSite {
        app,
        settings,
        memory: Memory::new(RESPONSES),
    };
    Router::new().fallback(dispatch).with_state(Arc::new(site))
}

async fn dispatch(State(site): State<Arc<ApiSite>>, request: Request) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let call = Call::from_http(request.into_parts().0, Timestamp::now());
    let response = match path.strip_suffix('/').unwrap_or(&path) {
        users::PATH => {
            let response = async { users::handle(call, &site.app).await.map(Body::new) };
            Box::pin(site.memory.bound(LARGEST_RESPONSE, response)).await
        }
        response_statistics::PATH => {
            let response = async {
                response_statistics::handle(call, &site.app)
                    .await
                    .map(Body::new)
            };
            Box::pin(site.memory.bound(LARGEST_RESPONSE, response)).await
        }
        _ => match docs::asset(&path).or_else(|| page::asset(&path, &site.settings)) {
            Some(asset) => serve(asset, &call, &path).await,
            None => health(&call).await.map(Body::new),
        },
    };
    not_sniffed(response)
}

/// Serves `/health`; any other path is a 404.
async fn health(call: &Call) -> shared::http::Response {
    respond(call, "other", async {
        call.route("/health")?;
        json(&serde_json::json!({"status": "ok"}))
    })
    .await
}
