//! The log line of every request.

use http_body_util::BodyExt;
use std::future::pending;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use serde_json::{Value, json};
use test_support::stub::{self, Request};

use crate::support::{
    Api, Bootstrap, Operation, Project, STATISTICS, STATISTICS_PROGRAM, app_at, app_over,
    bootstrap, credential, fails_after_the_first_page, fault, log_line, logs, n, new_project,
    question, recording_store, respond, respond_to, service, sha256, silent_store,
};

/// Checks that a line has these members.
#[track_caller]
fn assert_has(line: &Value, expected: &Value) {
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(line[name], *value, "{name} of {line}");
    }
}

/// Makes a project with eleven records, the last of which is damaged.
async fn with_records() -> Project {
    let project = new_project().await;
    let record = |rating: usize| {
        let key = project.response_key("2026-01-01T00:00:00.000Z", &rating.to_string());
        let rating = [("rating", n(rating + rating / 10))];
        key.into_iter().chain(rating).collect()
    };
    let records = (0..11).map(record).collect();
    project.put_many("responses", records).await;
    project
}

#[tokio::test]
async fn a_line_of_a_whole_response_names_the_verified_credential_by_its_short_id_and_no_other() {
    let (project, other) = (new_project().await, new_project().await);
    let (api, own) = (Api::shared(), project.target(STATISTICS));
    let (key, password) = (&project.read_key, &project.password);
    let foreign = other.target(STATISTICS);
    for (reply, status, verified) in [
        (api.statistics(&project, "").await, 200, Some(key)),
        (api.users(&project, "").await, 200, Some(password)),
        (api.get(&foreign, &[("AuthKey", key)]).await, 403, Some(key)),
        (api.get(&own, &[("AuthKey", "unknown")]).await, 401, None),
        // A valid secret of the other kind authenticates nobody.
        (api.get(&own, &[("AuthKey", password)]).await, 401, None),
    ] {
        assert_eq!(reply.status, status);
        let line = log_line(reply.request_id()).await;
        let short_id = verified.map(|secret| sha256(secret)[..8].to_owned());
        let expected = json!({"credential": short_id, "status": status, "complete": true});
        assert_has(&line, &expected);
    }
}

#[tokio::test]
async fn a_request_abandoned_before_its_response_is_logged_without_a_status() {
    service(); // collects the log
    for operation in Operation::ALL {
        let (url, mut queries) = silent_store();
        let (app, call) = (app_at(&url), question(operation, ""));
        let id = call.id.clone();
        // A server drops the handler when the client leaves.
        tokio::select! {
            response = respond_to(&app, operation, call) => panic!("{}", response.status()),
            query = queries.recv() => assert!(query.is_some()),
        }
        let line = log_line(&id).await;
        let expected = json!({
            "operation": operation.name(), "project": "p", "status": null, "complete": false, "pages": 0,
        });
        assert_has(&line, &expected);
        assert_eq!(logs().matches(&id).count(), 1);
    }
}

#[tokio::test]
async fn a_list_abandoned_while_it_is_sent_is_logged_as_incomplete() {
    service(); // collects the log
    let app = app_over(fails_after_the_first_page);
    let response = respond(&app, Operation::Users, "").await;
    let id = response.headers()["x-request-id"].to_str().unwrap();
    let id = id.to_owned();
    let mut body = response.into_body();
    assert!(body.frame().await.unwrap().is_ok());
    assert!(!logs().contains(&id), "the list is still being sent");
    drop(body);
    let expected = json!({"status": 200, "complete": false, "pages": 1, "records": 1});
    assert_has(&log_line(&id).await, &expected);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_breaks_off_because_the_store_throttles_is_logged_with_that_cause() {
    service(); // collects the log
    let app = app_over(|input| match fails_after_the_first_page(input) {
        (200, page) => (200, page),
        _ => (400, fault("ThrottlingException")),
    });
    let response = respond(&app, Operation::Users, "").await;
    let id = response.headers()["x-request-id"].to_str().unwrap();
    let id = id.to_owned();
    assert!(response.into_body().collect().await.is_err());
    let expected = json!({"status": 200, "complete": false, "cause": "throttled"});
    assert_has(&log_line(&id).await, &expected);
}

#[tokio::test]
async fn a_function_logs_each_request_in_one_line_of_json() {
    let project = with_records().await;
    let mut bootstrap = bootstrap(STATISTICS_PROGRAM, &[]);
    let query = format!("project={}&endDate=2026-01-02", project.id);
    let event = Operation::Statistics.rest(&query, &[("AuthKey", &project.read_key)]);
    for _ in 0..2 {
        bootstrap.invoke(&event).await;
        let line = bootstrap.log_line().await;
        let expected = json!({
            "level": "INFO", "message": "request", "operation": "response-statistics",
            "project": &project.id, "credential": &sha256(&project.read_key)[..8], "status": 200,
            "complete": true, "pages": 16, "records": 11, "skipped": 1, "defaulted": 0,
        });
        assert_has(&line, &expected);
        assert!(line["timestamp"].is_string(), "{line}");
        assert!(line["duration_ms"].is_u64(), "{line}");
        // One unit for the consistent GetItem, and half a unit for each shard.
        assert_eq!(line["capacity_units"], 9.0, "{line}");
    }
    let output = bootstrap.output();
    let lines = output.matches(r#""request_id":"invocation-2""#).count();
    assert_eq!(lines, 1, "{output}");
}

#[tokio::test]
async fn a_server_error_is_told_from_throttling_and_from_a_period_that_cannot_be_read_before_the_deadline()
 {
    let refusing = |code: &'static str| {
        let store = recording_store(move |_| (400, fault(code)));
        store.url().to_owned()
    };
    let (silent, mut queries) = silent_store();
    let endless = stub::start(async |request: Request| {
        let input = &request.input;
        if request.operation == "GetItem" {
            return credential(input);
        }
        if !input["ExclusiveStartKey"].is_null() {
            return pending().await;
        }
        let shard = &input["ExpressionAttributeValues"][":shard"];
        let at = json!({"S": "2026-03-01T12:00:00.000Z#1"});
        json!({"Items": [], "LastEvaluatedKey": {"shard": shard, "at": at}})
    });
    let [throttling, denying] = ["ThrottlingException", "AccessDeniedException"].map(refusing);
    let outcomes = [
        (&throttling, Operation::Statistics, 503, json!("throttled")),
        (&throttling, Operation::Users, 503, json!("throttled")),
        (&denying, Operation::Statistics, 500, Value::Null),
        (&silent, Operation::Statistics, 503, Value::Null),
        (&endless, Operation::Statistics, 504, json!("too_large")),
    ];
    // The functions wait until most of their time is over.
    let outcomes = outcomes.map(async |(url, operation, status, cause)| {
        let mut bootstrap = Bootstrap::start(url, operation.program(), &[]);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let event = operation.event_of_stub("");
        bootstrap
            .invoke_until(now + Duration::from_secs(3), &event)
            .await;
        let line = bootstrap.log_line().await;
        assert_eq!(line["status"], status, "{line}");
        assert_eq!(line["cause"], cause, "{line}");
        assert!(!bootstrap.output().contains("inner workings"));
    });
    join_all(outcomes).await;
    assert!(queries.recv().await.is_some(), "the period was read");
}
