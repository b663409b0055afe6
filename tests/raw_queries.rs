//! Queries whose characters a URL may not hold: a v2 event passes them on as a client sent them.

use serde_json::{Value, json};

use crate::support::{Project, USERS_PROGRAM, basic, bootstrap, event, new_project};

fn asking(project: &Project, query: &str) -> Value {
    let mut event = event("users-http");
    let account = basic(&project.username, &project.password);
    event["headers"]["authorization"] = json!(account);
    event["rawQueryString"] = json!(format!("project={}&{query}", project.id));
    event
}

#[tokio::test]
async fn characters_that_should_have_been_encoded_mean_themselves() {
    let project = new_project().await;
    let mut bootstrap = bootstrap(USERS_PROGRAM, &[]);
    for user_id in ["a b", r#"say "hi""#, "<b>", "{a|b}^`\\", "größer"] {
        project.put_user(user_id, &[]).await;
        let event = asking(&project, &format!("userId={user_id}"));
        let (status, _, body) = bootstrap.invoke(&event).await.response();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(
            (status, &body["users"][0]["userId"]),
            (200, &json!(user_id))
        );
    }
}

#[tokio::test]
async fn a_query_with_such_characters_is_checked_like_any_other() {
    let project = new_project().await;
    let mut bootstrap = bootstrap(USERS_PROGRAM, &[]);
    for (query, code, parameter) in [
        ("user id=a", "unknown_parameter", "user id"),
        (r#"limit="2""#, "invalid_parameter", "limit"),
        ("userId=<%ff>", "invalid_parameter", "userId"),
        ("userId=a b&userId=<b>", "duplicate_parameter", "userId"),
    ] {
        let outcome = bootstrap.invoke(&asking(&project, query)).await;
        let (status, _, body) = outcome.response();
        let error = &serde_json::from_slice::<Value>(&body).unwrap()["errors"][0];
        assert_eq!((status, &error["code"]), (400, &json!(code)), "{query}");
        assert_eq!(error["source"]["parameter"], parameter);
    }
}
