//! The embedded store: dynoxide on a port that only this process knows, and in front of it, on the
//! public address, a filter that refuses browsers. Dynoxide itself serves requests of any web page.

mod folder;
mod listener;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, anyhow};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use dynoxide::Database;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::store::AdminStore;

pub(crate) use folder::DataFolder;
pub(crate) use listener::{Listener, Responder, Server};

/// The time in which a client must send the whole body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// A running store.
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
    /// Opens the database of the folder, or one in memory, and serves it.
    pub(crate) async fn start(
        public: Listener,
        folder: Option<&DataFolder>,
    ) -> anyhow::Result<Self> {
        let database = match folder.map(DataFolder::database) {
            None => Database::memory()
                .map_err(|error| anyhow!("cannot create a database in memory: {error}"))?,
            Some(path) => Database::new(&path.to_string_lossy())
                .map_err(|error| anyhow!("cannot open {}: {error}", path.display()))?,
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
        let filter = public.serve(Responder {
            router: Router::new()
                .fallback(forward)
                .with_state(Upstream { address, client }),
            malformed: || {
                let message = "this is not a valid HTTP request, or its head is too long";
                refusal(StatusCode::BAD_REQUEST, "ValidationException", message)
            },
        });
        Ok(Self {
            filter,
            stop,
            dynoxide,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.filter.address()
    }

    /// Connects to the public address, and creates the tables that do not exist.
    pub(crate) async fn connect(&self) -> anyhow::Result<AdminStore> {
        let store = AdminStore::at_endpoint(&format!("http://{}", self.address()));
        let created = store.create_missing_tables().await;
        created.context("cannot create the tables")?;
        Ok(store)
    }

    /// Stops the filter, then the database. Waits at most `limit` for the requests in flight of each.
    pub(crate) async fn stop(self, limit: Duration) {
        self.filter.stop(limit).await;
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(limit, self.dynoxide).await;
    }
}

async fn forward(State(upstream): State<Upstream>, mut request: Request) -> Response<Body> {
    if from_browser(request.headers()) {
        let message = "this endpoint does not serve web pages";
        return refusal(StatusCode::FORBIDDEN, "AccessDeniedException", message).map(Body::from);
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
        let message = "the request has no valid path";
        return refusal(StatusCode::BAD_REQUEST, "ValidationException", message).map(Body::from);
    };
    *request.uri_mut() = uri;
    let Some(request) = whole(request).await else {
        let message = "the request has no whole body of at most 16 MB";
        return refusal(StatusCode::BAD_REQUEST, "ValidationException", message).map(Body::from);
    };
    let Ok(response) = upstream.client.request(request).await else {
        let message = "the embedded store has stopped";
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        return refusal(status, "InternalServerError", message).map(Body::from);
    };
    response.map(Body::new)
}

/// Reads the body, so that a client that never completes it does not hold a connection to the store.
async fn whole(request: Request) -> Option<Request> {
    const MAX: usize = 16 << 20;
    let (head, body) = request.into_parts();
    let body = tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(body, MAX)).await;
    Some(Request::from_parts(head, Body::from(body.ok()?.ok()?)))
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
