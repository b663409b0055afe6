//! Lists are compressed for clients that accept gzip.

use std::io::Read;

use flate2::read::GzDecoder;
use http_body_util::BodyExt;

use crate::support::{Api, Project, USERS, app_over, basic, call, fails_on_the_way, s};

async fn list(project: &Project, query: &str, accept_encoding: &str) -> crate::support::Reply {
    let account = basic(&project.username, &project.password);
    let headers = [
        ("Authorization", account.as_str()),
        ("Accept-Encoding", accept_encoding),
    ];
    Api::shared()
        .get(&(project.target(USERS) + query), &headers)
        .await
}

#[tokio::test]
async fn a_client_that_accepts_gzip_gets_the_same_list_compressed() {
    let project = Project::new().await;
    for user_id in 0..100 {
        project
            .put_user(&user_id.to_string(), &[("name", s("Somebody"))])
            .await;
    }
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
        let mut text = String::new();
        GzDecoder::new(&reply.body[..])
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, plain.text(), "{accepted}");
        assert!(
            reply.body.len() * 4 < plain.body.len(),
            "{} of {}",
            reply.body.len(),
            plain.body.len()
        );
    }
}

#[tokio::test]
async fn other_clients_and_other_answers_are_left_as_they_are() {
    let project = Project::new().await;
    project.put_user("one", &[]).await;
    for refused in [
        "",
        "identity",
        "br",
        "gzip;q=0",
        "gzip; q=0.0",
        "gzip;Q=0",
        "x-gzip",
        "gzip;q=many",
    ] {
        assert_eq!(
            list(&project, "", refused).await.header("content-encoding"),
            None,
            "{refused}"
        );
    }
    for query in ["&userId=one", "&limit=1", "&limit=none"] {
        assert_eq!(
            list(&project, query, "gzip")
                .await
                .header("content-encoding"),
            None,
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_compressed_list_that_fails_on_the_way_has_no_end() {
    let app = app_over(fails_on_the_way).await;
    let request = http::Request::get(format!("{USERS}?project=p"))
        .header("Authorization", basic("u", "any"))
        .header("Accept-Encoding", "gzip");
    let mut body = users::handle(call(request), &app).await.into_body();
    let mut sent = Vec::new();
    let failed = loop {
        match body.frame().await {
            Some(Ok(frame)) => sent.extend_from_slice(&frame.into_data().unwrap()),
            Some(Err(_)) => break true,
            None => break false,
        }
    };
    assert!(failed);
    assert!(
        GzDecoder::new(&sent[..])
            .read_to_end(&mut Vec::new())
            .is_err()
    );
}
