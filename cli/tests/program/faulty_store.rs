//! An import into a store that throttles, leaves batches incomplete, changes between reads and writes, and
//! does not tell what it wrote; and into a store that is gone.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, request};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use crate::http::ClosedPort;
use crate::operator::Operator;
use crate::process::{error_line, only_line, output, output_of, succeeded};
use crate::stub::{refusal, serve};

/// A proxy before a store, which adds faults.
#[derive(Clone)]
pub(crate) struct Faulty {
    store: String,
    client: Client<HttpConnector, Body>,
    /// How often it received each operation, and caused each fault.
    counts: Arc<Mutex<BTreeMap<String, usize>>>,
    /// The first request of each operation, by the id that the SDK's attempts share.
    first: Arc<Mutex<BTreeMap<String, String>>>,
}

async fn respond(State(faulty): State<Faulty>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let target = head.headers["x-amz-target"].to_str().unwrap().to_owned();
    let operation = target.split_once('.').unwrap().1;
    let call = faulty.count(operation);
    if faulty.is_first(operation, &head) {
        return refusal("ProvisionedThroughputExceededException", "slow down");
    }
    let input: Value = serde_json::from_slice(&body).unwrap();
    match operation {
        "BatchWriteItem" => faulty.write_half(head, input).await,
        "BatchGetItem" => faulty.get_half(head, input).await,
        // Another program changed the item after it was read.
        "UpdateItem" if call.is_multiple_of(5) => {
            faulty.count(&format!(
                "conflict {}",
                input["TableName"].as_str().unwrap()
            ));
            refusal("ConditionalCheckFailedException", "it changed")
        }
        _ => faulty.forward(head, body).await,
    }
}

/// Lets another program write after each read.
async fn interfere(State(faulty): State<Faulty>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let is_read = head.headers["x-amz-target"] == "DynamoDB_20120810.BatchGetItem";
    let response = faulty.forward(head.clone(), body).await;
    if is_read {
        let at = "2020-01-01T00:00:00.000Z#r1";
        for (table, key, name, value) in [
            (
                "responses",
                json!({"shard": {"S": "acme#2"}, "at": {"S": at}}),
                "rating",
                json!({"N": "9"}),
            ),
            (
                "users",
                json!({"project": {"S": "acme"}, "userId": {"S": "007"}}),
                "email",
                json!({"S": "new@x"}),
            ),
        ] {
            let mut head = head.clone();
            head.headers.insert(
                "x-amz-target",
                "DynamoDB_20120810.UpdateItem".parse().unwrap(),
            );
            let update = json!({
                "TableName": table, "Key": key, "UpdateExpression": "SET #name = :value",
                "ExpressionAttributeNames": {"#name": name}, "ExpressionAttributeValues": {":value": value},
            });
            let updated = faulty.forward(head, update.to_string().into()).await;
            assert_eq!(updated.status(), 200);
        }
    }
    response
}

/// Writes, and fails each first time.
async fn lose_response(State(faulty): State<Faulty>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let is_write = head.headers["x-amz-target"] == "DynamoDB_20120810.UpdateItem";
    let response = faulty.forward(head, body).await;
    if is_write && response.status() == 200 {
        let mut failure = refusal("InternalServerError", "it may have worked");
        *failure.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        return failure;
    }
    response
}

/// Responds as if another program changed every user between a read and a write.
async fn conflict(State(faulty): State<Faulty>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    if head.headers["x-amz-target"] == "DynamoDB_20120810.UpdateItem" {
        return refusal("ConditionalCheckFailedException", "it changed");
    }
    let body = to_bytes(body, usize::MAX).await.unwrap();
    faulty.forward(head, body).await
}

impl Faulty {
    /// Starts the proxy before the operator's store; returns it with its URL.
    pub(crate) fn before(operator: &Operator) -> (Self, String) {
        let faulty = Self::of(operator);
        let router = Router::new().fallback(respond).with_state(faulty.clone());
        (faulty, serve(router))
    }

    fn of(operator: &Operator) -> Self {
        Self {
            store: operator.dynamodb(),
            client: Client::builder(TokioExecutor::new()).build_http(),
            counts: Arc::default(),
            first: Arc::default(),
        }
    }

    /// Returns whether this is an attempt of the first request of the operation.
    fn is_first(&self, operation: &str, head: &request::Parts) -> bool {
        let id = head.headers["amz-sdk-invocation-id"].to_str().unwrap();
        let mut first = self.first.lock().unwrap();
        first.entry(operation.to_owned()).or_insert(id.to_owned()) == id
    }

    /// Returns whether it caused this fault.
    pub(crate) fn has_caused(&self, fault: &str) -> bool {
        self.counts.lock().unwrap().contains_key(fault)
    }

    fn count(&self, name: &str) -> usize {
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry(name.to_owned()).or_default();
        *count += 1;
        *count
    }

    async fn write_half(&self, head: request::Parts, mut input: Value) -> Response<Body> {
        let tables = input["RequestItems"].as_object_mut().unwrap();
        let (table, requests) = tables.iter_mut().next().unwrap();
        let table = table.clone();
        let rest = second_half(requests.as_array_mut().unwrap());
        let response = self.forward(head, input.to_string().into()).await;
        assert_eq!(response.status(), 200);
        let unprocessed = rest.map(|rest| {
            self.count("incomplete write");
            json!({table: rest})
        });
        Response::new(Body::from(
            json!({"UnprocessedItems": unprocessed}).to_string(),
        ))
    }

    async fn get_half(&self, head: request::Parts, mut input: Value) -> Response<Body> {
        let tables = input["RequestItems"].as_object_mut().unwrap();
        let (table, request) = tables.iter_mut().next().unwrap();
        let (table, mut unprocessed) = (table.clone(), request.clone());
        let rest = second_half(request["Keys"].as_array_mut().unwrap());
        let response = self.forward(head, input.to_string().into()).await;
        let document = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let mut document: Value = serde_json::from_slice(&document).unwrap();
        if let Some(keys) = rest {
            self.count("incomplete read");
            unprocessed["Keys"] = json!(keys);
            document["UnprocessedKeys"] = json!({table: unprocessed});
        }
        Response::new(Body::from(document.to_string()))
    }

    async fn forward(&self, head: request::Parts, body: Bytes) -> Response<Body> {
        let mut request = axum::http::Request::post(&self.store);
        for name in [
            "x-amz-target",
            "x-amz-date",
            "authorization",
            "content-type",
        ] {
            request = request.header(name, &head.headers[name]);
        }
        let request = request.body(Body::from(body)).unwrap();
        self.client.request(request).await.unwrap().map(Body::new)
    }
}

/// Removes and returns the second half, if there are at least two elements.
fn second_half(list: &mut Vec<Value>) -> Option<Vec<Value>> {
    let rest = list.split_off(list.len().div_ceil(2));
    (!rest.is_empty()).then_some(rest)
}

/// Returns 150 records of eight users. The corrected version of a record has another rating.
fn records(correction: usize) -> String {
    let record = |n| {
        format!(
            r#"{{"id":"r{n}","created":"2020-01-01","rating":{},"user":{{"userId":"u{}","traits":{{"n":{n}}}}}}}"#,
            (n + correction) % 11,
            n % 8
        )
    };
    (0..150).map(record).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_record_is_imported_once_despite_throttling_incomplete_batches_and_conflicts() {
    let (operator, reference) = (Operator::new(), Operator::new());
    let (faulty, endpoint) = Faulty::before(&operator);
    for (correction, summary) in [
        (0, "150 written, 0 unchanged"),
        (0, "0 written, 150 unchanged"),
        (1, "150 written, 0 unchanged"),
    ] {
        operator.file("records.ndjson", records(correction));
        let mut command = operator.command("import responses records.ndjson --project acme");
        let output = output(command.env("AWS_ENDPOINT_URL_DYNAMODB", &endpoint));
        let expected = format!("responses: {summary}, 0 rejected\n");
        assert_eq!(succeeded(&output), expected);
        let line = "import responses - --project acme";
        succeeded(&reference.run_with_input(line, records(correction)));
        for kind in ["responses", "users"] {
            assert_eq!(operator.export(kind), reference.export(kind));
        }
    }
    assert_eq!(operator.figures("")["responses"], 150);
    for fault in ["incomplete read", "conflict users", "conflict responses"] {
        assert!(faulty.has_caused(fault), "{fault}");
    }
}

#[test]
fn what_another_program_writes_between_a_read_and_a_write_is_kept() {
    let operator = Operator::new();
    let record = |day, said: &str| {
        format!(r#"{{"id":"r{day}","created":"2020-01-0{day}","user":{{"userId":"007"{said}}}}}"#)
    };
    operator.file("newer.ndjson", record(2, ""));
    succeeded(&operator.run("import responses newer.ndjson --project acme"));
    operator.file(
        "older.ndjson",
        record(1, r#","email":"old@x","name":"Ann""#),
    );
    let router = Router::new().fallback(interfere);
    let endpoint = serve(router.with_state(Faulty::of(&operator)));
    let mut command = operator.command("import responses older.ndjson --project acme");
    let imported = output(command.env("AWS_ENDPOINT_URL_DYNAMODB", endpoint));
    assert_eq!(
        succeeded(&imported),
        "responses: 1 written, 0 unchanged, 0 rejected\n"
    );
    let responses = operator.export("responses").join("\n");
    assert!(
        responses.contains(r#""rating":9"#) && responses.matches("007").count() == 2,
        "{responses}"
    );
    let user = &operator.users()[0];
    assert_eq!([&user["email"], &user["name"]], ["new@x", "Ann"], "{user}");
}

#[test]
fn a_record_whose_acknowledgement_is_lost_is_found_to_be_written() {
    let operator = Operator::new();
    let router = Router::new().fallback(lose_response);
    let endpoint = serve(router.with_state(Faulty::of(&operator)));
    operator.file(
        "one.ndjson",
        r#"{"id":"r1","created":"2020-01-01","rating":9,"user":{"userId":"007","traits":{"n":1.50}}}"#,
    );
    let mut command = operator.command("import responses one.ndjson --project acme");
    let imported = output(command.env("AWS_ENDPOINT_URL_DYNAMODB", endpoint));
    assert_eq!(
        succeeded(&imported),
        "responses: 0 written, 1 unchanged, 0 rejected\n"
    );
    assert_eq!(operator.figures("")["responses"], 1);
    assert_eq!(operator.users()[0]["traits"]["n"], 1.5);
}

#[test]
fn two_imports_at_the_same_time_lose_nothing_of_each_other() {
    const RECORDS: usize = 400;
    let operator = Operator::new();
    let records = |said: &str| {
        let record = |n| format!(r#"{{"id":"r{n}","created":"2020-01-01",{said}}}"#);
        (0..RECORDS).map(record).collect::<Vec<_>>().join("\n")
    };
    operator.file("rated.ndjson", records(r#""rating":9"#));
    let user = r#""user":{"userId":"007","traits":{"plan":"pro"}}"#;
    operator.file("unrated.ndjson", records(user));
    let imports = ["rated", "unrated"].map(|file| {
        let mut command =
            operator.command(&format!("import responses {file}.ndjson --project acme"));
        command.spawn().unwrap()
    });
    for import in imports {
        succeeded(&output_of(import));
    }
    assert_eq!(
        operator.figures(" --filter plan=eq:pro")["responses"],
        RECORDS
    );
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn an_import_of_a_user_that_others_always_change_ends_with_the_reason() {
    let operator = Operator::new();
    let router = Router::new().fallback(conflict);
    let endpoint = serve(router.with_state(Faulty::of(&operator)));
    operator.file("user.ndjson", r#"{"userId":"007","created":"2020-01-01"}"#);
    let mut command = operator.command("import users user.ndjson --project acme");
    let line = error_line(&output(command.env("AWS_ENDPOINT_URL_DYNAMODB", endpoint)));
    assert!(line.contains("ten attempts"), "{line}");
}

#[test]
fn an_unreachable_store_ends_the_import_with_the_reason_while_standard_input_is_open() {
    let operator = Operator::new();
    let store = ClosedPort::reserve();
    let mut command = operator.command("import responses - --project acme");
    command.env(
        "AWS_ENDPOINT_URL_DYNAMODB",
        format!("http://{}", store.address()),
    );
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    // More than one chunk: the reader waits for the rest of the second one.
    let padding = "x".repeat(1000);
    let record =
        format!("{{\"created\":\"2020-01-01\",\"user\":{{\"traits\":{{\"x\":\"{padding}\"}}}}}}\n");
    stdin.write_all(record.repeat(2500).as_bytes()).unwrap();
    let line = only_line(&output_of(process));
    assert!(
        line.contains("run it again to continue: the store is unavailable"),
        "{line}"
    );
    drop(stdin);
}
