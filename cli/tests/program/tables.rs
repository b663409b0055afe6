//! `feedback tables create`.

use std::process::Output;

use serde_json::Value;

use crate::process::{Served, feedback, only_line, output, stderr, succeeded};
use crate::stub::{Received, Stub};

/// Runs `feedback tables create` over the store at this endpoint.
fn create(endpoint: &str) -> Output {
    let mut command = feedback(&["tables", "create"]);
    command
        .env("AWS_ENDPOINT_URL_DYNAMODB", endpoint)
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ACCESS_KEY_ID", "local")
        .env("AWS_SECRET_ACCESS_KEY", "local")
        .env("RESPONSES_TABLE", "prod-responses");
    output(&mut command)
}

/// Returns the names of the tables that the requests create.
fn created(requests: &[Received]) -> Vec<&str> {
    let create = requests.iter().inspect(|request| {
        assert_eq!(request.operation, "CreateTable");
    });
    create
        .filter_map(|request| request.input["TableName"].as_str())
        .collect()
}

#[test]
fn tables_create_creates_the_missing_tables_under_their_configured_names() {
    let served = Served::start(&[]);
    let endpoint = format!("http://{}", served.dynamodb());
    let export = |table: &str| {
        let mut command = feedback(&["export", "responses", "--project", "acme"]);
        command
            .env("AWS_ENDPOINT_URL_DYNAMODB", &endpoint)
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .env("RESPONSES_TABLE", table);
        output(&mut command)
    };
    let missing = only_line(&export("prod-responses"));
    assert!(missing.contains("ResourceNotFoundException"), "{missing}");
    let output = create(&endpoint);
    assert_eq!(succeeded(&output), "");
    assert_eq!(stderr(&output), "the tables exist\n");
    succeeded(&export("prod-responses"));
}

#[test]
fn tables_create_succeeds_if_all_tables_exist() {
    let message = "Table already exists: it";
    let store = Stub::refusing("ResourceInUseException", message);
    let output = create(&store.url);
    assert_eq!(succeeded(&output), "");
    assert_eq!(stderr(&output), "the tables exist\n");
    let requests = store.received();
    assert_eq!(
        created(&requests),
        ["users", "prod-responses", "credentials"]
    );
    let key = |request: &Received| {
        let schema = request.input["KeySchema"].as_array().unwrap();
        let names = schema.iter().map(|key| key["AttributeName"].clone());
        names.collect::<Value>()
    };
    let keys: Value = requests.iter().map(key).collect();
    let expected = r#"[["project","userId"],["shard","at"],["digest"]]"#;
    assert_eq!(keys.to_string(), expected);
}

#[test]
fn tables_create_reports_a_refusal_in_the_words_of_the_store_with_what_to_check() {
    let message = "User: reader is not authorized to perform: dynamodb:CreateTable";
    let store = Stub::refusing("AccessDeniedException", message);
    assert_eq!(
        only_line(&create(&store.url)),
        format!(
            "feedback: cannot create the tables: the store refused the request (CreateTable: AccessDeniedException: {message}); \
             check that the tables exist (feedback tables create) and that access is allowed\n"
        )
    );
    assert_eq!(created(&store.received()), ["users"], "no retries");
}
