//! The embedded store: dynoxide on a port that only this process knows, and in front of it, on the
//! public address, a filter that refuses browsers. Dynoxide itself answers any web page's request.

mod folder;
mod listener;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use dynoxide::Database;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use shared::config::Tables;
use shared::store::Store;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) use folder::DataFolder;
pub(crate) use listener::{Listener, Server};

/// The store while it runs.
pub(crate) struct EmbeddedStore {
    filter: Server,
    stop: oneshot::Sender<()>,
    dynoxide: JoinHandle<Result<(), String>>,
}

#[derive(Clone)]
struct Upstream {
    address: SocketAddr,
    client: Client<HttpConnector, Body>,
}

impl EmbeddedStore {
    /// Opens the folder's database, or one in memory, and serves it.
    pub(crate) async fn start(
        public: Listener,
        folder: Option<&DataFolder>,
    ) -> Result<Self, String> {
        let database = match folder.map(DataFolder::database) {
            None => Database::memory()
                .map_err(|error| format!("cannot create a store in memory: {error}"))?,
            Some(path) => Database::new(&path.to_string_lossy())
                .map_err(|error| format!("cannot open {}: {error}", path.display()))?,
        };
        let private = Listener::bind("internal", "127.0.0.1:0").await?;
        let address = private.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let until = async {
            let _ = stopped.await;
        };
        let dynoxide = tokio::spawn(dynoxide::server::serve_with_shutdown(
            private.into_inner(),
            database,
            until,
        ));
        let client = Client::builder(TokioExecutor::new()).build_http();
        let filter = public.serve(
            Router::new()
                .fallback(forward)
                .with_state(Upstream { address, client }),
        );
        Ok(Self {
            filter,
            stop,
            dynoxide,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.filter.address()
    }

    /// A client of it, as any other, once its tables are there.
    pub(crate) async fn connect(&self) -> Result<Store, String> {
        let store = Store::at_endpoint(&format!("http://{}", self.address()), Tables::from_env());
        let created = store.create_missing_tables().await;
        created.map_err(|error| format!("the tables cannot be created: {error}"))?;
        Ok(store)
    }

    /// Ends the filter, then the database; each gets `patience` for what is under way.
    pub(crate) async fn stop(self, patience: Duration) {
        self.filter.stop(patience).await;
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(patience, self.dynoxide).await;
    }
}

async fn forward(State(upstream): State<Upstream>, mut request: Request) -> Response {
    if from_browser(request.headers()) {
        return refusal(
            StatusCode::FORBIDDEN,
            "AccessDeniedException",
            "this endpoint does not answer web pages",
        );
    }
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str());
    let uri = Uri::builder()
        .scheme("http")
        .authority(upstream.address.to_string())
        .path_and_query(path)
        .build();
    let Ok(uri) = uri else {
        return refusal(
            StatusCode::BAD_REQUEST,
            "ValidationException",
            "the request has no valid path",
        );
    };
    *request.uri_mut() = uri;
    match upstream.client.request(request).await {
        Ok(response) => response.map(Body::new),
        Err(_) => refusal(
            StatusCode::INTERNAL_SERVER_ERROR,
            "InternalServerError",
            "the embedded store has stopped",
        ),
    }
}

/// A page of another site names its `Origin`; one that had its own name point to this machine is
/// told by the `Host`.
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

fn refusal(status: StatusCode, code: &str, message: &str) -> Response {
    let body = serde_json::json!({ "__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": message });
    (
        status,
        [(CONTENT_TYPE, "application/x-amz-json-1.0")],
        body.to_string(),
    )
        .into_response()
}
