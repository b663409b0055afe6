//! Responses that are JSON, but not as DynamoDB writes them: they are refused, not read in one of two ways.

use std::future::ready;

use service::http::buffered;
use test_support::in_process;
use test_support::stub::{Answer, credential};

use crate::support::{Operation, app_with, ask, client_of_pages, query, request_users};

/// Returns the statuses of statistics and of users, and whether the SDK's decoder accepts the page.
async fn outcomes(page: &str) -> (u16, u16, bool) {
    let client = client_of_pages(vec![Answer::from(page.to_owned())]);
    let app = app_with(&client);
    let statistics = ask(&app, Operation::Statistics, "").await.status;
    let users = ask(&app, Operation::Users, "").await.status;
    let is_accepted = query(&client).send().await.is_ok();
    (statistics.as_u16(), users.as_u16(), is_accepted)
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
async fn a_page_has_its_items_and_its_key_once_and_users_have_keys() {
    let key = r#"{"userId":{"S":"a"}}"#;
    for (page, expected) in [
        (r#"{"Items":[],"Items":[]}"#, [503, 503]),
        (r#"{"Items":[KEY],"Count":1,"Items":[KEY]}"#, [503, 503]),
        (
            r#"{"Items":[],"LastEvaluatedKey":KEY,"LastEvaluatedKey":KEY}"#,
            [503, 503],
        ),
        (r#"{"Items":[{}]}"#, [200, 503]),
        (r#"{"Items":[{"id":{"S":"a"}}]}"#, [200, 503]),
        (r#"{"Items":[{"userId":{"N":"1"}}]}"#, [200, 503]),
        (r#"{"Items":[{"userId":{"S":""}}]}"#, [200, 503]),
    ] {
        let (statistics, users, _) = outcomes(&page.replace("KEY", key)).await;
        assert_eq!([statistics, users], expected, "{page}");
    }
}

#[tokio::test]
async fn a_page_that_does_not_end_after_the_key_that_it_begins_after_is_refused() {
    let page = |range: &str, key: &str| {
        format!(
            r#"{{"Items":[{{"userId":{{"S":"{key}"}}}}],"LastEvaluatedKey":{{"hash":{{"S":"p"}},"{range}":{{"S":"{key}"}}}}}}"#
        )
    };
    let app = |range, second| {
        let last = r#"{"Items":[]}"#.to_owned();
        let pages = [page(range, "b"), page(range, second), last].map(Answer::from);
        app_with(&client_of_pages(pages.to_vec()))
    };
    for (second, status) in [("c", 200), ("b", 503), ("a", 503)] {
        let reply = ask(
            &app("at", second),
            Operation::Statistics,
            "startDate=2020-01-01",
        )
        .await;
        assert_eq!(reply.status, status, "{second}");
        let list = request_users(&app("userId", second), "").await;
        assert_eq!(buffered(list).await.status(), status, "{second}");
    }
}

#[tokio::test]
async fn a_credential_that_is_not_as_it_was_sent_authorizes_nothing() {
    for (damaged, status) in [(false, 200), (true, 503)] {
        let client = in_process::client(move |operation, input| async move {
            if operation != "GetItem" {
                return Answer::new(r#"{"Items":[]}"#);
            }
            let sent = credential(&input).to_string();
            let checksum = crc32fast::hash(sent.as_bytes());
            let received = if damaged {
                sent.replace("\"p\"", "\"q\"")
            } else {
                sent
            };
            Answer::new(received).with_checksum(checksum)
        });
        let reply = ask(&app_with(&client), Operation::Users, "").await;
        assert_eq!(reply.status, status);
    }
    let client = in_process::client(|_, _| ready(Answer::new("")));
    let reply = ask(&app_with(&client), Operation::Users, "").await;
    assert_eq!(reply.status, 503, "an empty body");
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
