//! What is asked of the store, since the embedded one could not tell the difference.

use serde_json::{Value, json};

use crate::support::{app_over, ask_statistics, ask_users, credential, fault, filter, sha256};

fn refused() -> (u16, Value) {
    (400, fault("ValidationException"))
}

#[tokio::test]
async fn credentials_are_read_with_strong_consistency_and_by_their_digest_alone() {
    let app = app_over(|operation, input, _| match operation {
        "GetItem" if input["TableName"] == "credentials" => {
            let digest = sha256("any key");
            let by_digest = input["Key"] == json!({"digest": {"S": digest}});
            let consistent = input["ConsistentRead"] == true;
            if by_digest && consistent {
                (200, credential("read-key"))
            } else {
                refused()
            }
        }
        _ => (200, json!({"Items": [], "Count": 0})),
    })
    .await;
    assert_eq!(ask_statistics(&app, "").await.status(), 200);
}

#[tokio::test]
async fn statistics_ask_each_shard_for_the_period_and_the_filtered_traits_alone() {
    let app = app_over(|operation, input, _| match operation {
        "GetItem" => (200, credential("read-key")),
        "Query" => {
            let names = &input["ExpressionAttributeNames"];
            let mut projection: Vec<_> = input["ProjectionExpression"]
                .as_str()
                .unwrap()
                .split(", ")
                .map(|path| {
                    path.split('.')
                        .map(|name| names[name].as_str().unwrap())
                        .collect::<Vec<_>>()
                })
                .collect();
            projection.sort();
            let expected = [
                vec!["dismissed"],
                vec!["rating"],
                vec!["traits", "a.b"],
                vec!["traits", "plan"],
            ];
            let values = &input["ExpressionAttributeValues"];
            let shard = values[":shard"]["S"].as_str().unwrap();
            let right = projection == expected
                && ["p#0", "p#1", "p#2", "p#3"].contains(&shard)
                && values[":start"]["S"] == "2026-01-01T00:00:00.000Z"
                && values[":end"]["S"] == "2026-02-01T00:00:00.000Z"
                && input["FilterExpression"].is_null()
                && input["ConsistentRead"] != true;
            if right {
                (200, json!({"Items": [], "Count": 0}))
            } else {
                refused()
            }
        }
        _ => refused(),
    })
    .await;
    let filters = [filter("plan", "eq", "pro"), filter("a.b", "ne", "x")];
    let query = format!(
        "&startDate=2026-01-01&endDate=2026-02-01{}",
        filters.concat()
    );
    assert_eq!(ask_statistics(&app, &query).await.status(), 200);
}

#[tokio::test]
async fn an_empty_period_asks_nothing() {
    let app = app_over(|operation, _, _| match operation {
        "GetItem" => (200, credential("read-key")),
        _ => refused(),
    })
    .await;
    let query = "&startDate=2026-01-01&endDate=2026-01-01";
    assert_eq!(ask_statistics(&app, query).await.status(), 200);
    assert_eq!(
        ask_statistics(&app, "&startDate=9999-01-01").await.status(),
        200
    );
}

#[tokio::test]
async fn a_page_asks_for_one_user_more_than_it_shows() {
    let app = app_over(|operation, input, _| match operation {
        "GetItem" => (200, credential("account")),
        _ if input["Limit"] == 8 && input["ConsistentRead"] != true => {
            (200, json!({"Items": [], "Count": 0}))
        }
        _ => refused(),
    })
    .await;
    assert_eq!(ask_users(&app, "&limit=7").await.status(), 200);
}
