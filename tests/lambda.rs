//! The functions' programs as Lambda runs them: with API Gateway's events, over the Runtime API.

use std::io::Read;
use std::process::Command;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::support::{
    Api, BUFFERED, Bootstrap, Project, STATISTICS, STATISTICS_PROGRAM, USERS, USERS_PROGRAM,
    asking, basic, credential, event, fails_on_the_way, fault, filter, listen, s, stub_store,
};

#[tokio::test]
async fn every_event_gets_the_served_answer_whole_or_streamed() {
    let account = basic("demo", "demo-password-0000");
    let users = Api::shared()
        .get(
            &format!("{USERS}?project=demo&limit=2"),
            &[("Authorization", &account)],
        )
        .await;
    let filter = filter("airline", "contains", "air");
    let statistics = format!("{STATISTICS}?project=demo&startDate=2014-08-01{filter}");
    let statistics = Api::shared()
        .get(&statistics, &[("AuthKey", "demo-read-key-0000")])
        .await;
    for (program, variables, streams, kind, served) in [
        (
            STATISTICS_PROGRAM,
            &[][..],
            false,
            "response-statistics",
            statistics,
        ),
        (USERS_PROGRAM, &[], true, "users", users.clone()),
        (USERS_PROGRAM, &BUFFERED, false, "users", users),
    ] {
        let mut bootstrap = Bootstrap::start(program, variables).await;
        for gateway in ["rest", "http"] {
            let outcome = bootstrap.invoke(&event(&format!("{kind}-{gateway}"))).await;
            assert_eq!(
                (outcome.failed, outcome.streamed),
                (false, streams),
                "{outcome:?}"
            );
            let (status, headers, body) = outcome.response();
            assert_eq!(
                (status, String::from_utf8(body).unwrap().as_str()),
                (200, served.text())
            );
            assert_eq!(headers["content-type"], "application/json");
            assert_eq!(headers["cache-control"], "no-store");
            assert_eq!(headers["x-request-id"], outcome.request_id);
            assert_eq!(headers["link"].is_string(), kind == "users");
        }
    }
}

#[tokio::test]
async fn faults_of_requests_are_the_contracts_answers() {
    for (program, variables, name, status, code) in [
        (
            STATISTICS_PROGRAM,
            &[][..],
            "response-statistics-wrong-key-rest",
            401,
            "unauthenticated",
        ),
        (
            USERS_PROGRAM,
            &[],
            "users-bad-parameter-http",
            400,
            "invalid_parameter",
        ),
        (
            USERS_PROGRAM,
            &BUFFERED,
            "users-bad-parameter-http",
            400,
            "invalid_parameter",
        ),
    ] {
        let mut bootstrap = Bootstrap::start(program, variables).await;
        let outcome = bootstrap.invoke(&event(name)).await;
        let (found, headers, body) = outcome.response();
        let document: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(
            (found, &document["errors"][0]["code"]),
            (status, &json!(code)),
            "{document}"
        );
        assert_eq!(document["errors"][0]["id"], outcome.request_id);
        assert_eq!(headers["www-authenticate"].is_string(), status == 401);
    }
}

#[tokio::test]
async fn an_event_that_cannot_be_handled_ends_neither_the_process_nor_the_next_one() {
    let mut no_method = event("users-rest");
    no_method["httpMethod"] = json!("not a method");
    for (program, name) in [
        (STATISTICS_PROGRAM, "response-statistics-rest"),
        (USERS_PROGRAM, "users-rest"),
    ] {
        let mut bootstrap = Bootstrap::start(program, &[]).await;
        for broken in [json!({"no": "request"}), json!([]), no_method.clone()] {
            assert!(bootstrap.invoke(&broken).await.failed);
            let outcome = bootstrap.invoke(&event(name)).await;
            assert_eq!(
                (outcome.failed, outcome.response().0),
                (false, 200),
                "{outcome:?}"
            );
        }
    }
}

/// A project whose list passes 6 MB, and an event that asks for the list.
async fn large_list(accept_encoding: &str) -> (Project, Value) {
    let project = Project::new().await;
    for user_id in 0..20 {
        project
            .put_user(&user_id.to_string(), &[("name", s(&"x".repeat(350_000)))])
            .await;
    }
    let account = basic(&project.username, &project.password);
    let headers = [
        ("Authorization", account.as_str()),
        ("Accept-Encoding", accept_encoding),
    ];
    let event = asking(
        event("users-rest"),
        &headers,
        json!({"project": project.id}),
    );
    (project, event)
}

#[tokio::test]
async fn a_large_list_is_streamed_and_compressed_when_the_client_accepts_it() {
    let (project, event) = large_list("gzip").await;
    let served = Api::shared().users(&project, "").await;
    let outcome = Bootstrap::start(USERS_PROGRAM, &[])
        .await
        .invoke(&event)
        .await;
    let (status, headers, body) = outcome.response();
    assert_eq!(
        (status, outcome.streamed, &headers["content-encoding"]),
        (200, true, &json!("gzip"))
    );
    let mut text = String::new();
    GzDecoder::new(&body[..]).read_to_string(&mut text).unwrap();
    assert!(text == served.text(), "the list that is served");
}

#[tokio::test]
async fn a_large_list_is_refused_where_answers_are_buffered() {
    let (_, event) = large_list("gzip").await;
    let outcome = Bootstrap::start(USERS_PROGRAM, &BUFFERED)
        .await
        .invoke(&event)
        .await;
    let (status, headers, body) = outcome.response();
    assert_eq!((status, &headers["content-encoding"]), (422, &Value::Null));
    let document: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(document["errors"][0]["code"], "response_too_large");
}

#[tokio::test]
async fn a_stream_that_fails_on_the_way_is_never_closed_and_is_counted() {
    let endpoint = stub_store(fails_on_the_way).await;
    let mut bootstrap = Bootstrap::start_over(&endpoint, USERS_PROGRAM, &[]).await;
    let event = asking(
        event("users-rest"),
        &[("Authorization", &basic("u", "any"))],
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
    assert_eq!(bootstrap.line().await["Incomplete"], 1);
    // The next one is not harmed.
    assert_eq!(bootstrap.invoke(&event).await.response().0, 200);
}

#[tokio::test]
async fn lambda_opens_connections_before_the_first_request_whatever_comes_of_it() {
    let on_lambda = [("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")];
    for (variables, expected) in [(&on_lambda[..], 200), (&[], 500)] {
        // Only the first read is refused.
        let endpoint = stub_store(|operation, _, calls| match (operation, calls) {
            ("GetItem", 0) => (400, fault("AccessDeniedException")),
            ("GetItem", _) => (200, credential("read-key")),
            _ => (200, json!({"Items": []})),
        })
        .await;
        let mut bootstrap = Bootstrap::start_over(&endpoint, STATISTICS_PROGRAM, variables).await;
        let event = asking(
            event("response-statistics-rest"),
            &[("AuthKey", "any key")],
            json!({"project": "p"}),
        );
        let (status, _, _) = bootstrap.invoke(&event).await.response();
        assert_eq!(status, expected);
    }
}

#[tokio::test]
async fn a_function_signs_with_the_credentials_and_for_the_region_of_its_environment() {
    let (sender, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let answer = async move |request: axum::extract::Request| {
        let header = |name| request.headers()[name].to_str().unwrap().to_owned();
        let signed = [header("authorization"), header("x-amz-security-token")];
        sender.send(signed).unwrap();
        axum::http::StatusCode::BAD_REQUEST
    };
    let router = axum::Router::new().fallback(answer);
    let endpoint = format!("http://{}", listen(router).await);
    let variables = [
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SESSION_TOKEN", "a session"),
    ];
    let mut bootstrap = Bootstrap::start_over(&endpoint, USERS_PROGRAM, &variables).await;
    bootstrap.invoke(&event("users-rest")).await;
    let [authorization, token] = asked.recv().await.unwrap();
    assert!(
        authorization.contains("Credential=AKIDEXAMPLE/")
            && authorization.contains("/eu-central-1/dynamodb/"),
        "{authorization}"
    );
    assert_eq!(token, "a session");
}

#[test]
fn a_function_without_region_or_credentials_says_what_is_missing_and_ends() {
    let region = ("AWS_REGION", "eu-central-1");
    let half = ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    for (variables, missing) in [
        (&[][..], "AWS_REGION"),
        (&[region], "AWS_ACCESS_KEY_ID"),
        (&[region, half], "AWS_SECRET_ACCESS_KEY"),
    ] {
        for program in [USERS_PROGRAM, STATISTICS_PROGRAM] {
            let mut command = Command::new(program);
            let ended = command.env_clear().envs(variables.iter().copied());
            let ended = ended.output().unwrap();
            let said = String::from_utf8(ended.stderr).unwrap();
            assert!(!ended.status.success() && said.contains(missing), "{said}");
        }
    }
}
