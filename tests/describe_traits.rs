//! `describe=traits`: what there is to filter and group by (contract, section 4).

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::support::{
    Api, Project, app_at, body_of, map, n, new_project, null, request_statistics, s, serve_shards,
    sha256,
};

const PERIOD: &str = "&startDate=2026-03-01&endDate=2026-04-01&describe=traits";

async fn put(project: &Project, id: &str, traits: &[(&str, AttributeValue)]) {
    let attributes = [("traits", map(traits))];
    project
        .put_response("2026-03-01T12:00:00.000Z", id, &attributes)
        .await;
}

async fn data(project: &Project, query: &str) -> Vec<Value> {
    let reply = Api::shared()
        .statistics(project, &format!("{PERIOD}{query}"))
        .await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["data"].as_array().unwrap().clone()
}

/// Returns the attributes of each element, after their type.
async fn traits(project: &Project, query: &str) -> Vec<(String, String, u64, bool)> {
    let element = |element: Value| {
        assert_eq!(element["type"], "trait");
        let names: Vec<_> = element["attributes"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        assert_eq!(names, ["displays", "name", "private", "type"]);
        let of = &element["attributes"];
        let text = |name: &str| of[name].as_str().unwrap().to_owned();
        (
            text("name"),
            text("type"),
            of["displays"].as_u64().unwrap(),
            of["private"].as_bool().unwrap(),
        )
    };
    data(project, query)
        .await
        .into_iter()
        .map(element)
        .collect()
}

fn owned((name, kind, displays, private): (&str, &str, u64, bool)) -> (String, String, u64, bool) {
    (name.to_owned(), kind.to_owned(), displays, private)
}

#[tokio::test]
async fn each_name_and_type_of_the_matching_records_is_listed_without_values() {
    let project = new_project().await;
    let (list, flag) = (AttributeValue::L(vec![n(1)]), AttributeValue::Bool(true));
    put(
        &project,
        "1",
        &[
            ("plan", s("pro")),
            ("Email", s("jane@example.com")),
            ("a b", flag.clone()),
        ],
    )
    .await;
    put(
        &project,
        "2",
        &[("plan", s("free")), ("seats", n(3)), ("é", list)],
    )
    .await;
    put(
        &project,
        "3",
        &[("plan", n(7)), ("seats", n(3)), ("absent", null())],
    )
    .await;
    let (longest, too_long) = ("n".repeat(255), "n".repeat(256));
    put(&project, "4", &[(&longest, n(1)), (&too_long, n(1))]).await;
    let damaged = [("rating", s("nine")), ("traits", map(&[("damaged", n(1))]))];
    project
        .put_response("2026-03-02T12:00:00.000Z", "5", &damaged)
        .await;
    let outside = [("traits", map(&[("outside", n(1))]))];
    project
        .put_response("2026-04-01T00:00:00.000Z", "6", &outside)
        .await;
    let expected = [
        ("plan", "string", 2, false),
        ("seats", "number", 2, false),
        ("Email", "string", 1, true),
        ("a b", "boolean", 1, false),
        (&longest, "number", 1, false),
        ("plan", "number", 1, false),
        ("é", "other", 1, false),
    ];
    assert_eq!(traits(&project, "").await, expected.map(owned));
    let filtered = [
        ("Email", "string", 1, true),
        ("a b", "boolean", 1, false),
        ("plan", "string", 1, false),
    ];
    assert_eq!(
        traits(&project, "&filter=plan=eq:pro").await,
        filtered.map(owned)
    );
    assert_eq!(traits(&project, "&filter=plan=eq:x").await, []);
    let empty = "&startDate=2026-03-01&endDate=2026-03-01&describe=traits";
    let reply = Api::shared().statistics(&project, empty).await;
    assert_eq!(reply.text(), r#"{"data":[]}"#);
}

#[tokio::test]
async fn elements_have_the_form_and_the_ids_of_the_contract() {
    let project = new_project().await;
    put(&project, "1", &[("seats", n(3))]).await;
    let id = sha256(&format!(
        r#"["{}","2026-03-01T00:00:00.000Z","2026-04-01T00:00:00.000Z",[["seats","number.gt","2"]],"traits",["seats","number"]]"#,
        project.id
    ));
    let query = format!("{PERIOD}&filter=seats=number.gt:2");
    let reply = Api::shared().statistics(&project, &query).await;
    let expected = format!(
        r#"{{"data":[{{"id":"{}","type":"trait","attributes":{{"name":"seats","type":"number","displays":1,"private":false}},"relationships":{{"project":{{"data":{{"id":"{}","type":"project"}}}}}}}}]}}"#,
        &id[..24],
        project.id
    );
    assert_eq!(reply.text(), expected);
}

/// Requests the traits of records, half of which are in another shard; returns the status and the code.
async fn of_pairs(count: usize) -> (u16, Value) {
    let page = |numbers: std::ops::Range<usize>| {
        let item = |number: usize| {
            // Two types of one name are two pairs.
            let value = if number.is_multiple_of(2) {
                r#"{"S":"x"}"#
            } else {
                r#"{"N":"1"}"#
            };
            format!(r#"{{"traits":{{"M":{{"t{}":{value}}}}}}}"#, number / 2)
        };
        let items: Vec<_> = numbers.map(item).collect();
        format!(r#"{{"Items":[{}]}}"#, items.join(","))
    };
    let pages = [page(0..500), page(0..0), page(500..count), page(0..1)];
    let app = app_at(&serve_shards(pages));
    let response = request_statistics(&app, PERIOD).await;
    let status = response.status().as_u16();
    let body: Value = serde_json::from_str(&body_of(response).await).unwrap();
    (status, body["errors"][0]["code"].clone())
}

#[tokio::test]
async fn there_are_a_thousand_pairs_of_a_name_and_a_type() {
    assert_eq!(of_pairs(1000).await, (200, Value::Null));
    assert_eq!(of_pairs(1001).await, (422, json!("too_many_traits")));
}
