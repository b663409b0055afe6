//! `describe=traits`: what there is to filter and group by (contract, section 4).

use serde_json::{Value, json};
use service::App;

use crate::support::{
    Operation, app_of, app_of_shards, app_of_traits, ask, check_statistics, elements,
};

const PERIOD: &str = "startDate=2026-03-01&endDate=2026-04-01&describe=traits";

/// Returns name, type, displays and privacy of each element.
async fn traits(app: &App, query: &str) -> Vec<Value> {
    let elements = elements(app, &format!("{PERIOD}{query}")).await;
    let of = |of: &Value| json!([of["name"], of["type"], of["displays"], of["private"]]);
    elements.iter().map(of).collect()
}

#[tokio::test]
async fn each_name_and_type_of_the_matching_records_is_listed_without_values() {
    let (longest, too_long) = ("n".repeat(255), "n".repeat(256));
    let inside = [
        json!({"plan": {"S": "pro"}, "Email": {"S": "jane@example.com"}, "a b": {"BOOL": true}}),
        json!({"plan": {"S": "free"}, "seats": {"N": "3"}, "é": {"L": [{"N": "1"}]}}),
        json!({"plan": {"N": "7"}, "seats": {"N": "3"}, "absent": {"NULL": true}}),
        json!({&longest: {"N": "1"}, too_long: {"N": "1"}}),
    ];
    let of = |traits| ("2026-03-01T12:00:00.000Z", json!({"traits": {"M": traits}}));
    let mut records = inside.map(of).to_vec();
    let damaged = json!({"rating": {"S": "nine"}, "traits": {"M": {"damaged": {"N": "1"}}}});
    records.push(("2026-03-02T12:00:00.000Z", damaged));
    let outside = json!({"traits": {"M": {"outside": {"N": "1"}}}});
    records.push(("2026-04-01T00:00:00.000Z", outside));
    let app = app_of(&records);
    let expected = [
        json!(["plan", "string", 2, false]),
        json!(["seats", "number", 2, false]),
        json!(["Email", "string", 1, true]),
        json!(["a b", "boolean", 1, false]),
        json!([longest, "number", 1, false]),
        json!(["plan", "number", 1, false]),
        json!(["é", "other", 1, false]),
    ];
    assert_eq!(traits(&app, "").await, expected);
    let filtered = [
        json!(["Email", "string", 1, true]),
        json!(["a b", "boolean", 1, false]),
        json!(["plan", "string", 1, false]),
    ];
    assert_eq!(traits(&app, "&filter=plan=eq:pro").await, filtered);
    let none: [Value; 0] = [];
    assert_eq!(traits(&app, "&filter=plan=eq:x").await, none);
    let empty = "startDate=2026-03-01&endDate=2026-03-01&describe=traits";
    let reply = ask(&app, Operation::Statistics, empty).await;
    assert_eq!(reply.text(), r#"{"data":[]}"#);
}

#[tokio::test]
async fn elements_have_the_form_of_the_contract() {
    let app = app_of_traits([json!({"seats": {"N": "3"}})]);
    let query = format!("{PERIOD}&filter=seats=number.gt:2");
    let reply = ask(&app, Operation::Statistics, &query).await;
    let attributes = r#"{"name":"seats","type":"number","displays":1,"private":false}"#;
    let relationships = r#"{"project":{"data":{"id":"p","type":"project"}}}"#;
    let members = format!(r#""attributes":{attributes},"relationships":{relationships}"#);
    let element = format!(r#","type":"trait",{members}}}]}}"#);
    assert!(reply.text().ends_with(&element), "{}", reply.text());
}

#[tokio::test]
async fn there_are_a_thousand_pairs_of_a_name_and_a_type() {
    let item = |number: usize| {
        // Two types of one name are two pairs.
        let value = [r#"{"S":"x"}"#, r#"{"N":"1"}"#][number % 2];
        format!(r#"{{"traits":{{"M":{{"t{}":{value}}}}}}}"#, number / 2)
    };
    // Half of them are in another shard.
    for (count, answer) in [(1000, "2"), (1001, "422 too_many_traits")] {
        let app = app_of_shards([
            (0..500).map(item).collect(),
            (500..count).map(item).collect(),
            vec![item(0)],
        ]);
        check_statistics(&app, &format!("{PERIOD} | {answer}")).await;
    }
}
