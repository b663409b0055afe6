//! `feedback erase`.

use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::json;
use test_support::stub::{self, Request};

use crate::faulty_store::Store;
use crate::http::{operate, put_item};
use crate::operator::Operator;
use crate::outcome::{failed, stderr, succeeded};
use crate::place::{Place, contains};

/// Returns a project with two records of the user `a` and one of the user `b`.
fn operator() -> Operator {
    let record = |id: &str, user: &str| {
        format!(
            r#"{{"id":"{id}","created":"2020-01-01","rating":9,"user":{{"userId":"{user}","email":"{user}@x.org","traits":{{"plan":"pro","of":"{user}"}}}}}}"#
        )
    };
    Operator::with_responses([record("r1", "a"), record("r2", "b"), record("r3", "a")].join("\n"))
}

/// Returns everything that is exported of the project.
fn export(operator: &Operator) -> String {
    operator.export("responses").concat() + &operator.export("users").concat()
}

#[test]
fn a_user_whose_id_no_command_line_can_hold_is_erased_by_their_id_on_standard_input() {
    let operator = operator();
    let dynamodb = operator.served().dynamodb();
    for id in ["a\0", "two\nlines\n", "-"] {
        let user = json!({"project": {"S": "acme"}, "userId": {"S": id}});
        put_item(dynamodb, "users", &user.to_string());
        let mut response =
            json!({"shard": {"S": "acme#0"}, "at": {"S": "2020-01-01T00:00:00.000Z#other"}});
        response["userId"] = json!({"S": id});
        put_item(dynamodb, "responses", &response.to_string());
        let erase = "erase --project acme --user-id - --yes";
        let report = stderr(&operator.run_with_input(erase, format!("{id}\n")));
        let plan = "project acme: 1 user to delete, 1 of 4 response records to anonymize\n";
        assert!(report.starts_with(plan), "{id:?}: {report}");
        let searched = json!({"TableName": "responses"}).to_string();
        let stored = operate(dynamodb, "Scan", &searched);
        let id = json!(id).to_string();
        assert!(!stored.contains(&id), "{id}: {stored}");
        let users = operator.users();
        assert_eq!(users.len(), 2, "{id}: {users:?}");
    }
}

/// Erases this while another program stores responses of the user `a`, one after each of so many scans of
/// all shards.
fn erased_while_stored(what: &str, stored: usize) -> (Operator, Output) {
    const SHARDS: usize = 16;
    let operator = operator();
    let store = Store::of(&operator);
    let queries = Arc::new(AtomicUsize::new(0));
    let url = stub::start(async move |request: Request| {
        let answer = store.forward(&request);
        if request.operation == "Query" {
            let scan = queries.fetch_add(1, Relaxed) / SHARDS;
            if scan < stored {
                let at = format!("2020-01-02T00:00:00.000Z#{scan}");
                let item = json!({"shard": {"S": "acme#0"}, "at": {"S": at}, "userId": {"S": "a"}});
                let put = json!({"TableName": "responses", "Item": item});
                assert_eq!(store.run("PutItem", &put).0, 200);
            }
        }
        answer
    });
    let output = operator.run_through(&url, &format!("erase --project acme {what} --yes"));
    (operator, output)
}

#[test]
fn what_is_stored_during_an_erasure_is_erased_unless_that_has_no_end() {
    let (operator, output) = erased_while_stored("--user-id a", 2);
    succeeded(&output);
    let warning =
        "\nan import that runs meanwhile writes its users at its end: let imports end first\n";
    for said in ["\nerased; ", warning] {
        assert!(stderr(&output).contains(said), "{output:?}");
    }
    let rest = export(&operator);
    for trace in [r#""a""#, "a@x.org"] {
        assert!(!rest.contains(trace), "{rest}");
    }
    for kept in [r#""userId":"b""#, "b@x.org"] {
        assert!(rest.contains(kept), "{rest}");
    }
    assert_eq!(operator.figures("")["displays"], 5);
    let (operator, output) = erased_while_stored("--all", 2);
    succeeded(&output);
    assert_eq!(export(&operator), "");
    for (what, records) in [
        (
            "--user-id a",
            "responses of this user (1 since the last scan): stop them",
        ),
        (
            "--email a@x.org",
            "responses of this user (1 since the last scan): stop them",
        ),
        ("--all", "records of this project ("),
    ] {
        let (operator, output) = erased_while_stored(what, usize::MAX);
        let errors = failed(&output, 1);
        let remains = format!("other programs still store {records}");
        let is_clear = errors.contains(&remains) && !errors.contains("erased;");
        assert!(is_clear, "{errors}");
        // Whoever runs this again finds the user.
        let users = if what == "--all" { 0 } else { 2 };
        assert_eq!(operator.users().len(), users, "{what}");
    }
}

#[test]
fn an_erasure_that_met_a_backup_continues_by_the_address_that_nobody_has_anymore() {
    let place = Place::new();
    let record =
        r#"{"id":"r","created":"2020-01-01","rating":9,"user":{"userId":"a","email":"a@x.org"}}"#;
    place.file("record.ndjson", record);
    succeeded(&place.run("import responses record.ndjson --project acme --data data"));
    let database = place.data().join("tables.sqlite");
    let backup = rusqlite::Connection::open(&database).unwrap();
    let read = "BEGIN; SELECT count(*) FROM users";
    backup.execute_batch(read).unwrap();
    let erase = "erase --project acme --email a@x.org --yes --data data";
    let interrupted = failed(&place.run(erase), 1);
    for words in ["it is being read, such as by a backup", "run this again"] {
        assert!(interrupted.contains(words), "{interrupted}");
    }
    drop(backup);
    let unknown = failed(&place.run(erase), 1);
    assert!(unknown.contains("no user of project acme"), "{unknown}");
    assert!(!contains(&database, "a@x.org"));
}
