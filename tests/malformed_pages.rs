//! Responses that are JSON, but not as DynamoDB writes them: they are refused, not read in one of two ways.

use shared::http::buffered;
use test_support::stub::{self, Answer, Request};

use crate::support::{
    Pages, app_at, client_of, credential, request_statistics, request_users, serve_pages,
};

/// Returns the statuses of both operations, and whether the SDK's decoder accepts the page.
async fn outcomes(page: &str) -> (u16, u16, bool) {
    let address = serve_pages(Pages(vec![(page.to_owned(), None)]));
    let app = app_at(&address);
    let statistics = request_statistics(&app, "&startDate=2020-01-01").await;
    let query = client_of(&address).query().table_name("t");
    let sdk = query.key_condition_expression("a = b").send().await;
    (
        statistics.status().as_u16(),
        request_users(&app, "").await.status().as_u16(),
        sdk.is_ok(),
    )
}

#[tokio::test]
async fn a_value_has_one_type_wherever_it_is() {
    for value in [
        r#"{"S":"a","N":"1"}"#,
        r#"{"N":"1","S":"a"}"#,
        r#"{"S":"a","S":"b"}"#,
        r#"{"BOOL":true,"NULL":true}"#,
        r#"{"M":{},"L":[]}"#,
        "{}",
    ] {
        for attribute in [
            format!(r#""rating":{value},"name":{value}"#),
            format!(r#""dismissed":{value},"unsubscribed":{value}"#),
            format!(r#""traits":{value}"#),
            format!(r#""traits":{{"M":{{"plan":{value}}}}}"#),
            format!(r#""traits":{{"M":{{"a":{{"L":[{{"M":{{"b":{value}}}}}]}}}}}}"#),
            format!(r#""unknown":{value}"#),
            format!(r#""unknown":{{"L":[{value}]}}"#),
        ] {
            let page = format!(r#"{{"Items":[{{"userId":{{"S":"a"}},{attribute}}}]}}"#);
            assert_eq!(outcomes(&page).await, (503, 503, false), "{page}");
        }
    }
}

#[tokio::test]
async fn a_page_has_its_items_and_its_key_once() {
    let key = r#"{"userId":{"S":"a"}}"#;
    for page in [
        r#"{"Items":[],"Items":[]}"#.to_owned(),
        format!(r#"{{"Items":[{key}],"Count":1,"Items":[{key}]}}"#),
        format!(r#"{{"Items":[],"LastEvaluatedKey":{key},"LastEvaluatedKey":{key}}}"#),
    ] {
        let (statistics, users, _) = outcomes(&page).await;
        assert_eq!((statistics, users), (503, 503), "{page}");
    }
}

#[tokio::test]
async fn a_page_that_does_not_end_after_the_key_that_it_begins_after_is_refused() {
    let page = |range: &str, key: &str| {
        format!(
            r#"{{"Items":[{{"userId":{{"S":"{key}"}}}}],"LastEvaluatedKey":{{"hash":{{"S":"p"}},"{range}":{{"S":"{key}"}}}}}}"#
        )
    };
    let last = r#"{"Items":[]}"#.to_owned();
    for (second, status) in [("c", 200), ("b", 503), ("a", 503)] {
        for range in ["at", "userId"] {
            let pages = [page(range, "b"), page(range, second), last.clone()];
            let pages = Pages(pages.map(|page| (page, None)).into());
            let app = app_at(&serve_pages(pages));
            let found = match range {
                "at" => request_statistics(&app, "&startDate=2020-01-01")
                    .await
                    .status(),
                _ => buffered(request_users(&app, "").await).await.status(),
            };
            assert_eq!(found, status, "{range} {second}");
        }
    }
}

#[tokio::test]
async fn a_user_without_its_key_is_no_user() {
    for item in [
        "{}",
        r#"{"id":{"S":"a"}}"#,
        r#"{"userId":{"N":"1"}}"#,
        r#"{"userId":{"S":""}}"#,
    ] {
        let (statistics, users, _) = outcomes(&format!(r#"{{"Items":[{item}]}}"#)).await;
        assert_eq!((statistics, users), (200, 503), "{item}");
    }
}

#[tokio::test]
async fn a_credential_that_is_not_as_it_was_sent_authorizes_nothing() {
    for (damaged, status) in [(false, 200), (true, 503)] {
        let url = stub::start(
            async move |Request {
                            operation, input, ..
                        }| {
                let sent = match operation.as_str() {
                    "GetItem" => credential(&input).to_string(),
                    _ => r#"{"Items":[]}"#.to_owned(),
                };
                let checksum = crc32fast::hash(sent.as_bytes());
                let received = if damaged {
                    sent.replace("\"p\"", "\"q\"")
                } else {
                    sent
                };
                Answer::new(received).with_checksum(checksum)
            },
        );
        let app = app_at(&url);
        assert_eq!(request_users(&app, "").await.status(), status);
    }
    let app = app_at(&stub::start(async |_| String::new()));
    assert_eq!(request_users(&app, "").await.status(), 503, "an empty body");
}

#[tokio::test]
async fn values_of_one_type_are_read_whatever_it_is() {
    for value in [
        r#"{"S":"a"}"#,
        r#"{ "N" : "1" }"#,
        r#"{"BS":["YQ=="]}"#,
        r#"{"M":{"a":{"L":[{"NULL":true}]}}}"#,
    ] {
        let page = format!(r#"{{"Items":[{{"userId":{{"S":"a"}},"unknown":{value}}}]}}"#);
        assert_eq!(outcomes(&page).await, (200, 200, true), "{page}");
    }
}
