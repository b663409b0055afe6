//! What every request has in common: methods, paths, the order of checks, headers and the error
//! document (contract, Errors).

use http::Method;
use serde_json::{Value, json};

use crate::support::{
    Api, Operation, STATISTICS, USERS, ask, basic, check_statistics, empty_app, new_project,
};

#[tokio::test]
async fn other_methods_on_a_known_path_are_refused_with_the_allowed_one() {
    let others = "/health /openapi.yaml / /dashboard/main.js /dashboard/settings.json";
    for path in [STATISTICS, USERS].into_iter().chain(others.split(' ')) {
        let is_operation = path.starts_with("/api/");
        let whole = Api::shared().get(path, &[]).await;
        let allowed = if is_operation { "GET" } else { "GET, HEAD" };
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "PURGE"] {
            let reply = Api::shared().send(method.parse().unwrap(), path, &[]).await;
            if method == "HEAD" && !is_operation {
                assert!(reply.status == 200 && reply.body.is_empty(), "{path}");
                let lengths = [&reply, &whole].map(|it| it.header("content-length"));
                assert_eq!(lengths[0], lengths[1], "{path}");
                continue;
            }
            assert_eq!(reply.status, 405, "{method} {path}");
            assert_eq!(reply.header("allow"), Some(allowed), "{method} {path}");
            if method != "HEAD" && (is_operation || path == "/health") {
                assert_eq!(reply.code(405), "method_not_allowed");
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let paths = "/api /api/user /api/users/1 /API/users /api/users// //api/users /api/%75sers /health/x /api/v2 \
                 /api/v1/response-statistics /api/v2/response-statistics/x /index.html /dashboard /dashboard/ \
                 /dashboard/main.js/ /dashboard/../Cargo.toml /dashboard/vendor/README.md /dashboard/%6dain.js";
    for path in paths.split(' ') {
        for method in [Method::GET, Method::POST] {
            let reply = Api::shared().send(method, path, &[]).await;
            assert_eq!(reply.code(404), "not_found", "{path}");
        }
    }
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
    let (own, other) = (&project.id, &other.id);
    let unknown = format!("/api/unknown?project={other}");
    let reply = Api::shared().send(Method::POST, &unknown, &wrong).await;
    assert_eq!(reply.status, 404, "path before everything");
    for path in [STATISTICS, USERS] {
        let bad = format!("{path}?project={other}&format=xml");
        let foreign = format!("{path}?project={other}");
        let slash = format!("{path}/?project={own}");
        let get = Method::GET;
        for (method, target, headers, status) in [
            (Method::POST, &bad, &wrong, 405),
            // Credentials before parameters, and those before authorization.
            (get.clone(), &bad, &wrong, 401),
            (get.clone(), &bad, &valid, 400),
            (get.clone(), &foreign, &valid, 403),
            (get, &slash, &valid, 200),
        ] {
            let reply = Api::shared().send(method, target, headers).await;
            assert_eq!(reply.status, status, "{target}");
        }
    }
}

#[tokio::test]
async fn every_response_is_json_with_an_id_of_its_own_and_is_never_stored() {
    let (project, api) = (new_project().await, Api::shared());
    let chosen = [("X-Request-Id", "chosen by the client")];
    let header = |name| json!({"header": name});
    let parameter = |name| json!({"parameter": name});
    let (post, limit) = (Method::POST, parameter("limit"));
    let mut ids = std::collections::BTreeSet::new();
    for (reply, status, source) in [
        (api.statistics(&project, "").await, 200, Value::Null),
        (api.users(&project, "").await, 200, Value::Null),
        (api.users(&project, "&limit=x").await, 400, limit),
        (api.get(USERS, &[]).await, 401, header("Authorization")),
        (api.get(STATISTICS, &[]).await, 401, header("AuthKey")),
        (api.users(&project, "&x=1").await, 400, parameter("x")),
        (api.get("/health", &[]).await, 200, Value::Null),
        (api.get("/unknown", &[]).await, 404, Value::Null),
        (api.send(post, USERS, &chosen).await, 405, Value::Null),
    ] {
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.header("cache-control"), Some("no-store"));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        let streamed = reply.text().starts_with(r#"{"users":"#) && reply.header("link").is_none();
        let length = (!streamed).then(|| reply.body.len().to_string());
        assert_eq!(reply.header("content-length"), length.as_deref());
        assert!(ids.insert(reply.request_id().to_owned()), "{reply:?}");
        let document = reply.json();
        for error in document["errors"].as_array().into_iter().flatten() {
            assert_eq!(error["id"], reply.request_id());
            assert_eq!(error["source"], source);
        }
    }
    assert!(!ids.contains("chosen by the client"));
    assert_eq!(api.get("/health", &[]).await.text(), r#"{"status":"ok"}"#);
}

#[tokio::test]
async fn the_error_document_is_the_contracts() {
    let reply = ask(&empty_app(), Operation::Statistics, "confidence=80").await;
    let object = r#""status":"400","code":"invalid_parameter","title":"Invalid parameter","detail":"confidence must be 90, 95 or 99, got \"80\"","source":{"parameter":"confidence"}"#;
    let id = reply.request_id();
    let expected = format!(r#"{{"errors":[{{"id":"{id}",{object}}}]}}"#);
    assert_eq!(reply.text(), expected);
}

#[tokio::test]
async fn all_problems_are_reported_together_and_sorted_by_parameter() {
    let query = "?zebra=1&startDate=x&startDate=y&endDate=never&filters[user.traits.string.a][operator]=like&Format=json\
                 &filters[user.traits.string.b][value]=1";
    let problems = "unknown Format, invalid endDate, invalid @string.a[operator], missing @string.a[value], \
                    missing @string.b[operator], missing project, duplicate startDate, unknown zebra";
    check_statistics(&empty_app(), &format!("{query} | {problems}")).await;
    let reply = ask(&empty_app(), Operation::Statistics, query).await;
    let kinds = ["Unknown", "Invalid", "Missing", "Duplicate"];
    for (object, kind) in [0, 1, 3, 6].into_iter().zip(kinds) {
        let object = &reply.json()["errors"][object];
        assert_eq!(object["title"], format!("{kind} parameter"));
        assert!(object["status"] == "400" && object["detail"].is_string());
    }
}

#[tokio::test]
async fn a_long_value_is_quoted_in_part() {
    let query = format!("startDate={}", "x".repeat(5_000));
    let reply = ask(&empty_app(), Operation::Statistics, &query).await;
    assert_eq!(reply.code(400), "invalid_parameter");
    let detail = reply.json()["errors"][0]["detail"].clone();
    let quoted = detail.as_str().unwrap().split('"').nth(1).unwrap();
    assert!(quoted.starts_with("xxx") && quoted.ends_with('…') && quoted.len() < 200);
    assert_eq!(quoted.matches('x').count() + 1, quoted.chars().count());
}
