//! Serves the API: passes plain HTTP requests to the handlers of the Lambda functions.

use std::sync::{Arc, LazyLock};

use auth::Digest;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use axum::http::{HeaderMap, HeaderValue};
use axum::{Extension, Router};
use futures_util::future::BoxFuture;
use server::{InFlight, Memory};
use service::error::Error;
use service::response::{Response, json, refuse, unlogged};
use service::{App, Call, Finished, Host};
use store::Store;

use super::metrics::RequestMetrics;
use super::{Options, REQUESTS, no_room};
use crate::asset::{Asset, not_sniffed, serve};
use crate::page::{self, Settings};

/// What all requests of the API share.
pub(super) struct ApiSite {
    app: App,
    settings: Settings,
    pub(super) memory: Memory<Digest>,
    pub(super) metrics: RequestMetrics,
}

/// The server as one request sees it.
struct ServeHost {
    in_flight: Arc<InFlight>,
    site: Arc<ApiSite>,
}

impl ApiSite {
    pub(super) fn new(options: &Options, store: Store, settings: Settings) -> Arc<Self> {
        let private_traits = options.private_traits.clone().unwrap_or_default();
        Arc::new(Self {
            app: App {
                private_traits,
                ..App::new(store)
            },
            settings,
            memory: Memory::new(REQUESTS),
            metrics: RequestMetrics::default(),
        })
    }

    pub(super) fn router(self: Arc<Self>) -> Router {
        Router::new().fallback(dispatch).with_state(self)
    }
}

async fn dispatch(
    State(site): State<Arc<ApiSite>>,
    Extension(in_flight): Extension<Arc<InFlight>>,
    request: Request,
) -> axum::response::Response {
    let path = request.uri().path().to_owned();
    let mut call = Call::from_http(request.into_parts().0, service::now());
    call.host = Some(Arc::new(ServeHost {
        in_flight,
        site: site.clone(),
    }));
    let response = match path.strip_suffix('/').unwrap_or(&path) {
        users::PATH => Box::pin(users::handle(call, &site.app)).await,
        response_statistics::PATH => Box::pin(response_statistics::handle(call, &site.app)).await,
        "/health" => unlogged(&call, health(&call, &site.app).await),
        "/openapi.yaml" => serve(description(&call.headers), &call, &path).await,
        _ => match page::asset(&path, &call.headers, &site.settings) {
            Some(asset) => serve(asset, &call, &path).await,
            None => refuse(&call, "other", Error::not_found()),
        },
    };
    not_sniffed(response).map(Body::new)
}

impl Host for ServeHost {
    fn take_room(&self, credential: Digest, megabytes: u32) -> BoxFuture<'_, Result<(), Error>> {
        let memory = &self.site.memory;
        Box::pin(async move {
            let taken = memory.room(&self.in_flight, credential, megabytes).await;
            taken.map_err(no_room)
        })
    }

    fn finished(&self, request: &Finished) {
        self.site.metrics.count(request);
    }
}

/// The description of the API for programs.
static DESCRIPTION: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../../../../../docs/openapi.yaml");
    Asset::kept("application/yaml", "max-age=600", text)
});

/// Returns the description, which programs of any origin may read, as the headers of the request accept it.
fn description(headers: &HeaderMap) -> Response {
    let mut response = DESCRIPTION.response(headers);
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// Says whether the tables can be read. Why they cannot is in the log alone, because everyone may ask.
async fn health(call: &Call, app: &App) -> Result<Response, Error> {
    call.route_of_file("/health")?;
    let (users, responses) = tokio::join!(app.store.check_users(), app.store.check_responses());
    if users.is_ok() && responses.is_ok() {
        return json(&serde_json::json!({"status": "ok"}));
    }
    let mut response = json(&serde_json::json!({"status": "unavailable", "reason": "tables"}))?;
    *response.status_mut() = axum::http::StatusCode::SERVICE_UNAVAILABLE;
    Ok(response)
}
