//! What every request has in common: methods, paths, the order of checks, headers and the error
//! document (contract, section 1).

use http::Method;
use serde_json::{Value, json};

use crate::support::{Api, Reply, STATISTICS, USERS, answer, basic, new_project};

#[tokio::test]
async fn other_methods_on_a_known_path_are_refused_with_the_allowed_one() {
    for path in [STATISTICS, USERS, "/health"] {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PURGE"] {
            let reply = Api::shared().send(method.parse().unwrap(), path, &[]).await;
            assert_eq!(reply.status, 405, "{method} {path}");
            assert_eq!(reply.header("allow"), Some("GET"), "{method} {path}");
            if method != "HEAD" {
                assert_eq!(reply.code(405), "method_not_allowed");
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    for path in [
        "/api",
        "/api/user",
        "/api/users/1",
        "/API/users",
        "/api/users//",
        "//api/users",
        "/api/v2",
        "/api/v1/response-statistics",
        "/api/%75sers",
        "/api/v2/response-statistics/x",
        "/health/x",
    ] {
        for method in [Method::GET, Method::POST] {
            assert_eq!(
                Api::shared().send(method, path, &[]).await.code(404),
                "not_found",
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn one_trailing_slash_is_accepted() {
    let project = new_project().await;
    let account = basic(&project.username, &project.password);
    let headers = [
        ("AuthKey", project.read_key.as_str()),
        ("Authorization", &account),
    ];
    for path in [STATISTICS, USERS] {
        let reply = Api::shared()
            .get(&format!("{path}/?project={}", project.id), &headers)
            .await;
        assert_eq!(reply.status, 200, "{path}");
    }
}

#[tokio::test]
async fn health_needs_no_credentials() {
    let reply = Api::shared().get("/health", &[]).await;
    assert_eq!(
        (reply.status.as_u16(), reply.text()),
        (200, r#"{"status":"ok"}"#)
    );
}

#[tokio::test]
async fn checks_have_the_contracts_order() {
    let (project, other) = (new_project().await, new_project().await);
    let account = basic(&project.username, &project.password);
    let valid = [
        ("AuthKey", project.read_key.as_str()),
        ("Authorization", &account),
    ];
    let wrong = [("AuthKey", "wrong"), ("Authorization", "Basic wrong")];
    for path in [STATISTICS, USERS] {
        let bad = format!("{path}?project={}&format=xml", other.id);
        let foreign = format!("{path}?project={}", other.id);
        assert_eq!(
            Api::shared().send(Method::POST, &bad, &wrong).await.status,
            405,
            "method before credentials"
        );
        assert_eq!(
            Api::shared().get(&bad, &wrong).await.status,
            401,
            "credentials before parameters"
        );
        assert_eq!(
            Api::shared().get(&bad, &valid).await.status,
            400,
            "parameters before authorization"
        );
        assert_eq!(Api::shared().get(&foreign, &valid).await.status, 403);
    }
    let unknown = format!("/api/unknown?project={}", other.id);
    assert_eq!(
        Api::shared()
            .send(Method::POST, &unknown, &wrong)
            .await
            .status,
        404,
        "path before everything"
    );
}

#[tokio::test]
async fn every_response_is_json_with_an_id_of_its_own_and_is_never_stored() {
    let project = new_project().await;
    let mut ids = std::collections::BTreeSet::new();
    let replies = [
        Api::shared().statistics(&project, "").await,
        Api::shared().users(&project, "").await,
        Api::shared().users(&project, "&limit=x").await,
        Api::shared().get(USERS, &[]).await,
        Api::shared().get("/health", &[]).await,
        Api::shared().get("/unknown", &[]).await,
        Api::shared()
            .send(
                Method::POST,
                USERS,
                &[("X-Request-Id", "chosen by the client")],
            )
            .await,
    ];
    for reply in &replies {
        assert_eq!(
            reply.header("content-type"),
            Some("application/json"),
            "{reply:?}"
        );
        assert_eq!(reply.header("cache-control"), Some("no-store"), "{reply:?}");
        let streamed = reply.text().starts_with(r#"{"users":"#) && reply.header("link").is_none();
        let length = (!streamed).then(|| reply.body.len().to_string());
        assert_eq!(
            reply.header("content-length"),
            length.as_deref(),
            "{reply:?}"
        );
        ids.insert(reply.request_id());
        if let Some(errors) = reply.json()["errors"].as_array() {
            assert!(
                errors.iter().all(|error| error["id"] == reply.request_id()),
                "{reply:?}"
            );
        }
    }
    let statuses = replies.each_ref().map(|reply| reply.status.as_u16());
    assert_eq!(statuses, [200, 200, 400, 401, 200, 404, 405]);
    assert_eq!(ids.len(), replies.len());
    assert!(!ids.contains("chosen by the client"));
}

#[tokio::test]
async fn the_error_document_is_the_contracts() {
    let project = new_project().await;
    let reply = Api::shared()
        .statistics(&project, "&startDate=yesterday")
        .await;
    assert_eq!(
        reply.text(),
        format!(
            r#"{{"errors":[{{"id":"{}","status":"400","code":"invalid_parameter","title":"Invalid parameter","detail":"startDate must be an ISO 8601 timestamp, got \"yesterday\"","source":{{"parameter":"startDate"}}}}]}}"#,
            reply.request_id()
        )
    );
}

#[tokio::test]
async fn the_source_names_the_invalid_parameter_or_the_missing_header() {
    let project = new_project().await;
    let source = |reply: Reply| reply.json()["errors"][0]["source"].clone();
    assert_eq!(
        source(
            Api::shared()
                .get_as_account(&project, &format!("{USERS}?project=other"))
                .await
        ),
        json!({"parameter": "project"})
    );
    assert_eq!(
        source(Api::shared().get(USERS, &[]).await),
        json!({"header": "Authorization"})
    );
    assert_eq!(
        source(Api::shared().get(STATISTICS, &[]).await),
        json!({"header": "AuthKey"})
    );
    assert_eq!(
        source(Api::shared().users(&project, "&x=1").await),
        json!({"parameter": "x"})
    );
    assert_eq!(
        source(Api::shared().get("/unknown", &[]).await),
        Value::Null
    );
}

#[tokio::test]
async fn all_problems_are_reported_together_and_sorted_by_parameter() {
    let project = new_project().await;
    let query = "?zebra=1&startDate=x&startDate=y&endDate=never&filters[user.traits.string.a][operator]=like&Format=json\
                 &filters[user.traits.string.b][value]=1";
    let reply = Api::shared()
        .get(
            &format!("{STATISTICS}{query}"),
            &[("AuthKey", &project.read_key)],
        )
        .await;
    let [a, b] = ["a", "b"].map(|name| format!("filters[user.traits.string.{name}]"));
    assert_eq!(
        answer(&reply),
        format!(
            "unknown Format, invalid endDate, invalid {a}[operator], missing {a}[value], missing {b}[operator], \
             missing project, duplicate startDate, unknown zebra"
        )
    );
    let objects = reply.json()["errors"].as_array().unwrap().clone();
    let titles = [
        "Unknown parameter",
        "Invalid parameter",
        "Invalid parameter",
        "Missing parameter",
    ];
    assert!(
        titles
            .iter()
            .zip(&objects)
            .all(|(title, object)| object["title"] == *title),
        "{reply:?}"
    );
    assert!(
        objects
            .iter()
            .all(|object| object["status"] == "400" && object["detail"].is_string()),
        "{reply:?}"
    );
}

#[tokio::test]
async fn a_long_value_is_quoted_in_part() {
    let project = new_project().await;
    let reply = Api::shared()
        .statistics(&project, &format!("&startDate={}", "x".repeat(5_000)))
        .await;
    assert_eq!(reply.code(400), "invalid_parameter");
    let detail = reply.json()["errors"][0]["detail"].clone();
    let quoted = detail.as_str().unwrap().split('"').nth(1).unwrap();
    assert!(quoted.starts_with("xxx") && quoted.ends_with('…') && quoted.len() < 200);
    assert_eq!(quoted.matches('x').count() + 1, quoted.chars().count());
}
