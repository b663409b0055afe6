//! Pages of any text: our decoder and the SDK's own see the same records in them.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use axum::body::Bytes;
use axum::http::HeaderMap;
use base64::Engine as _;
use http_body_util::BodyExt;
use proptest::collection::{hash_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use shared::App;
use shared::config::Tables;
use shared::store::Store;

use crate::support::{ask_statistics, ask_users, client_of, credential, filter, sha256};

type Item = HashMap<String, AttributeValue>;

/// What a store answers to Queries: texts and checksums, the last of them again and again.
#[derive(Default)]
struct Pages(Vec<(String, Option<u32>)>);

/// The address of a store that answers this to Queries of users and of the first shard.
async fn serve(pages: Pages) -> String {
    let pages = Arc::new(Mutex::new(pages));
    let answer = async move |headers: HeaderMap, body: Bytes| {
        let input: Value = serde_json::from_slice(&body).unwrap();
        let shard = input["ExpressionAttributeValues"][":shard"]["S"].as_str();
        let digest = input["Key"]["digest"]["S"].as_str();
        let (text, crc) = if headers["x-amz-target"]
            .to_str()
            .unwrap()
            .ends_with("GetItem")
        {
            let kind = if digest == Some(&sha256("any key")) {
                "read-key"
            } else {
                "account"
            };
            (credential(kind).to_string(), None)
        } else if shard.is_some_and(|shard| !shard.ends_with("#0")) {
            (r#"{"Items":[]}"#.to_owned(), None)
        } else {
            let mut pages = pages.lock().unwrap();
            if pages.0.len() > 1 {
                pages.0.remove(0)
            } else {
                pages.0[0].clone()
            }
        };
        let crc = crc.map(|crc| ("x-amz-crc32", crc.to_string()));
        (axum::response::AppendHeaders(crc), text)
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    format!("http://{address}")
}

fn app_at(address: &str) -> App {
    App::new(Store::at_endpoint(address, Tables::from_env()))
}

async fn body_of(answer: shared::http::Answer) -> Value {
    assert_eq!(answer.status(), 200);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
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

/// An item in which each of the attributes is there as often as not, and others are.
fn item(known: &'static [&'static str]) -> impl Strategy<Value = Item> {
    let names = prop_oneof![4 => prop::sample::select(known).prop_map(str::to_owned), 1 => name()];
    let map = hash_map(name(), value(), 0..4).prop_map(AttributeValue::M);
    let rating = (0..11_u8).prop_map(|rating| AttributeValue::N(rating.to_string()));
    hash_map(
        names,
        prop_oneof![3 => value(), 2 => map, 1 => rating],
        0..8,
    )
}

/// Writes JSON as nobody would: with escapes and spaces that `noise` decides about.
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

    /// The SDK knows no escapes in base64, and DynamoDB writes none.
    fn base64(&mut self, blob: &Blob) {
        let text = base64::engine::general_purpose::STANDARD.encode(blob);
        self.token(&format!("\"{text}\""));
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

    fn list<T>(
        &mut self,
        [open, close]: [&str; 2],
        list: impl IntoIterator<Item = T>,
        mut one: impl FnMut(&mut Self, T),
    ) {
        self.token(open);
        for (n, element) in list.into_iter().enumerate() {
            if n > 0 {
                self.token(",");
            }
            one(self, element);
        }
        self.token(close);
    }

    fn item(&mut self, item: &Item) {
        self.list(["{", "}"], item, |this, (name, value)| {
            this.string(name);
            this.token(":");
            this.value(value);
        });
    }

    fn value(&mut self, value: &AttributeValue) {
        self.token("{");
        let mut member = |kind: &str| {
            self.string(kind);
            self.token(":");
        };
        match value {
            AttributeValue::S(text) => (member("S"), self.string(text)),
            AttributeValue::N(digits) => (member("N"), self.string(digits)),
            AttributeValue::Bool(flag) => (member("BOOL"), self.token(&flag.to_string())),
            AttributeValue::Null(_) => (member("NULL"), self.token("true")),
            AttributeValue::B(blob) => (member("B"), self.base64(blob)),
            AttributeValue::M(members) => (member("M"), self.item(members)),
            AttributeValue::L(list) => (member("L"), self.list(["[", "]"], list, Self::value)),
            AttributeValue::Ss(list) => (
                member("SS"),
                self.list(["[", "]"], list, |this, text| this.string(text)),
            ),
            AttributeValue::Ns(list) => (
                member("NS"),
                self.list(["[", "]"], list, |this, text| this.string(text)),
            ),
            AttributeValue::Bs(list) => (member("BS"), self.list(["[", "]"], list, Self::base64)),
            _ => unreachable!(),
        };
        self.token("}");
    }
}

fn page(items: &[Item], noise: Vec<u8>) -> String {
    let mut renderer = Renderer {
        noise,
        at: 0,
        out: String::new(),
    };
    renderer.token("{\"Count\":7,\"Items\":");
    renderer.list(["[", "]"], items, Renderer::item);
    renderer.token(
        ",\"ConsumedCapacity\":{\"TableName\":\"t\",\"CapacityUnits\":0.5},\"ScannedCount\":7}",
    );
    renderer.out
}

/// The items as the SDK decodes them.
async fn decoded(address: &str) -> Vec<Item> {
    let query = client_of(address)
        .query()
        .table_name("t")
        .key_condition_expression("a = b");
    query.send().await.unwrap().items.unwrap()
}

fn present<'a>(item: &'a Item, name: &str) -> Option<&'a AttributeValue> {
    item.get(name).filter(|value| !value.is_null())
}

/// Displays, responses and dismissals where the trait `plan` contains `p`.
fn figures(items: &[Item]) -> [u64; 3] {
    let mut figures = [0; 3];
    for item in items {
        let rating = present(item, "rating").map(|value| {
            value
                .as_n()
                .ok()?
                .parse::<u8>()
                .ok()
                .filter(|rating| *rating <= 10)
        });
        let dismissed = present(item, "dismissed").map(|value| value.as_bool().ok());
        let plan = item
            .get("traits")
            .and_then(|traits| traits.as_m().ok()?.get("plan")?.as_s().ok());
        if rating == Some(None)
            || dismissed == Some(None)
            || !plan.is_some_and(|plan| plan.contains('p'))
        {
            continue;
        }
        figures[0] += 1;
        figures[1] += u64::from(rating.is_some());
        figures[2] += u64::from(rating.is_none() && dismissed == Some(Some(&true)));
    }
    figures
}

fn plain(value: &AttributeValue) -> Value {
    let number = |digits: &String| serde_json::from_str(digits).unwrap();
    let base64 = |blob: &Blob| base64::engine::general_purpose::STANDARD.encode(blob);
    match value {
        AttributeValue::S(text) => json!(text),
        AttributeValue::N(digits) => number(digits),
        AttributeValue::Bool(flag) => json!(flag),
        AttributeValue::L(list) => list.iter().map(plain).collect(),
        AttributeValue::M(map) => map
            .iter()
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        AttributeValue::B(blob) => json!(base64(blob)),
        AttributeValue::Ss(list) => json!(list),
        AttributeValue::Ns(list) => list.iter().map(number).collect(),
        AttributeValue::Bs(list) => list.iter().map(base64).collect(),
        _ => Value::Null,
    }
}

/// The members of a user that come from one attribute each.
fn user(item: &Item) -> Map<String, Value> {
    let mut user = Map::new();
    for name in ["id", "userId", "email", "name"] {
        if let Some(AttributeValue::S(text)) = item.get(name) {
            user.insert(name.to_owned(), json!(text));
        }
    }
    let flag = item
        .get("unsubscribed")
        .and_then(|flag| flag.as_bool().ok());
    user.insert("unsubscribed".to_owned(), json!(flag.unwrap_or(&false)));
    let traits = item.get("traits").filter(|traits| traits.is_m());
    user.insert("traits".to_owned(), traits.map_or(json!({}), plain));
    user
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

const RESPONSE: [&str; 3] = ["rating", "dismissed", "traits"];
const USER: [&str; 8] = [
    "id",
    "created",
    "lastSeen",
    "email",
    "name",
    "unsubscribed",
    "traits",
    "asOf",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, max_shrink_iters: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn statistics_are_those_of_the_items_that_the_sdk_decodes(items in vec(item(&RESPONSE), 0..8), noise in vec(any::<u8>(), 1..40)) {
        runtime().block_on(async {
            let text = page(&items, noise);
            let address = serve(Pages(vec![(text.clone(), Some(crc32fast::hash(text.as_bytes())))])).await;
            let sdk = decoded(&address).await;
            let query = format!("&startDate=2020-01-01{}", filter("plan", "contains", "p"));
            let answer = body_of(ask_statistics(&app_at(&address), &query).await).await;
            let found = &answer["data"][0]["attributes"];
            let found = ["displays", "responses", "dismissed"].map(|name| found[name].as_u64().unwrap());
            prop_assert_eq!(found, figures(&sdk), "{}", text);
            Ok(())
        })?;
    }

    #[test]
    fn users_are_the_items_that_the_sdk_decodes(items in vec(item(&USER), 0..6), noise in vec(any::<u8>(), 1..40)) {
        runtime().block_on(async {
            let mut items = items;
            for (n, item) in items.iter_mut().enumerate() {
                item.insert("userId".to_owned(), AttributeValue::S(format!("\"{n}\u{1F600}")));
            }
            let text = page(&items, noise);
            let address = serve(Pages(vec![(text.clone(), None)])).await;
            let expected: Vec<_> = decoded(&address).await.iter().map(user).collect();
            let mut answer = body_of(ask_users(&app_at(&address), "").await).await;
            let mut found: Vec<Map<String, Value>> = serde_json::from_value(answer["users"].take()).unwrap();
            for (found, expected) in found.iter_mut().zip(&expected) {
                found.retain(|name, _| expected.contains_key(name));
            }
            prop_assert_eq!(found, expected, "{}", text);
            Ok(())
        })?;
    }

    #[test]
    fn a_page_that_is_cut_or_followed_by_more_is_no_page(items in vec(item(&RESPONSE), 0..3), cut in any::<prop::sample::Index>()) {
        runtime().block_on(async {
            let text = page(&items, vec![1]);
            let cut = text.floor_char_boundary(cut.index(text.len()));
            for damaged in [text[..cut].to_owned(), text.clone() + "}", text + ","] {
                let address = serve(Pages(vec![(damaged.clone(), None)])).await;
                prop_assert_eq!(ask_statistics(&app_at(&address), "&startDate=2020-01-01").await.status(), 503, "{}", damaged);
            }
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn a_page_that_does_not_have_its_checksum_is_asked_for_again() {
    let text = r#"{"Items":[{"rating":{"N":"9"}}]}"#.to_owned();
    let crc = crc32fast::hash(text.as_bytes());
    let mended = Pages(vec![
        (text.clone(), Some(crc + 1)),
        (text.clone(), Some(crc)),
    ]);
    let app = app_at(&serve(mended).await);
    let answer = body_of(ask_statistics(&app, "&startDate=2020-01-01").await).await;
    assert_eq!(answer["data"][0]["attributes"]["displays"], 1);
    let app = app_at(&serve(Pages(vec![(text, Some(crc + 1))])).await);
    assert_eq!(
        ask_statistics(&app, "&startDate=2020-01-01").await.status(),
        503
    );
}

#[tokio::test]
async fn a_page_that_nests_without_end_is_no_page() {
    for damaged in [
        format!(r#"{{"Items":[{{"x":{}"#, "[".repeat(100_000)),
        format!(r#"{{"Items":[{{"x":{}"#, r#"{"M":{"x":"#.repeat(100_000)),
        r#"{"Items":[{"rating":{"N":"9"},}]}"#.to_owned(),
        r#"{"Items":[{"rating":{"N":9}}]}"#.to_owned(),
        r#"{"Items":[{"rating" {"N":"9"}}]}"#.to_owned(),
        r#"{"Items":[{"rating":{"N":"\x"}}]}"#.to_owned(),
        "{\"Items\":[{\"rating\":{\"S\":\"\n\"}}]}".to_owned(),
        r#"{"Items":[],"Count":01}"#.to_owned(),
        r#"{"Count":0}"#.to_owned(),
        "[]".to_owned(),
    ] {
        let app = app_at(&serve(Pages(vec![(damaged.clone(), None)])).await);
        let answer = ask_statistics(&app, "&startDate=2020-01-01").await;
        assert_eq!(
            answer.status(),
            503,
            "{}",
            &damaged[..damaged.len().min(60)]
        );
    }
}
