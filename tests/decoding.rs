//! Arbitrary pages: our decoder and the SDK's find the same records in them.

use crate::support::{
    Item, Operation, app_of_page, app_of_script, app_with, ask, check_statistics, client_of_pages,
    credential, decoded, empty, item, page, respond,
};
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine as _;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use service::response::buffered;
use test_support::stub::Answer;

fn plain(value: &AttributeValue) -> Value {
    let number = |digits: &String| serde_json::from_str(digits).unwrap();
    let base64 = |blob: &Blob| base64::engine::general_purpose::STANDARD.encode(blob);
    match value {
        AttributeValue::S(text) => json!(text),
        AttributeValue::N(digits) => number(digits),
        AttributeValue::Bool(flag) => json!(flag),
        AttributeValue::L(list) => list.iter().map(plain).collect(),
        AttributeValue::M(map) => {
            let members = map.iter().map(|(name, value)| (name.clone(), plain(value)));
            members.collect()
        }
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
    let flag = item.get("unsubscribed");
    let flag = flag.and_then(|flag| flag.as_bool().ok());
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

const RESPONSE: &str = "rating dismissed traits";
const USER: &str = "id created lastSeen email name unsubscribed traits";

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, max_shrink_iters: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn users_equal_the_items_that_the_sdk_decodes(items in vec(item(USER), 0..6), noise in vec(any::<u8>(), 1..40)) {
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
    fn a_page_that_is_truncated_fails_the_request(items in vec(item(RESPONSE), 0..3), cut in any::<prop::sample::Index>()) {
        runtime().block_on(async {
            let text = page(&items, vec![1]);
            let damaged = &text[..text.floor_char_boundary(cut.index(text.len()))];
            let reply = ask(&app_of_page(damaged), Operation::Statistics, "").await;
            prop_assert_eq!(reply.status, 503, "{}", damaged);
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
    let page = r#"{"Later":{"object":{},"list" : [ {"a":[]} , -2.5e+3 ],"text":"]}\"é\u00e9\ud83d\ude00","flags":[true,false,null]},
        "ConsumedCapacity":{"TableName":"responses","Table":{"CapacityUnits":1},"CapacityUnits":1},
        "Items":[{"rating":{"N":"9"}}],"Count":1}"#;
    check_statistics(&app_of_page(page), "format=json | 1").await;
}

/// Checks the statuses of statistics and of users over this page.
async fn assert_statuses(page: &str, expected: [u16; 2]) {
    let operations = [Operation::Statistics, Operation::Users];
    for (operation, status) in operations.into_iter().zip(expected) {
        let reply = ask(&app_of_page(page), operation, "").await;
        let start = page.get(..300).unwrap_or(page);
        assert_eq!(reply.status, status, "{operation:?} {start}");
    }
}

#[tokio::test]
async fn a_member_of_a_page_that_is_unknown_is_json_of_less_than_128_levels() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let page = |value: &str| format!("{{\"Items\":[],\r\n\"Later\":\t{value}}}");
    for value in ["0", &format!("[{0},{0}]", nested(126))] {
        assert_statuses(&page(value), [200; 2]).await;
    }
    let malformed = "[1,] [1[]] {a:1} {\"a\"} {\"a\":} \"\\ud800\" 1. - tru nul \u{a0}1";
    for value in malformed.split(' ').chain(["", &nested(128)]) {
        assert_statuses(&page(value), [503; 2]).await;
    }
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
        r#"{"Items":[],"Count":1}"#.to_owned(),
        r#"{"Count":1,"Items":[{"userId":{"S":"a"}},{"userId":{"S":"b"}}]}"#.to_owned(),
        r#"{"Items":[],"Items":[]}"#.to_owned(),
        r#"{"Items":[],"Count":1,"Items":[]}"#.to_owned(),
        r#"{"Items":[],"LastEvaluatedKey":{},"LastEvaluatedKey":{}}"#.to_owned(),
        r#"{"Items":[]}}"#.to_owned(),
        r#"{"Items":[]},"#.to_owned(),
        "[]".to_owned(),
    ] {
        assert_statuses(&damaged, [503; 2]).await;
    }
    // Users have keys.
    for item in r#"{} {"id":{"S":"a"}} {"userId":{"N":"1"}} {"userId":{"S":""}}"#.split(' ') {
        assert_statuses(&format!(r#"{{"Items":[{item}]}}"#), [200, 503]).await;
    }
    for at in ["", r#","at":{"N":"1"}"#, r#","at":{"NULL":true}"#] {
        let page = format!(r#"{{"Items":[{{"rating":{{"N":"1"}}{at}}}]}}"#);
        let table = "
            startDate=2026-01-01&endDate=2026-01-04&interval=day | 503 unavailable
            startDate=2026-01-01&endDate=2026-01-04&interval=year | 1
        ";
        check_statistics(&app_of_page(&page), table).await;
    }
}

#[tokio::test]
async fn a_value_has_one_type_wherever_it_is() {
    for (value, status) in [
        (r#"{"S":"a","N":"1"}"#, 503),
        (r#"{"N":"1","S":"a"}"#, 503),
        (r#"{"S":"a","S":"b"}"#, 503),
        (r#"{"BOOL":true,"NULL":true}"#, 503),
        (r#"{"M":{},"L":[]}"#, 503),
        ("{}", 503),
        (r#"{ "N" : "1" }"#, 200),
        (r#"{"BS":["YQ=="]}"#, 200),
        (r#"{"M":{"a":{"L":[{"NULL":true}]}}}"#, 200),
    ] {
        for attribute in [
            format!(r#""rating":{value},"name":{value}"#),
            format!(r#""dismissed":{value},"unsubscribed":{value}"#),
            format!(r#""traits":{value}"#),
            format!(r#""traits":{{"M":{{"plan":{value}}}}}"#),
            format!(r#""traits":{{"M":{{"a":{{"L":[{{"M":{{"b":{value}}}}}]}}}}}}"#),
            format!(r#""unknown":{{"L":[{value}]}}"#),
        ] {
            let page = format!(r#"{{"Items":[{{"userId":{{"S":"a"}},{attribute}}}]}}"#);
            assert_statuses(&page, [status; 2]).await;
        }
    }
}

#[tokio::test]
async fn a_page_that_does_not_end_after_the_key_that_it_begins_after_is_refused() {
    let page = |range: &str, key: &str| {
        let key = format!(r#"{{"hash":{{"S":"p"}},"{range}":{{"S":"{key}"}}}}"#);
        Answer::from(format!(r#"{{"Items":[{key}],"LastEvaluatedKey":{key}}}"#))
    };
    for (second, status) in [("c", 200), ("b", 503), ("a", 503)] {
        for (operation, range) in [(Operation::Statistics, "at"), (Operation::Users, "userId")] {
            let last = Answer::new(r#"{"Items":[]}"#);
            let pages = vec![page(range, "b"), page(range, second), last];
            let response = respond(&app_with(&client_of_pages(pages)), operation, "").await;
            // A list that breaks off has no status of its own.
            assert_eq!(buffered(response).await.status(), status, "{second}");
        }
    }
}

#[tokio::test]
async fn a_credential_that_is_not_the_one_that_was_asked_for_authorizes_nothing() {
    for digest in [json!({"S": "0".repeat(64)}), json!({"N": "1"}), json!(null)] {
        let app = app_of_script(move |request| {
            let mut of_another = credential(&request.input);
            of_another["Item"]["digest"] = digest.clone();
            if digest.is_null() {
                let item = of_another["Item"].as_object_mut().unwrap();
                item.remove("digest");
            }
            match request.operation.as_str() {
                "GetItem" => of_another.into(),
                _ => empty(&request.input).into(),
            }
        });
        for operation in Operation::ALL {
            assert_eq!(ask(&app, operation, "").await.status, 503);
        }
    }
}

#[tokio::test]
async fn a_credential_that_is_not_as_it_was_sent_authorizes_nothing() {
    let app = app_of_script(|request| match request.operation.as_str() {
        "GetItem" => Answer::from(credential(&request.input)).with_checksum(1),
        _ => empty(&request.input).into(),
    });
    assert_eq!(ask(&app, Operation::Users, "").await.status, 503);
}
