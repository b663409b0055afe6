//! A store that responds to every Query with the same page, and authorizes every credential. It differs from
//! `test_support::stub` for speed: it parses no Query, unless a target asks for the latest one.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::http::{HttpRequest, HttpResponse};
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_types::body::SdkBody;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

/// A page of responses and users alike, with traits of each type.
pub const PAGE: &[u8] = br#"{"Items":[
    {"userId":{"S":"a"},"at":{"S":"2012-01-01T00:00:00.000Z#a"},"rating":{"N":"9"},"traits":{"M":{"a":{"S":"x"},"b":{"BOOL":true}}}},
    {"userId":{"S":"b"},"at":{"S":"2012-01-02T00:00:00.000Z#b"},"dismissed":{"BOOL":true},"traits":{"M":{"a":{"N":"-0.5"}}}},
    {"userId":{"S":"c"},"at":{"S":"2012-01-03T00:00:00.000Z#c"},"traits":{"M":{"a":{"BOOL":false},"plan":{"S":"pro"}}}}]}"#;

/// An item as the SDK decodes it.
pub type Item = HashMap<String, AttributeValue>;

/// The response to a Query.
static RESPONSE: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// The request of the latest Query.
static QUERY: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The runtime of all targets.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
});

/// Runs a future on the runtime of all targets.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.block_on(future)
}

/// The HTTP client of the store.
#[derive(Debug)]
struct Responses;

impl HttpConnector for Responses {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let input = request.body().bytes().expect("requests are not streamed");
        let body = if target.ends_with("GetItem") {
            credential(input)
        } else {
            input.clone_into(&mut locked(&QUERY));
            locked(&RESPONSE).clone()
        };
        let status = 200.try_into().expect("200 is a status");
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(body))))
    }
}

/// Returns the response to a `GetItem` of a credential.
fn credential(input: &[u8]) -> Vec<u8> {
    let input: Value = serde_json::from_slice(input).expect("the SDK sends JSON");
    let mut item = input["Key"].clone();
    item["projects"] = json!({"SS": ["p"]});
    item["may"] = json!({"SS": ["users", "statistics"]});
    item["username"] = json!({"S": "u"});
    json!({"Item": item}).to_string().into_bytes()
}

fn locked(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().expect("a lock that no panic poisoned")
}

/// Makes a client of the store.
pub(crate) fn client() -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("us-east-1"))
        .credentials_provider(Credentials::new("a", "b", None, None, "fuzz"))
        .retry_config(RetryConfig::disabled())
        .http_client(http_client_fn(move |_, _| {
            SharedHttpConnector::new(Responses)
        }))
        .build();
    Client::from_conf(config)
}

/// Makes the store respond to every Query with this page.
pub(crate) fn set_page(page: &[u8]) {
    page.clone_into(&mut locked(&RESPONSE));
}

/// Returns the request of the latest Query.
pub fn last_query() -> Value {
    serde_json::from_slice(&locked(&QUERY)).expect("the SDK sends JSON")
}

/// Returns the items of a page as the SDK decodes them, or `None` if it refuses the page.
pub fn decoded(page: &[u8]) -> Option<Vec<Item>> {
    static CLIENT: LazyLock<Client> = LazyLock::new(client);
    set_page(page);
    let query = CLIENT
        .query()
        .table_name("t")
        .key_condition_expression("a = b");
    block_on(query.send()).ok()?.items
}
