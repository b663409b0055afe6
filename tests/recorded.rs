//! Responses to requests without the parameters that were added later: byte for byte as recorded before, but for the
//! details of errors, which may change.
//!
//! Each line of the recording is a request to a service whose demo project has the seat reviews, and the
//! response, with `REQUEST-ID` in the place of the request's id.

use aws_sdk_dynamodb::types::AttributeValue;
use feedback::commands::serve::Service;
use serde_json::Value;

use crate::support::{Api, Project, map, n, options, s};

const RECORDING: &str = include_str!("recorded/response-statistics.ndjson");

/// Headers that differ between equal responses.
const VOLATILE: [&str; 5] = [
    "connection",
    "content-length",
    "date",
    "keep-alive",
    "x-request-id",
];

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Returns real ratings (tests/data/README.md), in the format of an export.
fn seat_reviews() -> Vec<Value> {
    let lines = include_str!("data/seat-reviews.ndjson").lines();
    lines.map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// Returns the traits of a record as attributes.
fn traits_of(record: &Value) -> Vec<(&str, AttributeValue)> {
    let traits = record["user"]["traits"].as_object().unwrap().iter();
    let attribute = |value: &Value| match value {
        Value::String(text) => s(text),
        Value::Bool(flag) => AttributeValue::Bool(*flag),
        Value::Number(number) => n(number),
        other => panic!("{other}"),
    };
    traits
        .map(|(name, value)| (name.as_str(), attribute(value)))
        .collect()
}

/// Starts a service whose demo project has the seat reviews, and no sample data.
async fn service() -> Service {
    let first_day = "2024-12-01".parse().unwrap();
    let service = Service::start(&options(), first_day).await.unwrap();
    let demo = Project::at(service.dynamodb_address().unwrap(), "demo").await;
    let records = seat_reviews();
    let items = records.iter().map(|record| {
        let [created, id] = ["created", "id"].map(|name| text(&record[name]));
        let mut item = demo.response_key(created, id).to_vec();
        item.push(("userId", s(text(&record["user"]["userId"]))));
        item.push(("traits", map(&traits_of(record))));
        let rating = record["rating"].as_u64();
        item.extend(rating.map(|rating| ("rating", n(rating))));
        item
    });
    demo.put_many("responses", items.collect()).await;
    service
}

/// Removes the texts of the details from a document.
fn without_details(body: &str) -> String {
    const DETAIL: &str = r#""detail":""#;
    let mut parts = body.split(DETAIL);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut is_escaped = false;
        let end = part.find(|c| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        text += DETAIL;
        text += &part[end.unwrap()..];
    }
    text
}

#[tokio::test]
async fn requests_without_the_newer_parameters_have_the_recorded_responses() {
    let service = service().await;
    let api = Api::at(service.api_address());
    let mut count = 0;
    for line in RECORDING.lines() {
        let recorded: Value = serde_json::from_str(line).unwrap();
        let sent = recorded["headers"].as_object().unwrap().iter();
        let sent: Vec<_> = sent.map(|(name, line)| (&**name, text(line))).collect();
        let method = text(&recorded["method"]).parse().unwrap();
        let target = text(&recorded["target"]);
        let reply = api.send(method, target, &sent).await;
        let headers = reply.headers.iter();
        let headers = headers.map(|(name, line)| (name.as_str(), line.to_str().unwrap()));
        let headers: Value = headers
            .filter(|(name, _)| !VOLATILE.contains(name))
            .collect();
        assert_eq!(reply.status.as_u16(), recorded["status"], "{target}");
        assert_eq!(headers, recorded["response_headers"], "{target}");
        let body = reply.text().replace(reply.request_id(), "REQUEST-ID");
        let [found, expected] = [body.as_str(), text(&recorded["body"])].map(without_details);
        assert_eq!(found, expected, "{target}");
        count += 1;
    }
    assert_eq!(count, 69);
}
