//! Stores that fail: a stub that answers DynamoDB's protocol, and a client that panics.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

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

use super::{STATISTICS, USERS, basic, client_of};

/// What the stub answers: a status and a body, given the operation's name, its input and how many
/// calls came before.
pub(crate) type Script = fn(&str, &Value, usize) -> (u16, Value);

/// Makes the state of the handlers over the store at this address.
pub(crate) fn app_at(address: &str) -> App {
    App::new(Store::new(client_of(address), Tables::from_env()))
}

/// Makes the state of the handlers over a stub.
pub(crate) async fn app_over(script: Script) -> App {
    app_at(&stub_store(script).await)
}

/// Makes the call of a plain HTTP request without a body, which arrives now.
pub(crate) fn call(request: http::request::Builder) -> Call {
    let (parts, ()) = request.body(()).unwrap().into_parts();
    Call::from_http(parts, Timestamp::now())
}

/// Starts a stub, and gives its URL.
pub(crate) async fn stub_store(script: Script) -> String {
    let calls = Arc::new(AtomicUsize::new(0));
    let answer = async move |request: Request| {
        let target = request.headers()["x-amz-target"]
            .to_str()
            .unwrap()
            .to_owned();
        let input =
            serde_json::from_slice(&request.into_body().collect().await.unwrap().to_bytes())
                .unwrap();
        let (status, body) = script(
            target.split_once('.').unwrap().1,
            &input,
            calls.fetch_add(1, Ordering::SeqCst),
        );
        (
            http::StatusCode::from_u16(status).unwrap(),
            body.to_string(),
        )
    };
    format!("http://{}", listen(Router::new().fallback(answer)).await)
}

/// Serves this for as long as the test runs, and gives its address.
pub(crate) async fn listen(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

pub(crate) fn fault(code: &str) -> Value {
    json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "secret inner workings"})
}

#[derive(Debug)]
struct Panics;

impl HttpConnector for Panics {
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
        panic!("a fault that nobody foresaw");
    }
}

/// An application whose first question to the store panics.
pub(crate) fn app_that_panics() -> App {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .http_client(http_client_fn(|_, _| SharedHttpConnector::new(Panics)))
        .build();
    App::new(Store::new(
        aws_sdk_dynamodb::Client::from_conf(config),
        Tables::from_env(),
    ))
}

/// The credential that every key opens.
pub(crate) fn credential(kind: &str) -> Value {
    json!({"Item": {"kind": {"S": kind}, "project": {"S": "p"}, "username": {"S": "u"}, "projects": {"SS": ["p"]}}})
}

/// Asks for the statistics of the project `p`; `query` follows `project=…` as it is.
pub(crate) async fn ask_statistics(app: &App, query: &str) -> Response {
    let request = http::Request::get(format!("{STATISTICS}?project=p{query}"));
    response_statistics::handle(call(request.header("AuthKey", "any key")), app).await
}

/// Asks for the users of the project `p`; `query` follows `project=…` as it is.
pub(crate) async fn ask_users(app: &App, query: &str) -> Response {
    let request = http::Request::get(format!("{USERS}?project=p{query}"));
    users::handle(
        call(request.header("Authorization", basic("u", "any"))),
        app,
    )
    .await
}

/// A script: the first page of a list is there, and every later one fails.
pub(crate) fn fails_on_the_way(operation: &str, input: &Value, _: usize) -> (u16, Value) {
    match operation {
        "GetItem" => (200, credential("account")),
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
