//! Queries whose characters a URL may not hold: a v2 event passes them on as a client sent them.

use serde_json::json;

use crate::support::{Operation, Project, Reply, answer, basic, event, handle_event, new_project};

async fn ask(project: &Project, query: &str) -> Reply {
    let mut event = event("users-http");
    let account = basic(&project.username, &project.password);
    event["headers"]["authorization"] = json!(account);
    event["rawQueryString"] = json!(format!("project={}&{query}", project.id));
    handle_event(Operation::Users, &event).await
}

#[tokio::test]
async fn characters_that_should_have_been_encoded_mean_themselves() {
    let project = new_project().await;
    for user_id in ["a b", r#"say "hi""#, "<b>", "{a|b}^`\\", "größer"] {
        project.put_user(user_id, &[]).await;
        let reply = ask(&project, &format!("userId={user_id}")).await;
        assert_eq!(reply.user_ids(), [user_id]);
    }
}

#[tokio::test]
async fn a_query_with_such_characters_is_checked_like_any_other() {
    let project = new_project().await;
    for (query, problem) in [
        ("user id=a", "unknown user id"),
        (r#"limit="2""#, "invalid limit"),
        ("userId=<%ff>", "invalid userId"),
        ("userId=a b&userId=<b>", "duplicate userId"),
    ] {
        let reply = ask(&project, query).await;
        assert_eq!(answer(&reply), problem, "{query}");
    }
}
