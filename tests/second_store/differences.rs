//! Where moto is known to differ from the embedded store, which follows AWS's documentation here. The
//! project relies on none of what moto leaves out. A difference that disappears fails the test, so that the
//! list stays true.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};

use super::session::Session;
use super::stores;

/// The users of 60,000 bytes in the project: more than a page holds.
const PAGED: usize = 40;

fn put(user_id: &str, attribute: &Value) -> Value {
    let item = json!({"project": {"S": "differing"}, "userId": {"S": user_id}, "x": attribute});
    json!({"TableName": "users", "Item": item})
}

fn query(projection: Option<&str>) -> Value {
    let mut query = json!({
        "TableName": "users", "KeyConditionExpression": "#p = :p", "ExpressionAttributeNames": {"#p": "project"},
        "ExpressionAttributeValues": {":p": {"S": "differing"}},
    });
    if let Some(projection) = projection {
        query["ProjectionExpression"] = json!(projection);
        query["ExpressionAttributeNames"]["#x"] = json!("x");
    }
    query
}

/// Returns a Query of responses whose first bound is after its second.
fn reversed() -> Value {
    json!({
        "TableName": "responses", "KeyConditionExpression": "#s = :s AND #a BETWEEN :from AND :to",
        "ExpressionAttributeNames": {"#s": "shard", "#a": "at"},
        "ExpressionAttributeValues": {":s": {"S": "differing#0"}, ":from": {"S": "2027"}, ":to": {"S": "2026"}},
    })
}

fn batch(size: usize) -> Value {
    let put = |number: usize| json!({"PutRequest": {"Item": put(&format!("batch-{number}"), &json!({"S": ""}))["Item"]}});
    json!({"RequestItems": {"users": (0..size).map(put).collect::<Vec<_>>()}})
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!({"S": "x"}), |inner, _| json!({"L": [inner]}))
}

/// Returns what the stores answer differently: a name, the operation and its input, what is compared of an
/// output (the value at this JSON pointer; of an error it is the type), and what it is in the embedded
/// store and in moto.
fn differences() -> Value {
    let number = json!({"project": {"S": "differing"}, "userId": {"S": "number"}});
    let (invalid, nested) = ("ValidationException", nested(40));
    json!([
        ["a number is returned as it was written", "GetItem", {"TableName": "users", "Key": number}, "/Item/x/N", "100", "1e2"],
        ["a number may have more than 38 digits", "PutItem", put("a", &json!({"N": "1".repeat(39)})), "", invalid, "{}"],
        ["a number may exceed the magnitude", "PutItem", put("a", &json!({"N": "1e126"})), "", invalid, "{}"],
        ["values may be nested deeper than 32 levels", "PutItem", put("a", &nested), "", invalid, "{}"],
        ["the bounds of a range may be in the wrong order", "Query", reversed(), "/Count", invalid, "0"],
        ["paths of a projection may overlap", "Query", query(Some("#x, #x.y")), "/ScannedCount", invalid, "16"],
        ["a batch may have more than 25 requests", "BatchWriteItem", batch(26), "/UnprocessedItems", invalid, "{}"],
        ["a page ends at a million bytes instead of 1 MB", "Query", query(None), "/Count", "17", "16"],
    ])
}

/// Sends a request to the store at this URL, and returns what is compared of the response.
async fn outcome(endpoint: &str, operation: &str, input: &Value, of: &str) -> String {
    let authorization = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";
    let request = Request::post(endpoint)
        .header("Content-Type", "application/x-amz-json-1.0")
        .header("X-Amz-Target", format!("DynamoDB_20120810.{operation}"))
        .header("X-Amz-Date", "20260101T000000Z")
        .header("Authorization", authorization)
        .body(Full::new(Bytes::from(input.to_string())))
        .unwrap();
    let client = Client::builder(TokioExecutor::new()).build_http();
    let body = client.request(request).await.unwrap().into_body();
    let body = body.collect().await.unwrap().to_bytes();
    let body: Value = serde_json::from_slice(&body).unwrap();
    match body["__type"].as_str() {
        Some(error) => error.rsplit('#').next().unwrap().to_owned(),
        None => match body.pointer(of).unwrap() {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        },
    }
}

#[tokio::test]
#[ignore = "needs moto at OTHER_DYNAMODB"]
async fn moto_differs_from_the_embedded_store_as_listed_in_another_store() {
    let stores = stores();
    for store in &stores {
        Session::over(store.clone()).run("tables create", "");
        outcome(store, "PutItem", &put("number", &json!({"N": "1e2"})), "").await;
        for number in 0..PAGED {
            let padding = json!({"S": "x".repeat(60_000)});
            outcome(
                store,
                "PutItem",
                &put(&format!("{number:02}"), &padding),
                "",
            )
            .await;
        }
    }
    for it in differences().as_array().unwrap() {
        let [operation, of] = [1, 3].map(|member| it[member].as_str().unwrap());
        for (store, expected) in stores.iter().zip([&it[4], &it[5]]) {
            let found = outcome(store, operation, &it[2], of).await;
            assert_eq!(found, *expected, "{} at {store}", it[0]);
        }
    }
}
