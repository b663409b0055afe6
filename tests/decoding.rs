//! Arbitrary pages: our decoder and the SDK's find the same records in them.

use crate::support::{
    Item, Operation, app_of_page, app_with, ask, check_statistics, client_of_pages, decoded, item,
    page, typed_filter,
};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use test_support::stub::Answer;

fn present<'a>(item: &'a Item, name: &str) -> Option<&'a AttributeValue> {
    item.get(name).filter(|value| !value.is_null())
}

/// A filter on the trait `plan`, and the traits that pass it.
type PlanFilter = (
    &'static str,
    &'static str,
    &'static str,
    fn(&AttributeValue) -> bool,
);

const PLAN_FILTERS: [PlanFilter; 3] = [
    ("string", "contains", "p", |plan| {
        plan.as_s().is_ok_and(|plan| plan.contains('p'))
    }),
    ("number", "gte", "9.5", |plan| {
        plan.as_n()
            .is_ok_and(|plan| plan.parse::<f64>().unwrap() >= 9.5)
    }),
    ("boolean", "eq", "false", |plan| {
        plan.as_bool() == Ok(&false)
    }),
];

/// Counts displays, responses and dismissals where the trait `plan` passes.
fn figures(items: &[Item], passes: fn(&AttributeValue) -> bool) -> [u64; 3] {
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
            .and_then(|traits| traits.as_m().ok()?.get("plan"));
        if rating == Some(None) || dismissed == Some(None) || !plan.is_some_and(passes) {
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

/// Returns the members of a user that are copied from one attribute each.
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

/// Makes a runtime of simulated time, in which the SDK does not pause between its attempts.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
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
    fn statistics_equal_those_of_the_items_that_the_sdk_decodes(
        items in vec(item(&RESPONSE), 0..8), noise in vec(any::<u8>(), 1..40),
        filter in prop::sample::select(&PLAN_FILTERS[..]),
    ) {
        runtime().block_on(async {
            let text = page(&items, noise);
            let client = client_of_pages(vec![Answer::from(text.clone()).checked()]);
            let (sdk, app) = (decoded(&client).await, app_with(&client));
            let (kind, operator, value, passes) = filter;
            let query = "startDate=2020-01-01".to_owned() + &typed_filter(kind, "plan", operator, value);
            let found = ask(&app, Operation::Statistics, &query).await.figures();
            let found = ["displays", "responses", "dismissed"].map(|name| found[name].as_u64().unwrap());
            prop_assert_eq!(found, figures(&sdk, passes), "{} {}", kind, text);
            Ok(())
        })?;
    }

    #[test]
    fn users_equal_the_items_that_the_sdk_decodes(items in vec(item(&USER), 0..6), noise in vec(any::<u8>(), 1..40)) {
        runtime().block_on(async {
            let mut items = items;
            for (n, item) in items.iter_mut().enumerate() {
                item.insert("userId".to_owned(), AttributeValue::S(format!("\"{n}\u{1F600}")));
            }
            let text = page(&items, noise);
            let client = client_of_pages(vec![Answer::from(text.clone())]);
            let expected: Vec<_> = decoded(&client).await.iter().map(user).collect();
            let reply = ask(&app_with(&client), Operation::Users, "").await;
            prop_assert_eq!(reply.status, 200);
            let mut found: Vec<Map<String, Value>> =
                serde_json::from_value(reply.json()["users"].take()).unwrap();
            for (found, expected) in found.iter_mut().zip(&expected) {
                found.retain(|name, _| expected.contains_key(name));
            }
            prop_assert_eq!(found, expected, "{}", text);
            Ok(())
        })?;
    }

    #[test]
    fn a_page_that_is_truncated_or_followed_by_more_fails_the_request(items in vec(item(&RESPONSE), 0..3), cut in any::<prop::sample::Index>()) {
        runtime().block_on(async {
            let text = page(&items, vec![1]);
            let cut = text.floor_char_boundary(cut.index(text.len()));
            for damaged in [text[..cut].to_owned(), text.clone() + "}", text + ","] {
                let reply = ask(&app_of_page(&damaged), Operation::Statistics, "").await;
                prop_assert_eq!(reply.status, 503, "{}", damaged);
            }
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn a_page_that_does_not_match_its_checksum_is_requested_again() {
    let page = Answer::from(r#"{"Items":[{"rating":{"N":"9"}}]}"#.to_owned());
    let damaged = page.clone().with_checksum(1);
    for (pages, answer) in [
        (vec![damaged.clone(), page.checked()], "1"),
        (vec![damaged], "503 unavailable"),
    ] {
        let app = app_with(&client_of_pages(pages));
        check_statistics(&app, &format!("format=json | {answer}")).await;
    }
}

#[tokio::test]
async fn members_of_a_page_that_are_unknown_are_ignored_whatever_they_hold() {
    let page = r#"{"Later":{"object":{},"list":[{"a":[]}],"text":"]}","flags":[true,false,null]},
        "ConsumedCapacity":{"TableName":"responses","Table":{"CapacityUnits":1},"CapacityUnits":1},
        "Items":[{"rating":{"N":"9"}}],"Count":1}"#;
    check_statistics(&app_of_page(page), "format=json | 1").await;
}

#[tokio::test]
async fn a_page_that_is_malformed_or_nests_too_deeply_fails_the_request() {
    let after_user_id = |member: &str| format!(r#"{{"Items":[{{"userId":{{"S":"a"}},{member}"#);
    for damaged in [
        after_user_id(r#""x":"#) + &"[".repeat(100_000),
        after_user_id(r#""x":"#) + &r#"{"M":{"x":"#.repeat(100_000),
        after_user_id(r#""traits":"#) + &r#"{"M":{"x":"#.repeat(100_000),
        after_user_id(r#""traits":"#) + &r#"{"L":["#.repeat(100_000),
        r#"{"Items":[{"rating":{"N":"9"},}]}"#.to_owned(),
        // Each operation reads one of these two attributes.
        after_user_id(r#""id":{"S":9},"rating":{"N":9}}]}"#),
        r#"{"Items":[{"rating" {"N":"9"}}]}"#.to_owned(),
        r#"{"Items":[{"rating":{"N":"\x"}}]}"#.to_owned(),
        "{\"Items\":[{\"rating\":{\"S\":\"\n\"}}]}".to_owned(),
        r#"{"Items":[],"Count":01}"#.to_owned(),
        r#"{"Count":0}"#.to_owned(),
        "[]".to_owned(),
    ] {
        for operation in Operation::ALL {
            let reply = ask(&app_of_page(&damaged), operation, "").await;
            let start = &damaged[..damaged.len().min(60)];
            assert_eq!(reply.status, 503, "{operation:?} {start}");
        }
    }
}
