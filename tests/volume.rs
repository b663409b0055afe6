//! A project with the records of seat reviews and users of realistic number, on many pages of all shards.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::support::{Api, log_line, map, n, new_project, next, s, seat_reviews, traits_of};

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
async fn statistics_count_every_record_on_many_pages_once() {
    let project = new_project().await;
    let neighbour = new_project().await;
    neighbour
        .put_response(
            "2014-01-01T00:00:00.000Z",
            "neighbour",
            &[("rating", n(10))],
        )
        .await;
    let records = seat_reviews();
    let items = records.iter().map(|record| {
        let key = project.response_key(text(record, "created"), text(record, "id"));
        let mut item = key.to_vec();
        item.push(("userId", s(record["user"]["userId"].as_str().unwrap())));
        item.push(("traits", traits(record)));
        item.extend(
            record["rating"]
                .as_u64()
                .map(|rating| ("rating", n(rating))),
        );
        item
    });
    project.put_many("responses", items.collect()).await;

    let count =
        |test: &dyn Fn(&Value) -> bool| records.iter().filter(|record| test(record)).count();
    let rated = |rating: u64| count(&|record| record["rating"] == rating);
    let all = "&startDate=1970-01-01&endDate=2016-01-01";
    // A filter that every record matches, so that traits are read.
    let filter = "&filters[user.traits.string.review][operator]=contains&filters[user.traits.string.review][value]=x";
    for (query, least_pages) in [(all, 4), (&format!("{all}{filter}"), 5)] {
        let reply = Api::shared().statistics(&project, query).await;
        assert_eq!(reply.figures()["displays"], records.len());
        assert_eq!(
            reply.figures()["frequency"],
            json!((0..=10).map(rated).collect::<Vec<_>>())
        );
        let line = log_line(reply.request_id()).await;
        assert_eq!(line["records"], records.len());
        assert!(line["pages"].as_u64().unwrap() >= least_pages, "{line}");
    }

    let query = "&startDate=2014-01-01&endDate=2015-01-01\
                 &filters[user.traits.string.cabin][operator]=eq&filters[user.traits.string.cabin][value]=Economy\
                 &filters[user.traits.string.airline][operator]=ncontains&filters[user.traits.string.airline][value]=air";
    let expected = count(&|record| {
        let airline = record["user"]["traits"]["airline"].as_str();
        text(record, "created").starts_with("2014-")
            && record["user"]["traits"]["cabin"] == "Economy"
            && !airline.is_some_and(|airline| airline.contains("air"))
    });
    assert!(expected > 1, "the filters match some records");
    assert_eq!(
        Api::shared().statistics(&project, query).await.figures()["displays"],
        expected
    );
}

#[tokio::test]
async fn lists_hold_every_user_on_many_pages_once() {
    let project = new_project().await;
    let records = seat_reviews();
    let items = records.iter().map(|record| {
        vec![
            ("project", s(&project.id)),
            ("userId", s(text(record, "id"))),
            ("created", s(text(record, "created"))),
            ("traits", traits(record)),
        ]
    });
    project.put_many("users", items.collect()).await;
    let mut expected: Vec<_> = records.iter().map(|it| text(it, "id").to_owned()).collect();
    expected.sort();

    let reply = Api::shared().users(&project, "").await;
    assert_eq!(reply.user_ids(), expected);
    assert!(
        log_line(reply.request_id()).await["pages"]
            .as_u64()
            .unwrap()
            > 4
    );

    let mut paged = Vec::new();
    let mut target = format!("/api/users?project={}&limit=300", project.id);
    loop {
        let reply = Api::shared().get_as_account(&project, &target).await;
        paged.extend(reply.user_ids());
        assert!(paged.len() <= expected.len(), "the links have no end");
        match next(&reply) {
            Some(link) => target = link,
            None => break,
        }
    }
    assert_eq!(paged, expected);
}
