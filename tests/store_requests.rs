//! The requests that the store receives: the embedded one responds alike to many of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::support::{
    FullHost, Operation, client_of, empty, expanded, filter, indexed_app_with, question,
    recording_app, recording_store, respond, respond_to, rows, sha256,
};

/// Returns the Queries of a request for statistics, sorted by shard.
async fn statistics_queries(query: &str) -> Vec<Value> {
    let store = recording_store(empty);
    let app = indexed_app_with(&client_of(store.url()));
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
    let values = queries
        .iter()
        .map(|query| &query["ExpressionAttributeValues"]);
    assert!(values.eq(&expected.collect::<Vec<_>>()), "{queries:?}");
    for query in &queries {
        assert_eq!(query["TableName"], "responses");
        let condition = resolved(query, "KeyConditionExpression");
        assert_eq!(condition, "shard = :shard AND at BETWEEN :start AND :end");
        assert_eq!(query["ReturnConsumedCapacity"], "TOTAL");
        // Eventually consistent, not filtered by the store, and not limited.
        for absent in ["ConsistentRead", "FilterExpression", "Limit"] {
            assert_eq!(query[absent], Value::Null, "{absent}");
        }
    }
}

#[tokio::test]
async fn statistics_project_what_they_count_alone_from_the_index_if_it_has_that() {
    // What is projected beside `rating` and `dismissed`. `format=json` changes nothing: it stands for no parameter,
    // which a line could not show.
    let table = "
        format=json |
        @string.plan ne pro&@string.ab ne x | traits.ab, traits.plan
        @number.plan gt 1&@string.plan ne pro&@boolean.plan ne true&@boolean.admin eq true | traits.admin, traits.plan
        startDate=2026-01-01&endDate=2026-02-01&interval=month |
        startDate=2026-01-01&endDate=2026-02-01&interval=day | at
        startDate=2026-01-01&endDate=2026-02-01&interval=all&confidence=95 |
        groupBy=boolean.plan | traits.plan
        groupBy=boolean.plan&@string.plan ne x | traits.plan
        groupBy=boolean.plan&@string.seats ne x | traits.plan, traits.seats
        respondents=latest | at, userId
        describe=traits&@string.plan ne x | traits
    ";
    for [query, more] in rows(table) {
        let expected = ["rating, dismissed", more].join(if more.is_empty() { "" } else { ", " });
        let queries = statistics_queries(&expanded(query)).await;
        assert_eq!(queries.len(), 16);
        for sent in &queries {
            let projection = resolved(sent, "ProjectionExpression");
            assert_eq!(projection, expected, "{query}");
            // The index has neither traits nor persons.
            let is_indexed = !more.contains("traits") && !more.contains("userId");
            assert_eq!(sent["IndexName"] == "outcomes", is_indexed, "{query}");
            assert_eq!(sent["TableName"], "responses");
            // Each name once, and those of the key condition.
            let names = sent["ExpressionAttributeNames"].as_object().unwrap();
            let distinct: BTreeSet<_> = names.values().map(Value::as_str).collect();
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
            .map(|it| &query["ExpressionAttributeNames"][it]);
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
    let conditions = [
        "project = :project",
        "project = :project AND userId = :userId",
    ];
    for (question, limit, condition, mut values) in [
        ("&limit=7", json!(8), conditions[0], json!({})),
        (
            "&userId=007",
            Value::Null,
            conditions[1],
            json!({":userId": {"S": "007"}}),
        ),
    ] {
        values[":project"] = json!({"S": "p"});
        let (app, requests) = recording_app(empty);
        let response = respond(&app, Operation::Users, question).await;
        assert_eq!(response.status(), 200);
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
    let requests = "users? users?limit=7 users?userId=007 response-statistics? response-statistics?describe=traits";
    for (operation, query) in requests.split(' ').map(Operation::of_target) {
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
