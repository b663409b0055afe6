//! The base path that a custom domain puts before the API: it is no part of the route, and links
//! keep it.

use serde_json::{Value, json};

use crate::support::{
    Bootstrap, STATISTICS, STATISTICS_PROGRAM, USERS, USERS_PROGRAM, bootstrap, event,
};

/// Returns the status, the link and the body of the answer.
async fn answer(bootstrap: &mut Bootstrap, event: &Value) -> (u64, String, Value) {
    let (status, headers, body) = bootstrap.invoke(event).await.response();
    let link = headers["link"].as_str().unwrap_or_default().to_owned();
    (status, link, serde_json::from_slice(&body).unwrap())
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
async fn the_base_path_is_no_part_of_the_route_and_is_kept_in_links() {
    let mut users = bootstrap(USERS_PROGRAM, &[]);
    let mut statistics = bootstrap(STATISTICS_PROGRAM, &[]);
    for base in ["/feedback", "/a/b", "/api/users"] {
        let get = format!("GET {USERS}");
        for event in [
            v1("users", base, USERS, USERS),
            v2("users", base, &get, USERS),
        ] {
            let (status, link, _) = answer(&mut users, &event).await;
            assert_eq!(status, 200, "{event}");
            assert!(link.starts_with(&format!("<{base}{USERS}?")), "{link}");
        }
        let any = format!("ANY {STATISTICS}");
        for event in [
            v1("response-statistics", base, STATISTICS, STATISTICS),
            v2("response-statistics", base, &any, STATISTICS),
        ] {
            assert_eq!(answer(&mut statistics, &event).await.0, 200, "{event}");
        }
    }
}

#[tokio::test]
async fn what_a_link_cannot_hold_of_a_base_path_is_encoded_in_it() {
    let mut users = bootstrap(USERS_PROGRAM, &[]);
    let get = format!("GET {USERS}");
    for (base, encoded) in [
        ("/a%20b", "/a%20b"),
        ("/a b", "/a%20b"),
        ("/a>;\u{c}\r\n?#\"", "/a%3E;%0C%0D%0A%3F%23%22"),
        ("/é\\", "/%C3%A9%5C"),
        ("//elsewhere.example", "/elsewhere.example"),
    ] {
        for event in [
            v1("users", base, USERS, USERS),
            v2("users", base, &get, USERS),
        ] {
            let (status, link, _) = answer(&mut users, &event).await;
            assert_eq!(status, 200, "{event}");
            assert!(link.starts_with(&format!("<{encoded}{USERS}?")), "{link}");
        }
    }
}

#[tokio::test]
async fn a_catch_all_route_uses_the_whole_path() {
    let mut users = bootstrap(USERS_PROGRAM, &[]);
    for (event, expected) in [
        (v1("users", "", "/{proxy+}", USERS), 200),
        (v1("users", "/feedback", "/{proxy+}", USERS), 404),
        (v2("users", "", "$default", USERS), 200),
        (v2("users", "/feedback", "$default", USERS), 404),
        (v2("users", "", "GET /{proxy+}", USERS), 200),
        (v1("users", "/feedback", "/api/other", "/api/other"), 404),
    ] {
        let (status, _, document) = answer(&mut users, &event).await;
        assert_eq!(status, expected, "{event}: {document}");
    }
}

#[tokio::test]
async fn a_stage_that_is_called_like_the_route_is_not_taken_from_a_path_without_it() {
    let mut users = bootstrap(USERS_PROGRAM, &[]);
    for base in ["", "/api"] {
        let mut event = v2("users", base, &format!("GET {USERS}"), USERS);
        event["requestContext"]["stage"] = json!("api");
        assert_eq!(answer(&mut users, &event).await.0, 200, "{event}");
    }
}
