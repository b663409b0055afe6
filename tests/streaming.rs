//! Lists on Lambda: streamed, or buffered under `sam local`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::{
    Api, BUFFERED, Bootstrap, Operation, Project, USERS_PROGRAM, basic, bootstrap,
    fails_after_the_first_page, gunzip, new_project, s, stub_store,
};

/// Returns an event that requests the list of the project, with this `Accept-Encoding`.
fn list(project: &Project, accept_encoding: &str) -> Value {
    let account = basic(&project.username, &project.password);
    let headers = [
        ("Authorization", account.as_str()),
        ("Accept-Encoding", accept_encoding),
    ];
    Operation::Users.rest(&format!("project={}", project.id), &headers)
}

#[tokio::test]
async fn a_list_is_streamed_and_compressed_or_buffered_up_to_six_megabytes() {
    let (small, large) = (new_project().await, new_project().await);
    small.put_user("a", &[("name", s("\"\\é"))]).await;
    let name = "x".repeat(350_000);
    let user_ids: Vec<_> = (10..30).map(|n| n.to_string()).collect();
    for user_id in user_ids.iter().rev() {
        large.put_user(user_id, &[("name", s(&name))]).await;
    }
    let served = Api::shared().users(&large, "").await;
    assert_eq!(served.user_ids(), user_ids);
    let mut streaming = bootstrap(USERS_PROGRAM, &[]);
    for (accepted, encoding) in [("gzip", json!("gzip")), ("identity", Value::Null)] {
        let outcome = streaming.invoke(&list(&large, accepted)).await;
        let (status, headers, body) = outcome.response();
        assert_eq!((status, outcome.streamed), (200, true));
        assert_eq!(headers["content-encoding"], encoding);
        let text = if accepted == "gzip" {
            gunzip(&body)
        } else {
            body
        };
        assert!(text == served.body, "not the list that is served");
    }

    let served = Api::shared().users(&small, "").await;
    let mut buffering = bootstrap(USERS_PROGRAM, &BUFFERED);
    for (project, expected) in [(&small, 200), (&large, 422)] {
        let outcome = buffering.invoke(&list(project, "gzip")).await;
        let (status, headers, body) = outcome.response();
        assert_eq!((status, outcome.streamed), (expected, false));
        assert_eq!(headers["content-encoding"], Value::Null);
        assert_eq!(headers["x-request-id"], outcome.request_id);
        if status == 200 {
            assert_eq!(body, served.body);
        } else {
            let error = &serde_json::from_slice::<Value>(&body).unwrap()["errors"][0];
            assert_eq!(
                (&error["code"], &error["id"]),
                (&json!("response_too_large"), &json!(outcome.request_id))
            );
        }
    }
}

#[tokio::test]
async fn a_stream_that_fails_is_never_closed_says_why_and_is_logged() {
    let endpoint = stub_store(fails_after_the_first_page);
    let mut bootstrap = Bootstrap::start(&endpoint, USERS_PROGRAM, &[]);
    let account = basic("u", "any");
    let event = Operation::Users.rest("project=p", &[("Authorization", &account)]);
    let outcome = bootstrap.invoke(&event).await;
    let (status, _, body) = outcome.response();
    let body = String::from_utf8(body).unwrap();
    assert_eq!((status, outcome.streamed), (200, true));
    assert!(
        body.starts_with(r#"{"users":[{"#) && !body.ends_with("]}"),
        "{body}"
    );
    assert!(serde_json::from_str::<Value>(&body).is_err(), "{body}");
    let (_, encoded) = body.rsplit_once("Function-Error-Body: ").expect(&body);
    let text = STANDARD.decode(encoded.trim_end()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("internal: Something went wrong"), "{text}");
    assert!(!text.contains("inner workings"), "{text}");
    assert_eq!(bootstrap.log_line().await["complete"], false);
    // The next invocation is not affected.
    assert_eq!(bootstrap.invoke(&event).await.response().0, 200);
}
