//! Tests that the reads of the service are recognized, so that no change of a request makes them slow
//! unnoticed.

use std::mem;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::http::HttpRequest;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::body::SdkBody;
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use shared::App;
use shared::config::Tables;
use shared::http::Call;
use shared::model::Timestamp;
use shared::store::{LocalResponse, LocalStore, Store};

use super::query::{Range, Read, recognize, recognize_decoded};

/// Records requests. Authenticates every secret, and responds to each Query with two pages.
#[derive(Debug, Clone)]
struct Recorder {
    /// The kind of every credential.
    kind: &'static str,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl HttpConnector for Recorder {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").unwrap();
        let operation = target.split_once('.').unwrap().1.to_owned();
        let input: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        let response = self.response(&operation, &input).to_string();
        self.requests.lock().unwrap().push((operation, input));
        let status = 200.try_into().unwrap();
        HttpConnectorFuture::ready(Ok(HttpResponse::new(status, SdkBody::from(response))))
    }
}

impl Recorder {
    fn response(&self, operation: &str, input: &Value) -> Value {
        let values = &input["ExpressionAttributeValues"];
        let last = match input["TableName"].as_str().unwrap() {
            "users" => json!({"project": values[":project"], "userId": {"S": "007"}}),
            _ => json!({"shard": values[":shard"], "at": {"S": "2026-01-02T00:00:00.000Z#x"}}),
        };
        match operation {
            "GetItem" => json!({"Item": {
                "kind": {"S": self.kind}, "project": {"S": "p"}, "username": {"S": "u"},
                "projects": {"SS": ["p"]},
            }}),
            _ if input["ExclusiveStartKey"].is_null() => {
                json!({"Items": [last], "Count": 1, "LastEvaluatedKey": last})
            }
            _ => json!({"Items": [], "Count": 0}),
        }
    }
}

/// Recognizes Queries, but leaves them to the client.
#[derive(Debug, Default)]
struct Recognizer(Mutex<Vec<Option<Read>>>);

impl LocalStore for Recognizer {
    fn query(&self, query: &QueryInputBuilder) -> LocalResponse {
        self.0.lock().unwrap().push(recognize_decoded(query));
        Box::pin(async { None })
    }
}

/// Returns the requests that the service sends while it responds to one of its own, and what its Queries are
/// recognized as before they are sent.
async fn sent(path: &str, query: &str) -> (Vec<(String, Value)>, Vec<Option<Read>>) {
    let (kind, name, secret) = match path {
        users::PATH => ("account", "authorization", "Basic dTpwYXNzd29yZA=="),
        _ => ("read-key", "authkey", "a key of sixteen characters"),
    };
    let requests = Arc::default();
    let connector = SharedHttpConnector::new(Recorder {
        kind,
        requests: Arc::clone(&requests),
    });
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("local"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .http_client(http_client_fn(move |_, _| connector.clone()));
    let client = Client::from_conf(config.build());
    let recognizer = Arc::new(Recognizer::default());
    let store = Store::new(&client, Tables::from_env()).with_local(recognizer.clone());
    let app = App::new(store);
    let request = Request::get(format!("{path}?project=p{query}"));
    let request = request.header(name, secret).body(()).unwrap();
    let call = Call::from_http(request.into_parts().0, Timestamp::now());
    let response = match path {
        users::PATH => users::handle(call, &app).await.map(Body::new),
        _ => response_statistics::handle(call, &app).await.map(Body::new),
    };
    assert_eq!(response.status(), 200, "{path}{query}");
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await;
    assert!(body.is_ok());
    (
        mem::take(&mut requests.lock().unwrap()),
        mem::take(&mut recognizer.0.lock().unwrap()),
    )
}

/// Checks that all requests are recognized, by the service and at the public address, and that they are so
/// many Queries beside the one of the credential.
async fn recognizes_requests(path: &str, query: &str, queries: usize) {
    let (sent, mut decoded) = sent(path, query).await;
    assert_eq!(sent.len(), 1 + queries, "{sent:?}");
    for (operation, input) in sent {
        let recognized = recognize(&operation, &input.to_string());
        let Some(mut read) = recognized else {
            panic!("{operation} {input}");
        };
        if let Range::Page(range) = &mut read.range {
            range.projection = None;
            let read = Some(read);
            let same = decoded.iter().position(|decoded| *decoded == read);
            decoded.remove(same.expect("a Query is the same before it is sent"));
        }
    }
    assert_eq!(decoded, [], "no other Queries");
}

#[tokio::test]
async fn the_requests_of_statistics_are_recognized() {
    let period = "&startDate=2026-01-01&endDate=2026-02-01";
    recognizes_requests(response_statistics::PATH, period, 8).await;
    let filters: String = ["plan", "a.b"]
        .map(|name| {
            let filter = format!("&filters%5Buser.traits.string.{name}%5D");
            format!("{filter}%5Boperator%5D=eq{filter}%5Bvalue%5D=x")
        })
        .concat();
    recognizes_requests(
        response_statistics::PATH,
        &(period.to_owned() + &filters),
        8,
    )
    .await;
}

#[tokio::test]
async fn the_requests_of_lists_of_users_are_recognized() {
    recognizes_requests(users::PATH, "", 2).await;
    recognizes_requests(users::PATH, "&limit=3", 2).await;
}

#[tokio::test]
async fn the_request_of_one_user_is_recognized() {
    recognizes_requests(users::PATH, "&userId=007", 2).await;
}
