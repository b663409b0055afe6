//! The recorded requests: one JSON object a line.
//!
//! - `why`: what the request is about;
//! - `op` and `body`: the operation and its JSON, with the headers of a signed request;
//! - `expect`: the status and the error of dynoxide's server, which are the service's as well;
//! - `save`: names for values of the response, by their JSON pointers.
//!
//! In bodies `⟦NAME⟧` stands for a saved value.

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use crate::support::Reply;

/// Names with their values.
pub(super) type Saved = Vec<(String, String)>;

#[derive(Debug)]
pub(super) struct Entry(Value);

/// The headers of a signed request.
pub(super) const HEADERS: [(&str, &str); 3] = [
    ("content-type", "application/x-amz-json-1.0"),
    (
        "authorization",
        "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c",
    ),
    ("x-amz-date", "20260101T000000Z"),
];

impl Entry {
    pub(super) fn parse(line: &str) -> Self {
        Self(serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    pub(super) fn of(operation: &str, body: &Value) -> Self {
        Self(json!({"op": operation, "body": body}))
    }

    /// Returns the name of the operation.
    pub(super) fn operation(&self) -> &str {
        self.0["op"].as_str().unwrap()
    }

    /// Returns the input of the operation.
    pub(super) fn input(&self) -> &Value {
        &self.0["body"]
    }

    /// Returns the recorded status and error, if there are any.
    pub(super) fn expected(&self) -> Option<&str> {
        self.0["expect"].as_str()
    }

    /// Returns the request to the server at this base.
    pub(super) fn request(&self, base: &str, saved: &[(String, String)]) -> Request<Bytes> {
        let target = format!("DynamoDB_20120810.{}", self.operation());
        let mut request = Request::post(base).header("x-amz-target", target);
        for (name, value) in HEADERS {
            request = request.header(name, value);
        }
        let mut body = self.input().to_string();
        for (name, value) in saved {
            body = body.replace(&format!("⟦{name}⟧"), value);
        }
        request.body(body.into()).unwrap()
    }

    pub(super) fn save(&self, reply: &Reply, saved: &mut Saved) {
        for (name, pointer) in self.0["save"].as_object().into_iter().flatten() {
            let response = reply.json();
            let value = response.pointer(pointer.as_str().unwrap());
            let value = value.and_then(Value::as_str).expect(name);
            saved.push((name.clone(), value.to_owned()));
        }
    }
}
