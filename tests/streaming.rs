//! Lists on Lambda: streamed, or buffered under `sam local`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::support::{
    Api, BUFFERED, Bootstrap, Operation, Project, USERS_PROGRAM, assert_unclosed, basic, bootstrap,
    fails_after_the_first_page, gunzip, new_project, recording_store, s,
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
    for (accepted, encoding) in [("gzip", Some("gzip")), ("identity", None)] {
        let outcome = streaming.invoke(&list(&large, accepted)).await;
        let reply = outcome.response();
        assert!(reply.status == 200 && outcome.streamed, "{reply:?}");
        assert_eq!(reply.header("content-encoding"), encoding);
        let text = match encoding {
            Some(_) => gunzip(&reply.body),
            None => reply.body.to_vec(),
        };
        assert!(text == served.body, "not the list that is served");
    }

    let served = Api::shared().users(&small, "").await;
    let mut buffering = bootstrap(USERS_PROGRAM, &BUFFERED);
    for (project, expected) in [(&small, 200), (&large, 422)] {
        let outcome = buffering.invoke(&list(project, "gzip")).await;
        let reply = outcome.response();
        assert!(reply.status == expected && !outcome.streamed, "{reply:?}");
        assert_eq!(reply.header("content-encoding"), None);
        assert_eq!(reply.request_id(), outcome.request_id);
        if expected == 200 {
            assert_eq!(reply.body, served.body);
        } else {
            assert_eq!(reply.code(422), "response_too_large");
            assert_eq!(reply.json()["errors"][0]["id"], outcome.request_id);
        }
    }
}

#[tokio::test]
async fn a_stream_that_fails_is_never_closed_says_why_and_is_logged() {
    let store = recording_store(fails_after_the_first_page);
    let mut bootstrap = Bootstrap::start(store.url(), USERS_PROGRAM, &[]);
    let event = Operation::Users.event_of_stub("");
    let outcome = bootstrap.invoke(&event).await;
    let reply = outcome.response();
    assert!(reply.status == 200 && outcome.streamed, "{reply:?}");
    let body = reply.text();
    assert_unclosed(body);
    assert!(serde_json::from_str::<Value>(body).is_err(), "{body}");
    let (_, encoded) = body.rsplit_once("Function-Error-Body: ").expect(body);
    let text = STANDARD.decode(encoded.trim_end()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("internal: Something went wrong"), "{text}");
    assert!(!text.contains("inner workings"), "{text}");
    assert_eq!(bootstrap.log_line().await["complete"], false);
    // The next invocation is not affected.
    assert_eq!(bootstrap.invoke(&event).await.response().status, 200);
}
