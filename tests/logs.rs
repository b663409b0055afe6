//! The line that every request leaves behind.

use serde_json::json;

use crate::support::{
    Api, BUFFERED, Bootstrap, Project, STATISTICS_PROGRAM, USERS_PROGRAM, asking, basic, event,
    filter, log_line, logs, map, n, s,
};

async fn with_ten_records() -> Project {
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
    project
}

#[tokio::test]
async fn a_request_leaves_one_line_with_its_figures() {
    let project = with_ten_records().await;
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

#[tokio::test]
async fn every_request_leaves_one_line_that_cloudwatch_reads_metrics_from() {
    let project = with_ten_records().await;
    project
        .put_response("2026-01-01T00:00:00.000Z", "damaged", &[("rating", n(11))])
        .await;
    let mut bootstrap = Bootstrap::start(STATISTICS_PROGRAM, &[]).await;
    let parameters = json!({"project": project.id, "endDate": "2026-01-02"});
    let ask = asking(
        event("response-statistics-rest"),
        &[("AuthKey", &project.read_key)],
        parameters,
    );
    for cold in [1, 0] {
        bootstrap.invoke(&ask).await;
        let line = bootstrap.line().await;
        let texts = ["Operation", "Project", "Status"].map(|name| line[name].as_str().unwrap());
        assert_eq!(texts, ["response-statistics", &project.id, "200"], "{line}");
        let figures =
            ["Pages", "Records", "Skipped", "Incomplete", "ColdStart"].map(|name| &line[name]);
        assert_eq!(figures, [4, 11, 1, 0, cold], "{line}");
        assert!(
            line["Duration"].as_f64().unwrap() > 0.0 && line["CapacityUnits"].is_number(),
            "{line}"
        );
        let metrics = &line["_aws"]["CloudWatchMetrics"][0];
        assert_eq!(
            (&metrics["Namespace"], &metrics["Dimensions"]),
            (&json!("SurveyFeedback"), &json!([["Operation"]]))
        );
        let names: Vec<_> = metrics["Metrics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|metric| &metric["Name"])
            .collect();
        for name in [
            "Duration",
            "Pages",
            "Records",
            "Skipped",
            "CapacityUnits",
            "ColdStart",
            "Incomplete",
        ] {
            assert!(
                names.iter().any(|found| **found == name),
                "{name} in {line}"
            );
        }
    }
    assert_eq!(
        bootstrap.output().matches("invocation-2").count(),
        1,
        "{}",
        bootstrap.output()
    );
}

#[tokio::test]
async fn nothing_secret_or_personal_is_written() {
    let project = Project::new().await;
    let personal = [
        ("email", s("planted@example.com")),
        ("traits", map(&[("planted-trait", s("planted-value"))])),
    ];
    project.put_user("planted-user", &personal).await;
    let account = basic(&project.username, &project.password);
    let filter = "filters[user.traits.string.planted-trait]";
    let parameters = json!({
        "project": project.id, format!("{filter}[operator]"): "eq", format!("{filter}[value]"): "planted-value",
    });
    let mut broken = event("users-http");
    broken["rawQueryString"] = json!("project=demo&userId=planted user");
    let mut output = String::new();
    for (program, name, headers, parameters) in [
        (
            STATISTICS_PROGRAM,
            "response-statistics-rest",
            ("AuthKey", project.read_key.as_str()),
            parameters.clone(),
        ),
        (
            STATISTICS_PROGRAM,
            "response-statistics-rest",
            ("AuthKey", "planted-wrong-key"),
            parameters,
        ),
        (
            USERS_PROGRAM,
            "users-rest",
            ("Authorization", account.as_str()),
            json!({"project": project.id}),
        ),
        (
            USERS_PROGRAM,
            "users-rest",
            ("Authorization", "Bearer planted-token"),
            json!({"planted": "planted"}),
        ),
    ] {
        for variables in [&[][..], &BUFFERED] {
            let mut bootstrap = Bootstrap::start(program, variables).await;
            bootstrap
                .invoke(&asking(event(name), &[headers], parameters.clone()))
                .await;
            bootstrap.line().await;
            bootstrap.invoke(&broken).await;
            output += &bootstrap.output();
        }
    }
    for secret in ["planted", &project.read_key, &project.password, &account] {
        assert!(!output.contains(secret), "{secret} is in {output}");
    }
}
