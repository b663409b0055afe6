//! Serves the API: passes plain HTTP requests to the handlers of the Lambda functions.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::response::Response;
use axum::{Extension, Router};
use futures_util::future::BoxFuture;
use model::Digest;
use server::{InFlight, Memory};
use service::error::Error;
use service::response::{json, respond};
use service::{App, Call, Host};

use super::docs;
use crate::asset::{not_sniffed, serve};
use crate::commands::{RESPONSES, no_room};
use crate::page::{self, Settings};

struct ApiSite {
    app: App,
    settings: Settings,
    memory: Arc<Memory<Digest>>,
}

/// The server as one request sees it.
struct ServeHost {
    in_flight: Arc<InFlight>,
    memory: Arc<Memory<Digest>>,
}

pub(super) fn router(app: App, settings: Settings) -> Router {
    let site = ApiSite {
        app,
        settings,
        memory: Arc::new(Memory::new(RESPONSES)),
    };
    Router::new().fallback(dispatch).with_state(Arc::new(site))
}

async fn dispatch(
    State(site): State<Arc<ApiSite>>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let mut call = Call::from_http(request.into_parts().0, service::now());
    call.host = Some(Box::new(ServeHost {
        in_flight,
        memory: site.memory.clone(),
    }));
    let response = match path.strip_suffix('/').unwrap_or(&path) {
        users::PATH => Box::pin(users::handle(call, &site.app))
            .await
            .map(Body::new),
        response_statistics::PATH => Box::pin(response_statistics::handle(call, &site.app))
            .await
            .map(Body::new),
        _ => match docs::asset(&path).or_else(|| page::asset(&path, &site.settings)) {
            Some(asset) => serve(asset, &call, &path),
            None => health(&call).await.map(Body::new),
        },
    };
    not_sniffed(response)
}

impl Host for ServeHost {
    fn take_room(&self, credential: Digest) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async move {
            let taken = self.memory.room(&self.in_flight, credential).await;
            taken.map_err(no_room)
        })
    }
}

/// Serves `/health`; any other path is a 404.
async fn health(call: &Call) -> service::response::Response {
    respond(call, "other", async {
        call.route("/health")?;
        json(&serde_json::json!({"status": "ok"}))
    })
    .await
}
