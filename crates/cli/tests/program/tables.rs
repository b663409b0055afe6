//! `feedback tables create`.

use serde_json::{Value, json};
use test_support::stub::{Recorder, Request};

use crate::http::{DEMO_PASSWORD, get, put_demo_credentials, put_item, status};
use crate::outcome::{stderr, succeeded};
use crate::place::Place;
use crate::process::{at_store, feedback, output};

#[test]
fn tables_create_succeeds_if_all_tables_exist() {
    let message = "Table already exists: it";
    let store = Recorder::refusing("ResourceInUseException", message);
    let mut create = feedback("tables create");
    at_store(&mut create, store.url()).env("RESPONSES_TABLE", "prod-responses");
    let output = output(&mut create);
    assert_eq!(succeeded(&output), "");
    assert_eq!(stderr(&output), "the tables exist\n");
    let requests = store.received();
    let created = requests.iter().map(|request| {
        assert_eq!(request.operation, "CreateTable");
        request.input["TableName"].as_str().unwrap()
    });
    assert!(created.eq(["users", "prod-responses", "credentials"]));
    let key = |request: &Request| {
        let schema = request.input["KeySchema"].as_array().unwrap();
        let names = schema.iter().map(|key| key["AttributeName"].clone());
        names.collect::<Value>()
    };
    let keys: Value = requests.iter().map(key).collect();
    let expected = r#"[["project","userId"],["shard","at"],["digest"]]"#;
    assert_eq!(keys.to_string(), expected);
}

/// Returns a place whose data folder lacks these tables, but not their descriptions. So it is when a process
/// was killed while it created them.
fn place_without(tables: &[&str]) -> Place {
    let place = Place::new();
    succeeded(&place.run("tables create --data data"));
    let database = rusqlite::Connection::open(place.path("data/tables.sqlite")).unwrap();
    for table in tables {
        let drop = format!("DROP TABLE \"{table}\"");
        database.execute_batch(&drop).unwrap();
    }
    place
}

#[test]
fn a_table_of_which_only_the_description_was_written_is_created_again() {
    let all = ["users", "responses", "credentials"];
    for lost in all.chunks(1).chain([&all[..]]) {
        let place = place_without(lost);
        let served = place.serve();
        put_demo_credentials(&served);
        let target = "/api/users?project=demo&limit=1";
        assert_eq!(status(&served.api, target, DEMO_PASSWORD), 200, "{lost:?}");
        let record = json!({"shard": {"S": "demo#0"}, "at": {"S": "2025-01-01T00:00:00.000Z#r"}});
        put_item(served.dynamodb(), "responses", &record.to_string());
        let target = "/api/v2/response-statistics?project=demo&startDate=2025-01-01";
        let response = get(&served.api, target, "AuthKey: demo-read-key-0000");
        assert!(response.contains(r#""displays":1"#), "{lost:?}: {response}");
    }
}
