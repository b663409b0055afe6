//! A project with the records of seat reviews and users of realistic number, on many pages of all shards.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::support::{
    Api, Reply, filter, log_line, map, n, new_project, s, seat_reviews, traits_of,
};

fn text<'a>(record: &'a Value, name: &str) -> &'a str {
    record[name].as_str().unwrap()
}

/// Returns the traits of a record, with one so long that a page has few records.
fn traits(record: &Value) -> AttributeValue {
    let mut traits = traits_of(record);
    traits.push(("review", s(&"x".repeat(8_000))));
    map(&traits)
}

#[tokio::test]
async fn figures_and_lists_hold_every_record_on_many_pages_once() {
    let project = new_project().await;
    let records = seat_reviews();
    let responses = records.iter().map(|record| {
        let key = project.response_key(text(record, "created"), text(record, "id"));
        let rating = record["rating"].as_u64();
        let rating = rating.map(|rating| ("rating", n(rating)));
        let others = [("traits", traits(record))].into_iter().chain(rating);
        key.into_iter().chain(others).collect()
    });
    project.put_many("responses", responses.collect()).await;
    let users = records.iter().map(|record| {
        vec![
            ("project", s(&project.id)),
            ("userId", s(text(record, "id"))),
            ("traits", traits(record)),
        ]
    });
    project.put_many("users", users.collect()).await;
    let pages = async |reply: &Reply| log_line(reply.request_id()).await["pages"].as_u64();
    // A filter that every record matches, so that traits are read.
    let filter = filter("review", "contains", "x");
    let query = format!("&startDate=1970-01-01&endDate=2016-01-01{filter}");
    let reply = Api::shared().statistics(&project, &query).await;
    let rated = |rating: u64| {
        let rated = records.iter().filter(|record| record["rating"] == rating);
        rated.count()
    };
    let figures = reply.figures();
    assert_eq!(figures["displays"], records.len());
    let frequency: Vec<_> = (0..=10).map(rated).collect();
    assert_eq!(figures["frequency"], json!(frequency));
    assert!(pages(&reply).await >= Some(16));
    let mut expected: Vec<_> = records.iter().map(|it| text(it, "id").to_owned()).collect();
    expected.sort();
    let reply = Api::shared().users(&project, "").await;
    assert_eq!(reply.user_ids(), expected);
    assert!(pages(&reply).await > Some(4));
    let page = Api::shared().users(&project, "&limit=300").await;
    assert_eq!(page.user_ids(), expected[..300]);
}
