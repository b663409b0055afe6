//! An import into a store that throttles, does half of what it is asked, and changes under it.

use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode, request};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use crate::operator::{Operator, failed, succeeded};

/// Stands before a store.
#[derive(Clone)]
struct Faulty {
    store: String,
    client: Client<HttpConnector, Body>,
    calls: Arc<AtomicUsize>,
}

fn refused(code: &str) -> Response<Body> {
    let fault =
        json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "later"});
    let mut response = Response::new(Body::from(fault.to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}

async fn answer(State(faulty): State<Faulty>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let target = head.headers["x-amz-target"].to_str().unwrap().to_owned();
    let call = faulty.calls.fetch_add(1, Ordering::SeqCst);
    if call % 8 == 1 {
        return refused("ProvisionedThroughputExceededException");
    }
    let mut input: Value = serde_json::from_slice(&body).unwrap();
    match target.split_once('.').unwrap().1 {
        "BatchWriteItem" => {
            let left = half_of(input["RequestItems"]["responses"].as_array_mut().unwrap());
            let answer = faulty.forward(head, input.to_string().into()).await;
            assert_eq!(answer.status(), 200);
            Response::new(Body::from(
                json!({"UnprocessedItems": left.map(|left| json!({"responses": left}))})
                    .to_string(),
            ))
        }
        "BatchGetItem" => {
            let (table, asked) = input["RequestItems"]
                .as_object_mut()
                .unwrap()
                .iter_mut()
                .next()
                .unwrap();
            let mut left = asked.clone();
            let keys = half_of(asked["Keys"].as_array_mut().unwrap());
            let table = table.clone();
            let answer = faulty.forward(head, input.to_string().into()).await;
            let answer = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
            let mut answer: Value = serde_json::from_slice(&answer).unwrap();
            if let Some(keys) = keys {
                left["Keys"] = json!(keys);
                answer["UnprocessedKeys"] = json!({table: left});
            }
            Response::new(Body::from(answer.to_string()))
        }
        // Somebody else was faster.
        "UpdateItem" if call % 8 == 5 => refused("ConditionalCheckFailedException"),
        _ => faulty.forward(head, body).await,
    }
}

/// Takes the second half away, if there are two.
fn half_of(list: &mut Vec<Value>) -> Option<Vec<Value>> {
    let left = list.split_off(list.len().div_ceil(2));
    (!left.is_empty()).then_some(left)
}

impl Faulty {
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

/// The address of a faulty store before the operator's.
fn before(operator: &Operator) -> String {
    let (send, receive) = std::sync::mpsc::channel();
    let faulty = Faulty {
        store: operator.dynamodb(),
        client: Client::builder(TokioExecutor::new()).build_http(),
        calls: Arc::default(),
    };
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            send.send(format!("http://{}", listener.local_addr().unwrap()))
                .unwrap();
            axum::serve(listener, Router::new().fallback(answer).with_state(faulty))
                .await
                .unwrap();
        });
    });
    receive.recv().unwrap()
}

#[test]
fn every_record_arrives_once_through_throttling_half_done_batches_and_conflicts() {
    let operator = Operator::new();
    let record = |n| {
        format!(
            r#"{{"id":"r{n}","created":"2020-01-01","rating":{},"user":{{"userId":"u{}","traits":{{"n":{n}}}}}}}"#,
            n % 11,
            n % 8
        )
    };
    let records = (0..150).map(record).collect::<Vec<_>>().join("\n");
    operator.file("records.ndjson", &records);
    let endpoint = before(&operator);
    let import = || {
        let mut command = operator.command("import responses records.ndjson --project acme");
        command
            .env("AWS_ENDPOINT_URL_DYNAMODB", &endpoint)
            .output()
            .unwrap()
    };
    assert_eq!(
        succeeded(&import()),
        "responses: 150 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(
        succeeded(&import()),
        "responses: 0 written, 150 unchanged, 0 rejected\n"
    );
    assert_eq!(operator.figures("")["responses"], 150);
    let (responses, users) = (operator.export("responses"), operator.export("users"));
    let smooth = Operator::new();
    succeeded(&smooth.run_with_input("import responses - --project acme", records.as_bytes()));
    assert_eq!(
        (responses, users),
        (smooth.export("responses"), smooth.export("users"))
    );
}

#[test]
fn a_store_that_is_gone_ends_the_import_with_its_reason_though_more_could_come() {
    let operator = Operator::new();
    let mut command = operator.command("import responses - --project acme");
    let mut process = command
        .env("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = process.stdin.take().unwrap();
    // More than are written at a time: the reading waits for the rest of the next ones.
    let padding = "x".repeat(1000);
    let record =
        format!("{{\"created\":\"2020-01-01\",\"user\":{{\"traits\":{{\"x\":\"{padding}\"}}}}}}\n");
    stdin.write_all(record.repeat(1500).as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    let told = failed(&output, 1);
    assert!(
        told.contains("run it again to continue: the store is unavailable")
            && output.stdout.is_empty(),
        "{told}"
    );
    drop(stdin);
}
