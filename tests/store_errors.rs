//! How the failures of the store are logged and reported: with operation and code, but without its
//! message.

use std::sync::Mutex;

use serde_json::{Value, json};
use test_support::stub::Answer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::support::Operation::{Statistics, Users};
use crate::support::{app_of_script, ask, authenticated, empty, fault, rows};

/// What this thread has logged.
static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[tokio::test(start_paused = true)]
async fn a_failure_of_the_store_is_logged_with_operation_and_code_but_not_with_its_message() {
    let log = tracing_subscriber::fmt().json();
    let _logs = log.with_writer(|| LOG.make_writer()).set_default();
    // What is read, the status and the code of the store, and the status of the response.
    let table = "
        GetItem credentials | 400 | ThrottlingException | 503
        GetItem credentials | 500 | InternalServerError | 503
        GetItem credentials | 400 | ResourceNotFoundException | 500
        GetItem credentials | 400 | AccessDeniedException | 500
        Query responses | 200 | not a page of items | 503
        Query users | 200 | not a page of items | 503
        Query responses | 400 | ProvisionedThroughputExceededException | 503
        Query users | 400 | AccessDeniedException | 500
    ";
    for [read, status_of_store, code, status] in rows(table) {
        let (_, table) = read.split_once(' ').unwrap();
        let app = app_of_script(move |request| match status_of_store {
            _ if request.input["TableName"] != table => authenticated(empty)(request),
            "200" => json!({"Items": "secret inner workings"}).into(),
            refused => Answer::from(fault(code)).with_status(refused.parse().unwrap()),
        });
        let operation = if table == "users" { Users } else { Statistics };
        let reply = ask(&app, operation, "").await;
        assert_eq!(reply.status.as_str(), status);
        let output = String::from_utf8(std::mem::take(&mut *LOG.lock().unwrap())).unwrap();
        let lines = output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let is_error = |line: &Value| line["level"] == "ERROR" && line["target"] == "store::error";
        let errors: Vec<_> = lines.filter(is_error).collect();
        assert_eq!(errors.len(), 1, "{output}");
        assert_eq!(errors[0]["fields"]["operation"], read);
        assert_eq!(errors[0]["fields"]["code"], code);
        let request_id = (status_of_store != "200").then_some("an-aws-request-id");
        assert_eq!(errors[0]["fields"]["aws_request_id"], json!(request_id));
        for text in [&output, reply.text()] {
            assert!(!text.contains("inner workings"), "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_of_what_stands_before_the_store_has_an_unknown_code() {
    let page = "<html><body><h1>503 Service Unavailable</h1></body></html>";
    let app = app_of_script(move |_| Answer::new(page).with_status(503));
    let check = serde_json::to_value(app.store.check_users().await).unwrap();
    assert_eq!(check, json!({"credentials": "unknown", "users": "unknown"}));
}
