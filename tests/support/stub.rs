//! Stubs of the store that listen, and calls of the project `p`, which they have.

use http_body_util::BodyExt;
use items::TableNames;
use serde_json::{Value, json};
use service::App;
use service::Call;
use service::response::Response;
use store::Store;
use test_support::client_of;
use test_support::stub::{self, Recorder, Request, credential};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::app_at;
use super::apps::Script;

/// Makes the state of the handlers over the store at this URL, with the index `outcomes`.
pub(crate) fn indexed_app_at(url: &str) -> App {
    let index = Some("outcomes".to_owned());
    App::new(Store::of_dynamodb(
        &client_of(url),
        TableNames::default(),
        index,
    ))
}

/// Starts a stub that records its requests.
pub(crate) fn recording_store(script: impl Script) -> Recorder {
    Recorder::start(move |request, count| script(&request.operation, &request.input, count))
}

/// Starts a stub, and returns its URL.
pub(crate) fn stub_store(script: impl Script) -> String {
    recording_store(script).url().to_owned()
}

/// Makes the state of the handlers over a stub that records its requests.
pub(crate) fn recording_app(script: impl Script) -> (App, Recorder) {
    let store = recording_store(script);
    (app_at(store.url()), store)
}

/// Starts a store that authenticates every secret and never responds to a Query. Returns its URL, and
/// reports each Query.
pub(crate) fn silent_store() -> (String, UnboundedReceiver<()>) {
    let (sender, queries) = unbounded_channel();
    let url = stub::start(async move |request: Request| {
        if request.operation == "GetItem" {
            return credential(&request.input);
        }
        sender.send(()).unwrap_or_default();
        std::future::pending().await
    });
    (url, queries)
}

/// Returns the body with which DynamoDB reports this error.
pub(crate) fn fault(code: &str) -> Value {
    json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "secret inner workings"})
}

/// Makes the call of a plain HTTP request without a body that arrives now.
pub(crate) fn call(request: http::request::Builder) -> Call {
    let (parts, ()) = request.body(()).unwrap().into_parts();
    Call::from_http(parts, service::now())
}

/// Reads the whole body of a response.
pub(crate) async fn body_of(response: Response) -> String {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

/// A script: the first page of a list is served, and every later one is refused, which the SDK does not
/// repeat.
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
        _ => (400, fault("AccessDeniedException")),
    }
}
