//! What a stage or a custom domain puts before the API: it is no part of the route, nor of links.

use serde_json::{Value, json};

use crate::support::{Operation, Reply, STATISTICS, USERS, event, handle_event, next};

async fn users(event: &Value) -> Reply {
    handle_event(Operation::Users, event).await
}

/// Checks that a page of users links to the next one from wherever it is.
async fn assert_links(event: &Value) {
    let reply = users(event).await;
    assert_eq!(reply.status, 200, "{event}");
    assert!(next(&reply).unwrap().contains("project=demo"), "{event}");
}

fn v1(name: &str, base: &str, resource: &str, path: &str) -> Value {
    let mut event = event(&format!("{name}-rest"));
    event["resource"] = json!(resource);
    event["requestContext"]["resourcePath"] = json!(resource);
    event["path"] = json!(format!("{base}{path}"));
    event["requestContext"]["path"] = event["path"].clone();
    event
}

fn v2(name: &str, base: &str, route: &str, path: &str) -> Value {
    let mut event = event(&format!("{name}-http"));
    event["routeKey"] = json!(route);
    event["requestContext"]["routeKey"] = json!(route);
    event["rawPath"] = json!(format!("{base}{path}"));
    event["requestContext"]["http"]["path"] = event["rawPath"].clone();
    event
}

#[tokio::test]
async fn the_base_path_is_no_part_of_the_route_and_links_do_without_it() {
    for base in [
        "/feedback",
        "/a/b",
        "/api/users",
        "/a b",
        // What would end a link, a path or a line of a header.
        "/a>;\u{c}\r\n?#\"",
        "/é\\",
        "//elsewhere.example",
    ] {
        let (get, any) = (format!("GET {USERS}"), format!("ANY {STATISTICS}"));
        assert_links(&v1("users", base, USERS, USERS)).await;
        assert_links(&v2("users", base, &get, USERS)).await;
        let statistics = "response-statistics";
        for event in [
            v1(statistics, base, STATISTICS, STATISTICS),
            v2(statistics, base, &any, STATISTICS),
        ] {
            let reply = handle_event(Operation::Statistics, &event).await;
            assert_eq!(reply.status, 200, "{event}");
        }
    }
}

#[tokio::test]
async fn the_stage_of_a_gateway_is_no_part_of_the_route_and_links_do_without_it() {
    let mut staged = event("users-http");
    staged["rawPath"] = json!("/prod/api/users");
    staged["requestContext"]["stage"] = json!("prod");
    for event in [event("users-rest"), event("users-http"), staged] {
        assert_links(&event).await;
    }
}

#[tokio::test]
async fn a_catch_all_route_uses_the_whole_path_but_for_the_stage() {
    let mut staged = v2("users", "/prod", "$default", USERS);
    staged["requestContext"]["stage"] = json!("prod");
    for (event, expected) in [
        (staged, 200),
        (v1("users", "", "/{proxy+}", USERS), 200),
        (v1("users", "/feedback", "/{proxy+}", USERS), 404),
        (v2("users", "", "$default", USERS), 200),
        (v2("users", "/feedback", "$default", USERS), 404),
        (v2("users", "", "GET /{proxy+}", USERS), 200),
        (v1("users", "/feedback", "/api/other", "/api/other"), 404),
    ] {
        let reply = users(&event).await;
        assert_eq!(reply.status, expected, "{event}: {reply:?}");
    }
}

#[tokio::test]
async fn a_stage_that_is_called_like_the_route_is_not_taken_from_a_path_without_it() {
    for base in ["", "/api"] {
        let mut event = v2("users", base, &format!("GET {USERS}"), USERS);
        event["requestContext"]["stage"] = json!("api");
        assert_eq!(users(&event).await.status, 200, "{event}");
    }
}
