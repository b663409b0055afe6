//! An import into a store that throttles, leaves batches incomplete and changes between reads and writes; and
//! into a store that is gone.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;
use test_support::stub::{self, Request};

use crate::faulty_store::{Faulty, Store};
use crate::http::ClosedPort;
use crate::operator::Operator;
use crate::outcome::{imported, only_line, succeeded};
use crate::place::sorted_lines;
use crate::process::{at_store, output_of};

/// Starts a store that is changed by another program after each read; returns its URL.
fn interfering(store: Store) -> String {
    let key = json!({"shard": {"S": "acme#8"}, "at": {"S": "2020-01-01T00:00:00.000Z#r1"}});
    let user = json!({"project": {"S": "acme"}, "userId": {"S": "007"}});
    let changes = [
        ("responses", key, "rating", json!({"N": "9"})),
        ("users", user, "email", json!({"S": "new@x"})),
    ];
    stub::start(async move |request: Request| {
        let answer = store.forward(&request);
        if request.operation == "BatchGetItem" {
            for (table, key, name, value) in changes {
                let update = json!({
                    "TableName": table, "Key": key, "UpdateExpression": "SET #name = :value",
                    "ExpressionAttributeNames": {"#name": name}, "ExpressionAttributeValues": {":value": value},
                });
                assert_eq!(store.run("UpdateItem", &update).0, 200);
            }
        }
        answer
    })
}

/// Returns 110 records, more than a batch, of eight users. The corrected version of a record has another rating.
fn records(correction: usize) -> String {
    let record = |n| {
        format!(
            r#"{{"id":"r{n}","created":"2020-01-01","rating":{},"user":{{"userId":"u{}","traits":{{"n":{n}}}}}}}"#,
            (n + correction) % 11,
            n % 8
        )
    };
    (0..110).map(record).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_record_is_imported_once_despite_throttling_incomplete_batches_and_conflicts() {
    let operator = Operator::new();
    let (faulty, endpoint) = Faulty::before(&operator);
    for (correction, summary) in [
        (0, "110 written, 0 unchanged"),
        (0, "0 written, 110 unchanged"),
        (1, "110 written, 0 unchanged"),
    ] {
        operator.file("records.ndjson", records(correction));
        let import = "import responses records.ndjson --project acme";
        let expected = format!("responses: {summary}, 0 rejected\n");
        assert_eq!(imported(&operator.run_through(&endpoint, import)), expected);
        succeeded(&operator.run(&format!("{import} --data reference")));
        for kind in ["responses", "users"] {
            let export = format!("export {kind} --project acme --data reference");
            let reference = succeeded(&operator.run(&export));
            assert_eq!(operator.export(kind), sorted_lines(&reference));
        }
    }
    assert_eq!(operator.figures("")["responses"], 110);
    for fault in ["incomplete read", "conflict users", "conflict responses"] {
        assert!(faulty.has_caused(fault), "{fault}");
    }
}

#[test]
fn what_another_program_writes_between_a_read_and_a_write_is_kept() {
    let operator = Operator::new();
    let record = |day, said: &str| {
        format!(
            r#"{{"id":"r{day}","created":"2020-01-0{day}","rating":null,"user":{{"userId":"007"{said}}}}}"#
        )
    };
    operator.file("newer.ndjson", record(2, ""));
    succeeded(&operator.run("import responses newer.ndjson --project acme"));
    let older = record(1, r#","email":"old@x","name":"Ann""#);
    operator.file("older.ndjson", older);
    let endpoint = interfering(Store::of(&operator));
    let import = "import responses older.ndjson --project acme";
    let counts = imported(&operator.run_through(&endpoint, import));
    assert_eq!(counts, "responses: 1 written, 0 unchanged, 0 rejected\n");
    let responses = operator.export("responses").join("\n");
    assert!(responses.contains(r#""rating":9"#), "{responses}");
    assert_eq!(responses.matches("007").count(), 2, "{responses}");
    let user = &operator.users()[0];
    assert_eq!([&user["email"], &user["name"]], ["new@x", "Ann"], "{user}");
}

#[test]
fn an_unreachable_store_ends_the_import_with_the_reason_while_standard_input_is_open() {
    let operator = Operator::new();
    let store = ClosedPort::reserve();
    let endpoint = format!("http://{}", store.address());
    let mut command = operator.command("import responses - --project acme");
    at_store(&mut command, &endpoint);
    let mut process = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    // More than one chunk: the reader waits for the rest of the second one.
    let padding = "x".repeat(1000);
    let record =
        format!(r#"{{"created":"2020-01-01","rating":9,"user":{{"traits":{{"x":"{padding}"}}}}}}"#)
            + "\n";
    stdin.write_all(record.repeat(4500).as_bytes()).unwrap();
    let line = only_line(&output_of(process));
    let reason = "run it again to continue: the store is unavailable";
    assert!(line.contains(reason), "{line}");
    drop(stdin);
}
