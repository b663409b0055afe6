//! The recorded requests: one JSON object a line.
//!
//! - `why`: what the request is about;
//! - `op` and `body`: the operation and its JSON, with the headers of a signed request;
//! - `method`, `path`, `headers`: others than those; null removes a header;
//! - `text` or `bytes` (in base64): another body;
//! - `expect`: the status and the error of dynoxide's server;
//! - `ours` and `because`: what the service responds instead, and the reason;
//! - `save`: names for values of the response, by their JSON pointers.
//!
//! In bodies and headers `⟦x 100⟧` stands for a hundred x, `"⟦L 100⟧"` and `"⟦M 100⟧"` for an attribute
//! value of a hundred lists or maps inside each other, and `⟦NAME⟧` for a saved value.

use base64::Engine as _;
use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use crate::support::Reply;

/// Names with their values.
pub(super) type Saved = Vec<(String, String)>;

#[derive(Debug)]
pub(super) struct Entry(Value);

const HEADERS: [(&str, &str); 3] = [
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

    pub(super) fn text(&self, member: &str) -> Option<&str> {
        self.0[member].as_str()
    }

    /// Returns the request to the server at this base.
    pub(super) fn request(&self, base: &str, saved: &[(String, String)]) -> Request<Bytes> {
        let mut headers: Vec<(String, String)> = HEADERS
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        if let Some(operation) = self.text("op") {
            let target = format!("DynamoDB_20120810.{operation}");
            headers.push(("x-amz-target".to_owned(), target));
        }
        for (name, value) in self.0["headers"].as_object().into_iter().flatten() {
            headers.retain(|(known, _)| known != name);
            if let Some(value) = value.as_str() {
                headers.push((name.clone(), expand(value, saved)));
            }
        }
        let request = Request::builder()
            .method(self.text("method").unwrap_or("POST"))
            .uri(base.to_owned() + self.text("path").unwrap_or("/"));
        let request = headers.into_iter().fold(request, |request, (name, value)| {
            request.header(name, value)
        });
        request.body(self.body(saved)).unwrap()
    }

    fn body(&self, saved: &[(String, String)]) -> Bytes {
        if let Some(bytes) = self.text("bytes") {
            let engine = base64::engine::general_purpose::STANDARD;
            return engine.decode(bytes).unwrap().into();
        }
        let text = match (self.text("text"), self.0.get("body")) {
            (Some(text), _) => text.to_owned(),
            (None, Some(body)) => body.to_string(),
            (None, None) => String::new(),
        };
        expand(&text, saved).into()
    }

    /// Returns the entries with another value in the place of one in the body, for each of them.
    pub(super) fn mutants(&self) -> Vec<Self> {
        let others = json!([null, true, 7, "x", ["x"], {"x": 7}]);
        let others = others.as_array().unwrap();
        let mutant = |pointer: &str, other: &Value| {
            let mut body = self.0["body"].clone();
            *body.pointer_mut(pointer).unwrap() = other.clone();
            Self::of(self.text("op").unwrap(), &body)
        };
        let places = pointers(&self.0["body"]);
        let mutants = places
            .iter()
            .flat_map(|place| others.iter().map(|other| mutant(place, other)));
        mutants.collect()
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

/// Returns the JSON pointers of all values in a value.
fn pointers(value: &Value) -> Vec<String> {
    let members: Vec<(String, &Value)> = match value {
        Value::Array(elements) => {
            let elements = elements.iter().enumerate();
            elements
                .map(|(index, value)| (index.to_string(), value))
                .collect()
        }
        Value::Object(members) => {
            let members = members.iter();
            members.map(|(name, value)| (name.clone(), value)).collect()
        }
        _ => Vec::new(),
    };
    let inner = members.into_iter().flat_map(|(name, value)| {
        let inner = pointers(value).into_iter();
        inner.map(move |rest| format!("/{name}{rest}"))
    });
    [String::new()].into_iter().chain(inner).collect()
}

fn expand(text: &str, saved: &[(String, String)]) -> String {
    let Some((before, rest)) = text.split_once('⟦') else {
        return text.to_owned();
    };
    let (name, after) = rest.split_once('⟧').unwrap();
    let (value, before, after) = match name.rsplit_once(' ') {
        Some((kind @ ("L" | "M"), levels)) => {
            let (before, after) = (before.strip_suffix('"'), after.strip_prefix('"'));
            (
                nested(kind, levels.parse().unwrap()),
                before.unwrap(),
                after.unwrap(),
            )
        }
        Some((text, times)) => (text.repeat(times.parse().unwrap()), before, after),
        None => {
            let value = saved.iter().find(|(known, _)| known == name).expect(name);
            (value.1.clone(), before, after)
        }
    };
    format!("{before}{value}{}", expand(after, saved))
}

fn nested(kind: &str, levels: usize) -> String {
    let (open, close) = match kind {
        "L" => (r#"{"L":["#, "]}"),
        _ => (r#"{"M":{"a":"#, "}}"),
    };
    open.repeat(levels) + r#"{"S":"x"}"# + &close.repeat(levels)
}
