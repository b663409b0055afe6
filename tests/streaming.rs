//! Lists on Lambda: streamed, or buffered under `sam local`.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::support::{
    Api, BUFFERED, Bootstrap, Project, USERS_PROGRAM, basic, bootstrap, event_with,
    fails_after_the_first_page, new_project, s, stub_store,
};

/// Returns an event that requests the list of the project, with this `Accept-Encoding`.
fn list(project: &Project, accept_encoding: &str) -> Value {
    let account = basic(&project.username, &project.password);
    let headers = [
        ("Authorization", account.as_str()),
        ("Accept-Encoding", accept_encoding),
    ];
    event_with("users-rest", &headers, json!({"project": project.id}))
}

/// Makes a project whose list exceeds 6 MB.
async fn large_project() -> Project {
    let project = new_project().await;
    let name = "x".repeat(350_000);
    for user_id in 0..20 {
        project
            .put_user(&user_id.to_string(), &[("name", s(&name))])
            .await;
    }
    project
}

#[tokio::test]
async fn a_large_list_is_streamed_and_compressed_if_the_client_accepts_it() {
    let project = large_project().await;
    let served = Api::shared().users(&project, "").await;
    assert_eq!(served.user_ids().len(), 20);
    let mut bootstrap = bootstrap(USERS_PROGRAM, &[]);
    let outcome = bootstrap.invoke(&list(&project, "gzip")).await;
    let (status, headers, body) = outcome.response();
    assert_eq!(
        (status, outcome.streamed, &headers["content-encoding"]),
        (200, true, &json!("gzip"))
    );
    let mut text = String::new();
    GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
    assert!(text == served.text(), "not the list that is served");

    let outcome = bootstrap.invoke(&list(&project, "identity")).await;
    let (status, headers, body) = outcome.response();
    assert_eq!(
        (status, outcome.streamed, &headers["content-encoding"]),
        (200, true, &Value::Null)
    );
    assert!(body == served.body, "not the list that is served");
}

#[tokio::test]
async fn a_buffered_list_is_the_served_one_uncompressed_or_a_422_above_six_megabytes() {
    let (small, large) = (new_project().await, large_project().await);
    for user_id in ["a", "b", "c"] {
        small.put_user(user_id, &[("name", s("\"\\é"))]).await;
    }
    let served = Api::shared().users(&small, "").await;
    assert_eq!(served.user_ids(), ["a", "b", "c"]);
    let mut bootstrap = bootstrap(USERS_PROGRAM, &BUFFERED);
    let outcome = bootstrap.invoke(&list(&small, "gzip")).await;
    let (status, headers, body) = outcome.response();
    assert_eq!(
        (status, outcome.streamed, &headers["content-encoding"]),
        (200, false, &Value::Null)
    );
    assert_eq!(String::from_utf8(body).unwrap(), served.text());

    let outcome = bootstrap.invoke(&list(&large, "gzip")).await;
    let (status, headers, body) = outcome.response();
    assert_eq!(
        (status, outcome.streamed, &headers["content-encoding"]),
        (422, false, &Value::Null)
    );
    let document: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(document["errors"][0]["code"], "response_too_large");
    assert_eq!(document["errors"][0]["id"], outcome.request_id);
    assert_eq!(headers["x-request-id"], outcome.request_id);
}

#[tokio::test]
async fn a_stream_that_fails_is_never_closed_and_is_counted() {
    let endpoint = stub_store(fails_after_the_first_page);
    let mut bootstrap = Bootstrap::start(&endpoint, USERS_PROGRAM, &[]);
    let account = basic("u", "any");
    let event = event_with(
        "users-rest",
        &[("Authorization", &account)],
        json!({"project": "p"}),
    );
    let outcome = bootstrap.invoke(&event).await;
    let (status, _, body) = outcome.response();
    let body = String::from_utf8(body).unwrap();
    assert_eq!((status, outcome.streamed), (200, true));
    assert!(
        body.starts_with(r#"{"users":[{"#) && !body.ends_with("]}"),
        "{body}"
    );
    assert!(serde_json::from_str::<Value>(&body).is_err(), "{body}");
    assert_eq!(bootstrap.metrics_line().await["Incomplete"], 1);
    // The next invocation is not affected.
    assert_eq!(bootstrap.invoke(&event).await.response().0, 200);
}
