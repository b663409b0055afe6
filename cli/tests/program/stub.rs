//! A stub of DynamoDB that sends every request the same response and records what it received.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode};
use serde_json::{Value, json};

/// A running stub.
pub(crate) struct Stub {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

/// A request that the stub received.
#[derive(Clone)]
pub(crate) struct Received {
    pub(crate) operation: String,
    pub(crate) authorization: String,
    pub(crate) input: Value,
}

#[derive(Clone)]
struct Shared {
    response: Arc<dyn Fn() -> Response<Body> + Send + Sync>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Stub {
    /// Starts a stub that refuses every request with this code and message.
    pub(crate) fn refusing(code: &'static str, message: &'static str) -> Self {
        Self::start(move || refusal(code, message))
    }

    /// Starts a stub that responds with this document.
    pub(crate) fn responding(document: &'static str) -> Self {
        Self::start(move || Response::new(Body::from(document)))
    }

    fn start(response: impl Fn() -> Response<Body> + Send + Sync + 'static) -> Self {
        let shared = Shared {
            response: Arc::new(response),
            received: Arc::default(),
        };
        let received = Arc::clone(&shared.received);
        let url = serve(Router::new().fallback(respond).with_state(shared));
        Self { url, received }
    }

    /// Returns the requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

async fn respond(
    State(shared): State<Shared>,
    headers: HeaderMap,
    body: axum::body::Bytes,
) -> Response<Body> {
    let text = |name: &str| headers[name].to_str().unwrap().to_owned();
    let target = text("x-amz-target");
    shared.received.lock().unwrap().push(Received {
        operation: target.split_once('.').unwrap().1.to_owned(),
        authorization: text("authorization"),
        input: serde_json::from_slice(&body).unwrap(),
    });
    (shared.response)()
}

/// Returns DynamoDB's response to a request that it refuses.
pub(crate) fn refusal(code: &str, message: &str) -> Response<Body> {
    let kind = format!("com.amazonaws.dynamodb.v20120810#{code}");
    let document = json!({"__type": kind, "message": message});
    let mut response = Response::new(Body::from(document.to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

/// Serves the router until the tests end; returns its URL.
pub(crate) fn serve(router: Router) -> String {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            send.send(format!("http://{address}")).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
    });
    receive.recv().unwrap()
}
