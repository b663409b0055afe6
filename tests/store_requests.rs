//! The requests that the store receives: the embedded one responds alike to many of them.

use serde_json::{Value, json};
use test_support::stub::Recorder;

use crate::support::{
    credential, filter, recording_app, request_statistics, request_users, sha256, typed_filter,
};

/// A script: every secret is valid, and every page is empty.
fn empty(operation: &str, input: &Value, _: usize) -> (u16, Value) {
    match operation {
        "GetItem" => (200, credential(input)),
        _ => (200, json!({"Items": [], "Count": 0})),
    }
}

/// Returns the Queries of a request for statistics, sorted by shard.
async fn statistics_queries(query: &str) -> Vec<Value> {
    let (app, requests) = recording_app(empty);
    assert_eq!(request_statistics(&app, query).await.status(), 200);
    let mut queries = requests.inputs_of("Query");
    queries.sort_by_key(|query| query["ExpressionAttributeValues"][":shard"].to_string());
    queries
}

/// Returns an expression of a Query with the names in the place of their placeholders.
fn resolved(input: &Value, expression: &str) -> String {
    let names = input["ExpressionAttributeNames"].as_object().unwrap();
    let text = input[expression].as_str().unwrap();
    let name_of = |placeholder: &str| names[placeholder].as_str().unwrap().to_owned();
    let words = text.split_inclusive([' ', ',', '.']).map(|word| {
        let placeholder = word.trim_end_matches([' ', ',', '.']);
        match placeholder.strip_prefix('#') {
            Some(_) => word.replace(placeholder, &name_of(placeholder)),
            None => word.to_owned(),
        }
    });
    words.collect()
}

#[tokio::test]
async fn a_credential_is_read_by_its_digest_and_with_strong_consistency() {
    let (app, requests) = recording_app(empty);
    assert_eq!(request_statistics(&app, "").await.status(), 200);
    let expected = json!({
        "TableName": "credentials", "Key": {"digest": {"S": sha256("any key")}}, "ConsistentRead": true,
        "ReturnConsumedCapacity": "TOTAL",
    });
    assert_eq!(requests.inputs_of("GetItem"), [expected]);
}

#[tokio::test]
async fn statistics_query_each_shard_once_for_the_period() {
    let queries = statistics_queries("&startDate=2026-01-01&endDate=2026-02-01").await;
    let expected = ["p#0", "p#1", "p#2", "p#3"].map(|shard| {
        json!({":shard": {"S": shard}, ":start": {"S": "2026-01-01T00:00:00.000Z"},
               ":end": {"S": "2026-02-01T00:00:00.000Y"}})
    });
    let values: Vec<_> = queries
        .iter()
        .map(|query| query["ExpressionAttributeValues"].clone())
        .collect();
    assert_eq!(values, expected);
    for query in &queries {
        assert_eq!(query["TableName"], "responses");
        assert_eq!(
            resolved(query, "KeyConditionExpression"),
            "shard = :shard AND at BETWEEN :start AND :end"
        );
        assert_eq!(query["ReturnConsumedCapacity"], "TOTAL");
        // Eventually consistent, not filtered by the store, and not limited.
        for absent in ["ConsistentRead", "FilterExpression", "Limit"] {
            assert_eq!(query[absent], Value::Null, "{absent}");
        }
    }
}

#[tokio::test]
async fn statistics_project_the_outcome_and_the_filtered_traits_alone() {
    let queries = statistics_queries("").await;
    assert_eq!(queries.len(), 4);
    for query in &queries {
        assert_eq!(resolved(query, "ProjectionExpression"), "rating, dismissed");
    }
    let filters = [filter("plan", "eq", "pro"), filter("ab", "ne", "x")].concat();
    let queries = statistics_queries(&filters).await;
    assert_eq!(queries.len(), 4);
    for query in &queries {
        assert_eq!(
            resolved(query, "ProjectionExpression"),
            "rating, dismissed, traits.ab, traits.plan"
        );
    }
}

#[tokio::test]
async fn a_trait_that_is_filtered_as_several_types_is_projected_once() {
    let filters = [
        typed_filter("number", "plan", "gt", "1"),
        filter("plan", "ne", "pro"),
        typed_filter("boolean", "plan", "ne", "true"),
        typed_filter("boolean", "admin", "eq", "true"),
    ];
    let queries = statistics_queries(&filters.concat()).await;
    assert_eq!(queries.len(), 4);
    for query in &queries {
        assert_eq!(
            resolved(query, "ProjectionExpression"),
            "rating, dismissed, traits.admin, traits.plan"
        );
        let names = query["ExpressionAttributeNames"].as_object().unwrap();
        assert_eq!(names.len(), 7, "{names:?}");
    }
}

#[tokio::test]
async fn a_name_with_dots_is_projected_through_one_placeholder() {
    for query in statistics_queries(&filter("a.b", "eq", "x")).await {
        let projection = query["ProjectionExpression"].as_str().unwrap();
        let (_, path) = projection.rsplit_once(", ").unwrap();
        let names = path
            .split('.')
            .map(|placeholder| &query["ExpressionAttributeNames"][placeholder]);
        assert_eq!(names.collect::<Vec<_>>(), ["traits", "a.b"]);
    }
}

#[tokio::test]
async fn the_key_is_projected_for_several_intervals_alone() {
    let january = "&startDate=2026-01-01&endDate=2026-02-01&interval=";
    for (unit, expected) in [
        ("month", "rating, dismissed"),
        ("day", "rating, dismissed, at"),
    ] {
        let queries = statistics_queries(&format!("{january}{unit}")).await;
        assert_eq!(queries.len(), 4);
        for query in &queries {
            assert_eq!(resolved(query, "ProjectionExpression"), expected);
        }
    }
}

#[tokio::test]
async fn the_trait_to_group_by_is_projected_once_even_if_it_is_filtered() {
    for (filters, expected) in [
        (String::new(), "rating, dismissed, traits.plan"),
        (filter("plan", "ne", "x"), "rating, dismissed, traits.plan"),
        (
            filter("seats", "ne", "x"),
            "rating, dismissed, traits.plan, traits.seats",
        ),
    ] {
        let query = format!("&groupBy=user.traits.boolean.plan{filters}");
        for query in statistics_queries(&query).await {
            assert_eq!(resolved(&query, "ProjectionExpression"), expected);
        }
    }
}

#[tokio::test]
async fn persons_are_read_with_their_keys_from_the_table() {
    for query in statistics_queries("&respondents=latest").await {
        assert_eq!(
            resolved(&query, "ProjectionExpression"),
            "rating, dismissed, at, userId"
        );
        assert_eq!(query["IndexName"], Value::Null);
    }
}

#[tokio::test]
async fn traits_are_projected_as_a_whole_where_they_are_described() {
    let query = filter("plan", "ne", "x") + "&describe=traits";
    for query in statistics_queries(&query).await {
        assert_eq!(
            resolved(&query, "ProjectionExpression"),
            "rating, dismissed, traits"
        );
        assert_eq!(query["IndexName"], Value::Null);
    }
}

#[tokio::test]
async fn an_empty_period_requires_no_query() {
    for query in [
        "&startDate=2026-01-01&endDate=2026-01-01",
        "&startDate=9999-01-01",
    ] {
        assert_eq!(statistics_queries(query).await, Vec::<Value>::new());
    }
}

/// Returns the only Query of a request for users.
fn only_query(requests: &Recorder) -> Value {
    let queries = requests.inputs_of("Query");
    assert_eq!(queries.len(), 1, "{queries:?}");
    queries[0].clone()
}

#[tokio::test]
async fn a_page_of_users_queries_one_user_more_than_its_limit() {
    let (app, requests) = recording_app(empty);
    assert_eq!(request_users(&app, "&limit=7").await.status(), 200);
    let query = only_query(&requests);
    assert_eq!(query["Limit"], 8);
    assert_eq!(query["TableName"], "users");
    assert_eq!(
        resolved(&query, "KeyConditionExpression"),
        "project = :project"
    );
    assert_eq!(
        query["ExpressionAttributeValues"],
        json!({":project": {"S": "p"}})
    );
    assert_eq!(query["ConsistentRead"], Value::Null);
}

#[tokio::test]
async fn one_user_is_queried_by_its_key() {
    let (app, requests) = recording_app(empty);
    assert_eq!(request_users(&app, "&userId=007").await.status(), 200);
    let query = only_query(&requests);
    assert_eq!(
        resolved(&query, "KeyConditionExpression"),
        "project = :project AND userId = :userId"
    );
    assert_eq!(
        query["ExpressionAttributeValues"],
        json!({":project": {"S": "p"}, ":userId": {"S": "007"}})
    );
}
