//! Lists are compressed for clients that accept gzip.

use http_body_util::BodyExt;
use std::io::{ErrorKind, Read};
use std::pin::pin;

use flate2::read::GzDecoder;
use http::HeaderValue;
use http::header::ACCEPT_ENCODING;
use service::response::{gzipped, streamed};

use crate::support::{
    Api, End, Project, Reply, USERS, app_over, basic, call, fails_after_the_first_page, gunzip,
    new_project, read_to_end, s,
};

/// Requests users of the project with this `Accept-Encoding`.
async fn list(project: &Project, query: &str, accept_encoding: &str) -> Reply {
    let account = basic(&project.username, &project.password);
    let headers = [
        ("Authorization", account.as_str()),
        ("Accept-Encoding", accept_encoding),
    ];
    let target = project.target(USERS) + query;
    Api::shared().get(&target, &headers).await
}

#[tokio::test]
async fn a_client_that_accepts_gzip_receives_the_same_list_compressed() {
    let project = new_project().await;
    let user = |id: usize| {
        let key = [("project", s(&project.id)), ("userId", s(&id.to_string()))];
        key.into_iter().chain([("name", s("Somebody"))]).collect()
    };
    let users = (0..100).map(user).collect();
    project.put_many("users", users).await;
    let plain = Api::shared().users(&project, "").await;
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(plain.header("vary"), Some("Accept-Encoding"));
    for accepted in [
        "gzip",
        "deflate, GZIP;q=0.5, br",
        "gzip, deflate, br, zstd",
        "identity;q=0.1,gzip",
    ] {
        let reply = list(&project, "", accepted).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("content-encoding"), Some("gzip"), "{accepted}");
        assert_eq!(reply.header("vary"), Some("Accept-Encoding"), "{accepted}");
        assert_eq!(gunzip(&reply.body), plain.body, "{accepted}");
        let sizes = [&reply, &plain].map(|it| it.body.len());
        assert!(sizes[0] * 4 < sizes[1], "{sizes:?}");
    }
}

#[tokio::test]
async fn other_responses_are_never_compressed() {
    let project = new_project().await;
    project.put_user("one", &[]).await;
    for (query, status) in [("userId=one", 200), ("limit=1", 200), ("limit=none", 400)] {
        let query = format!("&{query}");
        let reply = list(&project, &query, "gzip").await;
        assert_eq!(reply.status, status, "{query}");
        assert!(reply.json().is_object(), "{query}");
        for header in ["content-encoding", "vary"] {
            assert_eq!(reply.header(header), None, "{query}");
        }
    }
}

#[tokio::test]
async fn a_compressed_list_that_fails_lacks_the_end_of_the_compressed_data() {
    let app = app_over(fails_after_the_first_page);
    let request = http::Request::get(format!("{USERS}?project=p"))
        .header("Authorization", basic("u", "any"))
        .header("Accept-Encoding", "gzip");
    let response = users::handle(call(request), &app).await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    let (sent, end) = read_to_end(response).await;
    assert_eq!(end, End::Failed);
    let decoded = GzDecoder::new(&sent.body[..]).read_to_end(&mut Vec::new());
    assert_eq!(decoded.unwrap_err().kind(), ErrorKind::UnexpectedEof);
}

#[tokio::test]
async fn other_requests_are_served_while_a_large_page_is_compressed() {
    let page = streamed(futures_util::stream::iter([Ok(vec![b'x'; 1 << 20].into())]));
    let accepted = [(ACCEPT_ENCODING, HeaderValue::from_static("gzip"))];
    let mut collected = pin!(gzipped(page, &accepted.into_iter().collect()).collect());
    let mut turns = 0;
    // On one thread: what others get is what the compression leaves them.
    let body = std::future::poll_fn(|context| {
        turns += 1;
        collected.as_mut().poll(context)
    });
    let text = gunzip(&body.await.unwrap().to_bytes());
    assert_eq!(text.len(), 1 << 20);
    assert!(turns > 10, "{turns}");
}
