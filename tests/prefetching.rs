//! Lists ask for their next page while they decode the current one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use shared::App;

use crate::support::{app_at, ask_users, credential, listen};

/// The keys that Queries began after, and those of them that were not given up.
#[derive(Default, Clone)]
struct Asked(Arc<Mutex<(Vec<String>, Vec<String>)>>);

impl Asked {
    /// Whether this becomes true soon.
    async fn becomes(&self, expected: impl Fn(&[String], &[String]) -> bool) -> bool {
        for _ in 0..200 {
            {
                let asked = self.0.lock().unwrap();
                if expected(&asked.0, &asked.1) {
                    return true;
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }
}

/// Tells when a Query is given up: axum drops the handler of a connection that is closed.
struct UnderWay(Asked, String);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.0.lock().unwrap().1.retain(|key| *key != self.1);
    }
}

/// A store whose first page is `first`, whose page after the key `b` is `second`, and which never
/// answers any other Query.
async fn store(first: &str, second: &str) -> (App, Asked) {
    let (asked, pages) = (Asked::default(), [first, second].map(str::to_owned));
    let seen = asked.clone();
    let answer = async move |body: Bytes| {
        let input: Value = serde_json::from_slice(&body).unwrap();
        if input["Key"].is_object() {
            return credential("account").to_string();
        }
        let after = input["ExclusiveStartKey"]["userId"]["S"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        {
            let mut seen = seen.0.lock().unwrap();
            seen.0.push(after.clone());
            seen.1.push(after.clone());
        }
        match after.as_str() {
            "" => pages[0].clone(),
            "b" => pages[1].clone(),
            _ => {
                let _under_way = UnderWay(seen, after);
                std::future::pending().await
            }
        }
    };
    let address = listen(Router::new().fallback(answer)).await;
    (app_at(&format!("http://{address}")), asked)
}

fn key(user_id: &str) -> String {
    json!({"project": {"S": "p"}, "userId": {"S": user_id}}).to_string()
}

fn page(user_id: &str, last: &str) -> String {
    let key = key(user_id);
    format!(r#"{{"Count":1,"Items":[{key}],"LastEvaluatedKey":{last},"ScannedCount":1}}"#)
}

#[tokio::test]
async fn the_next_page_is_asked_for_before_anybody_reads_the_current_one() {
    let (app, asked) = store(&page("b", &key("b")), r#"{"Items":[]}"#).await;
    let answer = ask_users(&app, "").await;
    assert!(asked.becomes(|keys, _| keys == ["", "b"]).await);
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let list: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(list["users"][0]["userId"], "b");
    assert!(asked.becomes(|keys, _| keys == ["", "b"]).await, "once");
}

#[tokio::test]
async fn a_client_that_leaves_takes_the_question_back() {
    let (app, asked) = store(&page("c", &key("c")), "").await;
    let answer = ask_users(&app, "").await;
    assert!(
        asked
            .becomes(|_, open| open.contains(&"c".to_owned()))
            .await
    );
    drop(answer);
    assert!(
        asked
            .becomes(|_, open| !open.contains(&"c".to_owned()))
            .await
    );
}

#[tokio::test]
async fn a_list_with_a_limit_does_not_ask_for_what_it_may_not_show() {
    let [a, c] = ["a", "c"].map(key);
    let page = format!(r#"{{"Items":[{a},{c}],"LastEvaluatedKey":{c}}}"#);
    let (app, asked) = store(&page, "").await;
    assert_eq!(ask_users(&app, "&limit=1").await.status(), 200);
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(asked.0.lock().unwrap().0, [""]);
}

#[tokio::test]
async fn a_list_is_whole_wherever_and_however_a_page_says_that_there_is_more() {
    let (a, b, z) = (key("a"), key("b"), key("z"));
    let escaped = r#"{"project":{"S":"p"},"user\u0049d":{"S":"\u0062"}}"#;
    // A user may have a trait of that name, and one whose text looks like the end of a page.
    let traits = format!(r#"{{"M":{{"LastEvaluatedKey":{{"M":{z}}}}}}}"#);
    let text = json!({"S": format!(r#"],"LastEvaluatedKey":{z}}}"#)});
    let long = json!({"S": "x".repeat(20_000)});
    let user = |traits: &str| format!(r#"{{"userId":{{"S":"a"}},"traits":{traits}}}"#);
    for first in [
        format!(r#"{{"Items":[{a}],"LastEvaluatedKey":{b}}}"#),
        format!("{{\"Items\":[{a}] , \"LastEvaluatedKey\"\n: {b} }}"),
        format!(r#"{{"Items":[{a}],"LastEvaluatedKey":{escaped},"Count":1}}"#),
        format!(r#"{{"LastEvaluatedKey":{b},"Items":[{a}]}}"#),
        format!(r#"{{"LastEvaluatedKey":{b},"Items":[{}]}}"#, user(&traits)),
        format!(r#"{{"Items":[{}],"LastEvaluatedKey":{b}}}"#, user(&traits)),
        format!(
            r#"{{"LastEvaluatedKey":{b},"Items":[{}]}}"#,
            user(&format!(r#"{{"M":{{"t":{text}}}}}"#))
        ),
        format!(
            r#"{{"LastEvaluatedKey":{b},"Items":[{}]}}"#,
            user(&format!(r#"{{"M":{{"t":{long}}}}}"#))
        ),
    ] {
        let second = format!(r#"{{"Items":[{{"userId":{{"S":"c"}},"traits":{traits}}}]}}"#);
        let (app, asked) = store(&first, &second).await;
        let body = ask_users(&app, "").await.into_body().collect();
        let body = tokio::time::timeout(Duration::from_secs(5), body).await;
        let body = body.expect(&first).unwrap().to_bytes();
        let list: Value = serde_json::from_slice(&body).unwrap();
        let users: Vec<_> = list["users"].as_array().unwrap().iter().collect();
        let ids: Vec<_> = users.iter().map(|user| &user["userId"]).collect();
        assert_eq!(ids, ["a", "c"], "{first}");
        assert_eq!(asked.0.lock().unwrap().0, ["", "b"], "{first}");
    }
}
