//! Pages that are JSON, but not as DynamoDB writes it: they are refused, not read in one of two ways.

use crate::support::{Pages, app_at, client_of, request_statistics, request_users, serve_pages};

/// Returns the statuses of both operations, and whether the SDK's decoder accepts the page.
async fn outcomes(page: &str) -> (u16, u16, bool) {
    let address = serve_pages(Pages(vec![(page.to_owned(), None)])).await;
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
