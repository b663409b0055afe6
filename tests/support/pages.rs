//! Arbitrary pages of a Query, in unusual but valid JSON, and a store that serves them.

use std::collections::HashMap;
use std::fmt::Write;
use std::future::ready;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};
use service::App;
use test_support::stub::{self, Answer};

use super::{app_over, app_with, authenticated, empty};

/// An item as the SDK represents it.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// Returns the shard that a Query is for.
pub(crate) fn shard_of_query(input: &Value) -> Option<usize> {
    let shard = input["ExpressionAttributeValues"][":shard"]["S"].as_str();
    usize::from_str_radix(shard?.rsplit('#').next()?, 16).ok()
}

/// Makes a client of a store that responds with these pages, one after the other, to Queries of users and of
/// the first shard. The last one is repeated.
pub(crate) fn client_of_pages(pages: Vec<Answer>) -> Client {
    let count = AtomicUsize::new(0);
    let script = authenticated(move |input| {
        if let Some(1..) = shard_of_query(input) {
            return empty(input).into();
        }
        let before = count.fetch_add(1, Ordering::SeqCst);
        pages[before.min(pages.len() - 1)].clone()
    });
    stub::client(move |request| ready(script(&request)))
}

/// Makes the state of the handlers over a store that responds with this page to Queries of users and of the
/// first shard.
pub(crate) fn app_of_page(page: &str) -> App {
    app_with(&client_of_pages(vec![Answer::from(page.to_owned())]))
}

/// Makes the state of the handlers over a store whose first shards each have one page with these items, and the
/// others none.
pub(crate) fn app_of_shards<const N: usize>(items: [Vec<String>; N]) -> App {
    let pages = items.map(|items| Answer::from(format!(r#"{{"Items":[{}]}}"#, items.join(","))));
    app_over(move |input| {
        let page = pages.get(shard_of_query(input).unwrap()).cloned();
        page.unwrap_or_else(|| empty(input).into())
    })
}

/// Makes the request for a page of such a store.
pub(crate) fn query(client: &Client) -> QueryFluentBuilder {
    let query = client.query().table_name("t");
    query.key_condition_expression("a = b")
}

/// Returns the items as the SDK decodes them.
pub(crate) async fn decoded(client: &Client) -> Vec<Item> {
    query(client).send().await.unwrap().items.unwrap()
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c ]{0,6}",
        "[\u{0}-\u{7F}]{0,6}",
        ".{0,4}",
        Just("pro".to_owned()),
        Just("2026-01-02T03:04:05.678Z".to_owned()),
        Just("2026-01-02".to_owned()),
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        (-2..13).prop_map(|number: i32| number.to_string()),
        Just("12345678901234567890123456789012345678".to_owned()),
        Just("-0.00000000000000000000000000001".to_owned()),
        Just("9.5".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        4 => text().prop_map(AttributeValue::S),
        3 => number().prop_map(AttributeValue::N),
        2 => any::<bool>().prop_map(AttributeValue::Bool),
        1 => Just(AttributeValue::Null(true)),
        1 => vec(any::<u8>(), 0..5).prop_map(|bytes| AttributeValue::B(Blob::new(bytes))),
        1 => vec(text(), 1..3).prop_map(AttributeValue::Ss),
        1 => vec(number(), 1..3).prop_map(AttributeValue::Ns),
        1 => vec(vec(any::<u8>(), 0..5).prop_map(Blob::new), 1..3).prop_map(AttributeValue::Bs),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            hash_map(name(), inner, 0..4).prop_map(AttributeValue::M),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("plan".to_owned()),
        Just("a\"b".to_owned()),
        "[a-c\u{e9}\\\\]{1,3}"
    ]
}

/// Generates an item with some of the known attributes, and with others.
pub(crate) fn item(known: &'static str) -> impl Strategy<Value = Item> {
    let known: Vec<_> = known.split(' ').map(str::to_owned).collect();
    let names = prop_oneof![4 => prop::sample::select(known), 1 => name()];
    let map = hash_map(name(), value(), 0..4).prop_map(AttributeValue::M);
    let rating = (0..11_u8).prop_map(|rating| AttributeValue::N(rating.to_string()));
    let values = prop_oneof![3 => value(), 2 => map, 1 => rating];
    hash_map(names, values, 0..8)
}

/// Returns a value in DynamoDB's JSON.
fn json(value: &AttributeValue) -> Value {
    let base64 = |blob: &Blob| base64::engine::general_purpose::STANDARD.encode(blob);
    match value {
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::N(digits) => json!({"N": digits}),
        AttributeValue::Bool(flag) => json!({"BOOL": flag}),
        AttributeValue::Null(_) => json!({"NULL": true}),
        AttributeValue::B(blob) => json!({"B": base64(blob)}),
        AttributeValue::M(members) => json!({"M": members_of(members)}),
        AttributeValue::L(list) => json!({"L": list.iter().map(json).collect::<Value>()}),
        AttributeValue::Ss(list) => json!({"SS": list}),
        AttributeValue::Ns(list) => json!({"NS": list}),
        AttributeValue::Bs(list) => json!({"BS": list.iter().map(base64).collect::<Value>()}),
        _ => unreachable!(),
    }
}

/// Returns an item in DynamoDB's JSON.
pub(crate) fn members_of(item: &Item) -> Value {
    let members = item.iter().map(|(name, value)| (name.clone(), json(value)));
    Value::Object(members.collect())
}

/// Writes JSON with superfluous escapes and spaces, as `noise` decides.
struct Renderer {
    noise: Vec<u8>,
    at: usize,
    out: String,
}

impl Renderer {
    fn decide(&mut self, one_in: u8) -> bool {
        self.at += 1;
        self.noise[self.at % self.noise.len()].is_multiple_of(one_in)
    }

    fn token(&mut self, token: &str) {
        for space in [" ", "\n", "\t\r"] {
            if self.decide(9) {
                self.out.push_str(space);
            }
        }
        self.out.push_str(token);
    }

    fn string(&mut self, text: &str) {
        self.token("\"");
        for c in text.chars() {
            if c < ' ' || c == '"' || c == '\\' || self.decide(7) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(self.out, "\\u{unit:04x}").unwrap();
                }
            } else {
                self.out.push(c);
            }
        }
        self.out.push('"');
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.string(text),
            Value::Array(list) => {
                self.token("[");
                for (n, element) in list.iter().enumerate() {
                    self.token(if n > 0 { "," } else { "" });
                    self.value(element);
                }
                self.token("]");
            }
            Value::Object(members) => {
                self.token("{");
                for (n, (name, value)) in members.iter().enumerate() {
                    self.token(if n > 0 { "," } else { "" });
                    self.string(name);
                    self.token(":");
                    // The SDK does not decode escapes in base64 here, and DynamoDB writes none.
                    if name == "B" || name == "BS" {
                        self.token(&value.to_string());
                    } else {
                        self.value(value);
                    }
                }
                self.token("}");
            }
            other => self.token(&other.to_string()),
        }
    }
}

/// Renders a page with these items; `noise` decides about escapes and spaces.
pub(crate) fn page(items: &[Item], noise: Vec<u8>) -> String {
    let mut renderer = Renderer {
        noise,
        at: 0,
        out: String::new(),
    };
    renderer.value(&json!({
        "Count": items.len(), "ConsumedCapacity": {"TableName": "t", "CapacityUnits": 0.5}, "ScannedCount": 7,
        "Items": items.iter().map(members_of).collect::<Value>(),
    }));
    renderer.out
}
