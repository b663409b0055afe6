//! Stores that fail: a stub that speaks DynamoDB's protocol, and a client that panics.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::config::http::HttpRequest;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use axum::Router;
use axum::extract::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use shared::App;
use shared::config::Tables;
use shared::http::{Call, Response};
use shared::model::Timestamp;
use shared::store::Store;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{STATISTICS, USERS, basic, client_of, sha256};

/// Makes the state of the handlers over the store at this URL.
pub(crate) fn app_at(url: &str) -> App {
    App::new(Store::new(&client_of(url), Tables::from_env(), None))
}

/// Makes the state of the handlers over the store at this URL, with the index `outcomes`.
pub(crate) fn indexed_app_at(url: &str) -> App {
    let index = Some("outcomes".to_owned());
    App::new(Store::new(&client_of(url), Tables::from_env(), index))
}

/// Makes the state of the handlers over a stub.
pub(crate) async fn app_over(script: impl Script) -> App {
    app_at(&stub_store(script).await)
}

/// What a stub responds with: a status and a body, given the operation's name, its input and the
/// number of requests before it.
pub(crate) trait Script:
    Fn(&str, &Value, usize) -> (u16, Value) + Clone + Send + Sync + 'static
{
}

impl<F: Fn(&str, &Value, usize) -> (u16, Value) + Clone + Send + Sync + 'static> Script for F {}

/// Starts a stub, and returns its URL.
pub(crate) async fn stub_store(script: impl Script) -> String {
    let requests = Arc::new(AtomicUsize::new(0));
    let respond = async move |request: Request| {
        let (operation, input) = operation(request).await;
        let (status, body) = script(&operation, &input, requests.fetch_add(1, Ordering::SeqCst));
        let status = http::StatusCode::from_u16(status).unwrap();
        (status, body.to_string())
    };
    format!("http://{}", listen(Router::new().fallback(respond)).await)
}

/// Returns the name and the input of the requested operation.
async fn operation(request: Request) -> (String, Value) {
    let target = request.headers()["x-amz-target"].to_str().unwrap();
    let operation = target.split_once('.').unwrap().1.to_owned();
    let input = request.into_body().collect().await.unwrap().to_bytes();
    (operation, serde_json::from_slice(&input).unwrap())
}

/// The operations that a stub was requested to run, as names and inputs.
#[derive(Clone, Default)]
pub(crate) struct Requests(Arc<Mutex<Vec<(String, Value)>>>);

impl Requests {
    /// Returns the inputs of the requests of this operation so far, in their order.
    pub(crate) fn of(&self, operation: &str) -> Vec<Value> {
        let requests = self.0.lock().unwrap();
        let of_operation = requests.iter().filter(|(name, _)| name == operation);
        of_operation.map(|(_, input)| input.clone()).collect()
    }
}

/// Makes the state of the handlers over a stub that records its requests.
pub(crate) async fn recording_app(script: impl Script) -> (App, Requests) {
    let (url, requests) = recording_store(script).await;
    (app_at(&url), requests)
}

/// Starts a stub that records its requests, and returns its URL.
pub(crate) async fn recording_store(script: impl Script) -> (String, Requests) {
    let requests = Requests::default();
    let recorded = requests.clone();
    let url = stub_store(move |operation: &str, input: &Value, count| {
        let request = (operation.to_owned(), input.clone());
        recorded.0.lock().unwrap().push(request);
        script(operation, input, count)
    })
    .await;
    (url, requests)
}

/// Starts a store that authenticates every secret and never responds to a Query. Returns its URL, and
/// reports each Query.
pub(crate) async fn silent_store() -> (String, UnboundedReceiver<()>) {
    let (sender, queries) = unbounded_channel();
    let respond = async move |request: Request| {
        let (operation, input) = operation(request).await;
        if operation == "GetItem" {
            return credential(&input).to_string();
        }
        sender.send(()).unwrap_or_default();
        std::future::pending().await
    };
    let address = listen(Router::new().fallback(respond)).await;
    (format!("http://{address}"), queries)
}

/// Serves this as long as the test runs, and returns its address.
pub(crate) async fn listen(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Returns the body with which DynamoDB reports this error.
pub(crate) fn fault(code: &str) -> Value {
    json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "secret inner workings"})
}

#[derive(Debug)]
struct Panics;

impl HttpConnector for Panics {
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
        panic!("an unforeseen fault");
    }
}

/// Makes the state of handlers that panic when they first use the store.
pub(crate) fn app_that_panics() -> App {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .http_client(http_client_fn(|_, _| SharedHttpConnector::new(Panics)))
        .build();
    App::new(Store::new(
        &aws_sdk_dynamodb::Client::from_conf(config),
        Tables::from_env(),
        None,
    ))
}

/// Returns the output of `GetItem` for a credential: for `any key` a Read Key of the project `p`, and
/// for any other secret an account that lists `p`.
pub(crate) fn credential(input: &Value) -> Value {
    credential_of(input["Key"]["digest"]["S"] == sha256("any key"))
}

/// Returns the output of `GetItem` for a Read Key of the project `p`, or for an account that lists it.
pub(crate) fn credential_of(is_key: bool) -> Value {
    let kind = if is_key { "read-key" } else { "account" };
    json!({"Item": {"kind": {"S": kind}, "project": {"S": "p"}, "username": {"S": "u"}, "projects": {"SS": ["p"]}}})
}

/// Makes the call of a plain HTTP request without a body that arrives now.
pub(crate) fn call(request: http::request::Builder) -> Call {
    let (parts, ()) = request.body(()).unwrap().into_parts();
    Call::from_http(parts, Timestamp::now())
}

/// Makes a call for the statistics of the project `p`; `query` follows `project=…` unencoded.
pub(crate) fn statistics_call(query: &str) -> Call {
    let request = http::Request::get(format!("{STATISTICS}?project=p{query}"));
    call(request.header("AuthKey", "any key"))
}

/// Makes a call for the users of the project `p`; `query` follows `project=…` unencoded.
pub(crate) fn users_call(query: &str) -> Call {
    let request = http::Request::get(format!("{USERS}?project=p{query}"));
    call(request.header("Authorization", basic("u", "any")))
}

/// Requests the statistics of the project `p`; `query` follows `project=…` unencoded.
pub(crate) async fn request_statistics(app: &App, query: &str) -> Response {
    response_statistics::handle(statistics_call(query), app).await
}

/// Requests the users of the project `p`; `query` follows `project=…` unencoded.
pub(crate) async fn request_users(app: &App, query: &str) -> Response {
    users::handle(users_call(query), app).await
}

/// Reads the whole body of a response.
pub(crate) async fn body_of(response: Response) -> String {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

/// A script: the first page of a list is served, and every later one fails.
pub(crate) fn fails_after_the_first_page(operation: &str, input: &Value, _: usize) -> (u16, Value) {
    match operation {
        "GetItem" => (200, credential(input)),
        _ if input["ExclusiveStartKey"].is_null() => {
            let key = json!({"project": {"S": "p"}, "userId": {"S": "a"}});
            (
                200,
                json!({"Items": [key], "Count": 1, "LastEvaluatedKey": key}),
            )
        }
        _ => (500, fault("InternalServerError")),
    }
}
