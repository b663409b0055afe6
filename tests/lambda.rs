//! The functions' programs as Lambda runs them: environment, initialization, deadlines, and events
//! that no gateway sends.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use test_support::stub::{Answer, Recorder};

use crate::support::{
    Bootstrap, Operation, STATISTICS_PROGRAM, USERS_PROGRAM, authenticated, bootstrap, empty,
    event, fault,
};

#[tokio::test]
async fn an_event_that_no_gateway_sends_is_a_400_and_no_error_of_the_function() {
    let mut no_method = event("users-rest");
    no_method["httpMethod"] = json!("not a method");
    let mut no_header = event("users-rest");
    no_header["multiValueHeaders"]["not a header"] = json!(["v"]);
    for (program, name) in [
        (STATISTICS_PROGRAM, "response-statistics-rest"),
        (USERS_PROGRAM, "users-rest"),
    ] {
        let mut bootstrap = bootstrap(program, &[]);
        // Only the exact event `{"check":true}` is a check.
        for broken in [
            &json!({"no": "request"}),
            &json!([]),
            &json!([true]),
            &json!({"check": false}),
            &json!({"check": 1}),
            &json!({"check": true, "project": "demo"}),
            &no_method,
            &no_header,
        ] {
            let outcome = bootstrap.invoke(broken).await;
            assert!(!outcome.failed, "{outcome:?}");
            let reply = outcome.response();
            assert_eq!(reply.code(400), "invalid_parameter");
            assert_eq!(reply.json()["errors"][0]["id"], reply.request_id());
            let mut request = event(name);
            request["check"] = json!(true);
            let outcome = bootstrap.invoke(&request).await;
            assert!(!outcome.failed, "{outcome:?}");
            assert_eq!(outcome.response().status, 200);
        }
    }
}

#[tokio::test]
async fn a_deadline_that_is_long_past_is_ignored() {
    let mut bootstrap = bootstrap(STATISTICS_PROGRAM, &[]);
    // The deadline that `cargo lambda watch` reports.
    let deadline = Duration::from_mins(10);
    let event = event("response-statistics-rest");
    let outcome = bootstrap.invoke_until(deadline, &event).await;
    assert_eq!(outcome.response().status, 200);
}

#[tokio::test]
async fn initialization_on_lambda_opens_connections_and_ignores_failures() {
    let on_lambda = [("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")];
    for (operation, variables, expected) in [
        (Operation::Statistics, &on_lambda[..], 16),
        (Operation::Statistics, &[], 0),
        (Operation::Users, &on_lambda, 1),
        (Operation::Users, &[], 0),
    ] {
        let reads = Arc::new(AtomicUsize::new(0));
        let count = reads.clone();
        let store = Recorder::start(move |request| {
            if request.input["Key"]["digest"]["S"] == "-" {
                count.fetch_add(1, Ordering::SeqCst);
                return Answer::from((400, fault("AccessDeniedException")));
            }
            authenticated(empty)(request)
        });
        let mut bootstrap = Bootstrap::start(store.url(), operation.program(), variables);
        let outcome = bootstrap.invoke(&operation.event_of_stub("")).await;
        assert_eq!(outcome.response().status, 200);
        assert_eq!(reads.load(Ordering::SeqCst), expected, "{operation:?}");
    }
}

#[tokio::test]
async fn a_function_signs_with_the_credentials_and_for_the_region_of_its_environment() {
    let store = Recorder::refusing("AccessDeniedException", "no");
    let variables = [
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SESSION_TOKEN", "a session"),
    ];
    let mut bootstrap = Bootstrap::start(store.url(), USERS_PROGRAM, &variables);
    bootstrap.invoke(&event("users-rest")).await;
    let request = &store.received()[0];
    let authorization = request.header("authorization");
    for part in ["Credential=AKIDEXAMPLE/", "/eu-central-1/dynamodb/"] {
        assert!(authorization.contains(part), "{authorization}");
    }
    assert_eq!(request.header("x-amz-security-token"), "a session");
}

#[tokio::test]
async fn an_empty_endpoint_is_that_of_the_region() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let variables = [("HTTPS_PROXY", address.as_str()), ("AWS_MAX_ATTEMPTS", "1")];
    let asked_for = std::thread::spawn(move || {
        let mut request = String::new();
        let (connection, _) = proxy.accept().unwrap();
        BufReader::new(connection).read_line(&mut request).unwrap();
        request
    });
    let mut bootstrap = Bootstrap::start("", USERS_PROGRAM, &variables);
    let outcome = bootstrap.invoke(&json!({"check": true})).await;
    assert_eq!(outcome.document()["users"], "no connection");
    let request = asked_for.join().unwrap();
    let region = "CONNECT dynamodb.us-east-1.amazonaws.com:443 ";
    assert!(request.starts_with(region), "{request}");
}

#[test]
fn a_function_without_region_or_credentials_reports_the_missing_variable_and_exits() {
    let region = ("AWS_REGION", "eu-central-1");
    let half = ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    for (variables, missing) in [
        (&[][..], "AWS_REGION"),
        (&[region], "AWS_ACCESS_KEY_ID"),
        (&[region, half], "AWS_SECRET_ACCESS_KEY"),
    ] {
        for program in [USERS_PROGRAM, STATISTICS_PROGRAM] {
            let mut command = Command::new(program);
            let command = command.env_clear().envs(variables.iter().copied());
            let output = command.output().unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{message}");
            assert!(message.contains(missing), "{message}");
        }
    }
}
