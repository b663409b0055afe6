//! The line that every request leaves behind.

use serde_json::json;

use crate::support::{Api, Project, basic, filter, log_line, logs, map, n, s};

#[tokio::test]
async fn a_request_leaves_one_line_with_its_figures() {
    let project = Project::new().await;
    for id in 0..10 {
        project
            .put_response(
                "2026-01-01T00:00:00.000Z",
                &id.to_string(),
                &[("rating", n(id))],
            )
            .await;
    }
    let reply = Api::shared()
        .statistics(&project, "&endDate=2026-01-02")
        .await;
    let line = log_line(reply.request_id()).await;
    let figures = [
        "operation",
        "status",
        "complete",
        "pages",
        "records",
        "skipped",
    ]
    .map(|name| line[name].clone());
    assert_eq!(
        figures,
        [
            json!("response-statistics"),
            json!(200),
            json!(true),
            json!(4),
            json!(10),
            json!(0)
        ],
        "{line}"
    );
    assert!(line["duration_ms"].is_u64(), "{line}");
    // One unit for the consistent GetItem, and half a unit for each shard.
    assert_eq!(line["capacity_units"], 3.0, "{line}");
    assert_eq!(logs().matches(reply.request_id()).count(), 1);
}

#[tokio::test]
async fn nothing_secret_or_personal_is_logged() {
    let project = Project::new().await;
    let personal = [
        ("email", s("planted@example.com")),
        ("traits", map(&[("planted-trait", s("planted-value"))])),
    ];
    project.put_user("planted-user", &personal).await;
    project
        .put_response("2026-01-01T00:00:00.000Z", "1", &[personal[1].clone()])
        .await;
    let filter = filter("planted-trait", "eq", "planted-value");
    Api::shared().statistics(&project, &filter).await;
    Api::shared()
        .statistics(&project, "&startDate=planted-date")
        .await;
    let wrong = [
        ("AuthKey", "planted-wrong-key"),
        ("Authorization", "Bearer planted-wrong-token"),
    ];
    Api::shared().get("/api/users?project=demo", &wrong).await;
    Api::shared()
        .get("/planted-path?planted-query", &wrong)
        .await;
    let last = Api::shared().users(&project, "&userId=planted-user").await;
    log_line(last.request_id()).await;
    let account = basic(&project.username, &project.password);
    for secret in [
        "planted",
        project.read_key.as_str(),
        &project.password,
        &account,
    ] {
        assert!(!logs().contains(secret), "{secret} is in the log");
    }
}
