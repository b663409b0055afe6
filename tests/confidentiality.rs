//! Secrets and personal data stay out of the logs.

use serde_json::{Value, json};

use crate::support::{
    Api, BUFFERED, Operation, Project, basic, bootstrap, event, filter, log_line, logs, map,
    new_project, s,
};

/// Makes a project with a user and a response record, whose attributes all contain `planted`.
async fn with_personal_data() -> Project {
    let project = new_project().await;
    let personal = [
        ("email", s("planted@example.com")),
        ("traits", map(&[("planted-trait", s("planted-value"))])),
    ];
    project.put_user("planted-user", &personal).await;
    project
        .put_response("2026-01-01T00:00:00.000Z", "1", &[personal[1].clone()])
        .await;
    project
}

/// Checks that a log contains no secret of the project and no personal data.
#[track_caller]
fn assert_confidential(log: &str, project: &Project) {
    let account = basic(&project.username, &project.password);
    for secret in ["planted", &project.read_key, &project.password, &account] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test]
async fn the_service_logs_nothing_secret_or_personal() {
    let project = with_personal_data().await;
    let wrong = [
        ("AuthKey", "planted-wrong-key"),
        ("Authorization", "Bearer planted-wrong-token"),
    ];
    let api = Api::shared();
    let malformed = "&startDate=planted-date";
    for (reply, status) in [
        (api.statistics(&project, malformed).await, 400),
        (api.get("/planted-path?planted-query", &wrong).await, 404),
        (api.users(&project, "&userId=planted-user").await, 200),
    ] {
        assert_eq!(reply.status, status, "{reply:?}");
        assert_eq!(log_line(reply.request_id()).await["status"], status);
    }
    assert_confidential(&logs(), &project);
}

/// Invokes the program with an event, then with one that no gateway sends. Returns everything that the
/// program has written.
async fn output(program: &str, variables: &[(&str, &str)], request: &Value, status: u16) -> String {
    let mut bootstrap = bootstrap(program, variables);
    let outcome = bootstrap.invoke(request).await;
    assert_eq!(outcome.response().status, status, "{outcome:?}");
    let line = bootstrap.log_line().await;
    assert_eq!(line["status"], status);
    let mut broken = event("users-http");
    broken["requestContext"]["http"]["method"] = json!("planted method");
    let refused = bootstrap.invoke(&broken).await.response();
    assert_eq!(refused.status, 400);
    // Once this is done, the log of the previous invocation is complete.
    bootstrap.invoke(request).await;
    bootstrap.log_line().await;
    bootstrap.output()
}

#[tokio::test]
async fn a_function_logs_nothing_secret_or_personal() {
    let project = with_personal_data().await;
    let account = basic(&project.username, &project.password);
    let list = format!("project={}", project.id);
    let statistics = list.clone() + &filter("planted-trait", "eq", "planted-value");
    let unknown = list.clone() + "&planted=planted";
    let [key, wrong_key] = [&*project.read_key, "planted-wrong-key"].map(|it| ("AuthKey", it));
    let values = [&*account, "Bearer planted-token"];
    let [account, wrong_token] = values.map(|value| ("Authorization", value));
    for (operation, line, query, status) in [
        (Operation::Statistics, key, &statistics, 200),
        (Operation::Statistics, wrong_key, &statistics, 401),
        (Operation::Users, account, &list, 200),
        (Operation::Users, account, &unknown, 400),
        (Operation::Users, wrong_token, &list, 401),
    ] {
        let event = operation.rest(query, &[line]);
        for variables in [&[][..], &BUFFERED] {
            let output = output(operation.program(), variables, &event, status).await;
            assert_confidential(&output, &project);
        }
    }
}
