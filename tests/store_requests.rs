//! The requests that the store receives: the embedded one responds alike to many of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::{
    FullHost, Operation, empty, filter, indexed_app_at, question, recording_app, recording_store,
    respond, respond_to, sha256, typed_filter,
};

/// Returns the Queries of a request for statistics, sorted by shard.
async fn statistics_queries(query: &str) -> Vec<Value> {
    let store = recording_store(empty);
    let app = indexed_app_at(store.url());
    let response = respond(&app, Operation::Statistics, query).await;
    assert_eq!(response.status(), 200);
    let mut queries = store.inputs_of("Query");
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
    assert_eq!(respond(&app, Operation::Statistics, "").await.status(), 200);
    let expected = json!({
        "TableName": "credentials", "Key": {"digest": {"S": sha256("any key")}}, "ConsistentRead": true,
        "ReturnConsumedCapacity": "TOTAL",
    });
    assert_eq!(requests.inputs_of("GetItem"), [expected]);
}

#[tokio::test]
async fn statistics_query_each_shard_once_for_the_period() {
    let queries = statistics_queries("&startDate=2026-01-01&endDate=2026-02-01").await;
    let expected = "0123456789abcdef".chars();
    let expected = expected.map(|shard| {
        json!({":shard": {"S": format!("p#{shard}")}, ":start": {"S": "2026-01-01T00:00:00.000Z"},
               ":end": {"S": "2026-02-01T00:00:00.000Y"}})
    });
    let values: Vec<_> = queries
        .iter()
        .map(|query| query["ExpressionAttributeValues"].clone())
        .collect();
    assert_eq!(values, expected.collect::<Vec<_>>());
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
async fn statistics_project_what_they_count_alone_from_the_index_if_it_has_that() {
    let by_plan = "&groupBy=user.traits.boolean.plan";
    let january = "&startDate=2026-01-01&endDate=2026-02-01&interval=";
    let types = [
        typed_filter("number", "plan", "gt", "1"),
        filter("plan", "ne", "pro"),
        typed_filter("boolean", "plan", "ne", "true"),
        typed_filter("boolean", "admin", "eq", "true"),
    ];
    let [pro, x] = ["pro", "x"].map(|plan| filter("plan", "ne", plan));
    let (ab, seats) = (filter("ab", "ne", "x"), filter("seats", "ne", "x"));
    for (query, expected) in [
        (String::new(), ""),
        (pro + &ab, ", traits.ab, traits.plan"),
        (types.concat(), ", traits.admin, traits.plan"),
        (format!("{january}month"), ""),
        (format!("{january}day"), ", at"),
        (format!("{january}all&confidence=95"), ""),
        (by_plan.to_owned(), ", traits.plan"),
        (format!("{by_plan}{x}"), ", traits.plan"),
        (format!("{by_plan}{seats}"), ", traits.plan, traits.seats"),
        ("&respondents=latest".to_owned(), ", at, userId"),
        (format!("{x}&describe=traits"), ", traits"),
    ] {
        let queries = statistics_queries(&query).await;
        assert_eq!(queries.len(), 16);
        for sent in &queries {
            let projection = resolved(sent, "ProjectionExpression");
            assert_eq!(
                projection,
                format!("rating, dismissed{expected}"),
                "{query}"
            );
            // The index has neither traits nor persons.
            let is_indexed = !expected.contains("traits") && !expected.contains("userId");
            assert_eq!(sent["IndexName"] == "outcomes", is_indexed, "{query}");
            assert_eq!(sent["TableName"], "responses");
            // Each name once, and those of the key condition.
            let names: Vec<_> = sent["ExpressionAttributeNames"]
                .as_object()
                .unwrap()
                .values()
                .collect();
            let distinct: BTreeSet<_> = names.iter().map(|name| name.as_str()).collect();
            assert_eq!(distinct.len(), names.len(), "{names:?}");
        }
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
async fn an_empty_period_requires_no_query() {
    for query in [
        "&startDate=2026-01-01&endDate=2026-01-01",
        "&startDate=9999-01-01",
    ] {
        assert_eq!(statistics_queries(query).await, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_page_of_users_queries_one_user_more_than_its_limit_and_one_user_its_key() {
    for (question, limit, condition, values) in [
        (
            "&limit=7",
            json!(8),
            "project = :project",
            json!({":project": {"S": "p"}}),
        ),
        (
            "&userId=007",
            Value::Null,
            "project = :project AND userId = :userId",
            json!({":project": {"S": "p"}, ":userId": {"S": "007"}}),
        ),
    ] {
        let (app, requests) = recording_app(empty);
        assert_eq!(
            respond(&app, Operation::Users, question).await.status(),
            200
        );
        let queries = requests.inputs_of("Query");
        assert_eq!(queries.len(), 1, "{queries:?}");
        assert_eq!(queries[0]["Limit"], limit);
        assert_eq!(queries[0]["TableName"], "users");
        assert_eq!(resolved(&queries[0], "KeyConditionExpression"), condition);
        assert_eq!(queries[0]["ExpressionAttributeValues"], values);
        assert_eq!(queries[0]["ConsistentRead"], Value::Null);
    }
}

#[tokio::test]
async fn a_request_sends_no_query_before_there_is_room_for_it() {
    for (operation, query) in [
        (Operation::Users, ""),
        (Operation::Users, "&limit=7"),
        (Operation::Users, "&userId=007"),
        (Operation::Statistics, ""),
        (Operation::Statistics, "&describe=traits"),
    ] {
        let (app, requests) = recording_app(empty);
        let (host, mut call) = (FullHost::default(), question(operation, query));
        call.host = Some(Arc::new(host.clone()));
        let mut response = Box::pin(respond_to(&app, operation, call));
        tokio::select! {
            early = &mut response => panic!("{query}: no room, but {}", early.status()),
            () = host.asked.notified() => {}
        }
        assert_eq!(requests.inputs_of("Query"), Vec::<Value>::new(), "{query}");
        host.freed.notify_one();
        assert_eq!(response.await.status(), 200);
        assert!(!requests.inputs_of("Query").is_empty(), "{query}");
    }
}
