//! `feedback tables create`.

use std::process::Output;

use serde_json::Value;
use test_support::stub::{Recorder, Request};

use crate::http::{DEMO_ACCOUNT, get, status};
use crate::process::{Served, feedback, imported, only_line, output, run, stderr, succeeded};

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
fn created(requests: &[Request]) -> Vec<&str> {
    let create = requests.iter().inspect(|request| {
        assert_eq!(request.operation, "CreateTable");
    });
    create
        .filter_map(|request| request.input["TableName"].as_str())
        .collect()
}

#[test]
fn tables_create_creates_the_missing_tables_under_their_configured_names() {
    let served = Served::without_records();
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
    let store = Recorder::refusing("ResourceInUseException", message);
    let output = create(store.url());
    assert_eq!(succeeded(&output), "");
    assert_eq!(stderr(&output), "the tables exist\n");
    let requests = store.received();
    assert_eq!(
        created(&requests),
        ["users", "prod-responses", "credentials"]
    );
    let key = |request: &Request| {
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
    let store = Recorder::refusing("AccessDeniedException", message);
    assert_eq!(
        only_line(&create(store.url())),
        format!(
            "feedback: cannot create the tables: the store refused the request (CreateTable: AccessDeniedException: {message}); \
             check that the tables exist (feedback tables create) and that access is allowed\n"
        )
    );
    assert_eq!(created(&store.received()), ["users"], "no retries");
}

/// Serves a new data folder, ends, drops these of its tables but not their descriptions, and returns the
/// folder. So it is when a process was killed while it created them.
fn folder_without(tables: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut served = Served::with_data(folder.path());
    served.signal("TERM");
    served.wait();
    let database = rusqlite::Connection::open(folder.path().join("tables.sqlite")).unwrap();
    for table in tables {
        let drop = format!("DROP TABLE \"{table}\"");
        database.execute_batch(&drop).unwrap();
    }
    folder
}

#[test]
fn a_table_of_which_only_the_description_was_written_is_created_again() {
    let all = ["users", "responses", "credentials"];
    for lost in all.chunks(1).chain([&all[..]]) {
        let folder = folder_without(lost);
        let data = ["--data", folder.path().to_str().unwrap()];
        let served = Served::start(&[&["--demo"], &data[..]].concat());
        let target = "/api/users?project=demo&limit=1";
        assert_eq!(status(&served.api, target, DEMO_ACCOUNT), 200, "{lost:?}");
        let target = "/api/v2/response-statistics?project=demo&startDate=2025-01-01";
        let response = get(&served.api, target, "AuthKey: demo-read-key-0000");
        let is_whole = response.contains(r#""displays":"#) && !response.contains(r#""displays":0"#);
        assert!(is_whole, "{lost:?}: {response}");
    }
}

#[test]
fn an_import_creates_such_a_table_again_too() {
    let folder = folder_without(&["responses"]);
    let file = folder.path().join("record.ndjson");
    std::fs::write(&file, r#"{"id":"r","created":"2020-01-01","rating":9}"#).unwrap();
    let import = [
        "import",
        "responses",
        file.to_str().unwrap(),
        "--project",
        "acme",
    ];
    let data = ["--data", folder.path().to_str().unwrap()];
    let summary = imported(&run(&[&import[..], &data].concat()));
    assert_eq!(summary, "responses: 1 written, 0 unchanged, 0 rejected\n");
}
