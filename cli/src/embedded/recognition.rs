//! Tests that the reads of the service are recognized, so that no change of a request makes them slow
//! unnoticed.

use std::mem;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::http::HttpRequest;
use aws_sdk_dynamodb::config::{BehaviorVersion, Config, Credentials, Region};
use aws_sdk_dynamodb::operation::query::builders::QueryInputBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ConditionalOperator, Select};
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

use super::engine::Engine;
use super::folder::DataFolder;
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

/// Answers every Query with an empty page.
#[derive(Debug)]
struct Empty;

impl LocalStore for Empty {
    fn query(&self, _: &QueryInputBuilder) -> LocalResponse {
        Box::pin(async { Some(br#"{"Items":[],"Count":0}"#.to_vec()) })
    }
}

/// Never answers a Query for a first page.
#[derive(Debug)]
struct Silent;

impl LocalStore for Silent {
    fn query(&self, query: &QueryInputBuilder) -> LocalResponse {
        match query.get_exclusive_start_key() {
            None => Box::pin(std::future::pending()),
            Some(_) => Box::pin(async { None }),
        }
    }
}

/// Returns the requests that the service, with this local store, sends while it responds to one of its own.
async fn sent(path: &str, query: &str, local: Arc<dyn LocalStore>) -> Vec<(String, Value)> {
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
    let store = Store::new(&client, Tables::from_env()).with_local(local);
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
    mem::take(&mut requests.lock().unwrap())
}

/// Checks that all requests are recognized, by the service and at the public address, and that they are so
/// many Queries beside the one of the credential.
async fn recognizes_requests(path: &str, query: &str, queries: usize) {
    let recognizer = Arc::new(Recognizer::default());
    let sent = sent(path, query, recognizer.clone()).await;
    let mut decoded = mem::take(&mut *recognizer.0.lock().unwrap());
    assert_eq!(sent.len(), 1 + queries, "{sent:?}");
    for (operation, input) in sent {
        let Some(mut read) = recognize(&operation, &input.to_string()) else {
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

#[tokio::test]
async fn what_a_local_store_answers_is_not_sent() {
    let sent = sent(users::PATH, "", Arc::new(Empty)).await;
    assert_eq!(sent.len(), 1, "the credential: {sent:?}");
}

#[tokio::test]
async fn a_query_is_sent_if_the_local_store_does_not_answer_in_time() {
    let sent = sent(users::PATH, "", Arc::new(Silent)).await;
    assert_eq!(sent.len(), 3, "{sent:?}");
}

#[tokio::test]
async fn the_engine_answers_the_queries_of_the_service_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Arc::new(DataFolder::open(folder.path()).unwrap());
    let engine = Engine::open(folder).unwrap();
    engine.connect().await.unwrap();
    let query = QueryInputBuilder::default()
        .table_name("users")
        .key_condition_expression("#project = :project")
        .expression_attribute_names("#project", "project")
        .expression_attribute_values(":project", AttributeValue::S("p".to_owned()));
    assert!(engine.query(&query).await.is_some());
    for other in [
        query.clone().index_name("index"),
        query.clone().filter_expression("#project = :project"),
        query.clone().scan_index_forward(false),
        query.clone().select(Select::Count),
        query.clone().attributes_to_get("project"),
        query.clone().conditional_operator(ConditionalOperator::Or),
        query.clone().limit(-1),
        query.clone().table_name("missing"),
    ] {
        assert_eq!(engine.query(&other).await, None, "{other:?}");
    }
}
