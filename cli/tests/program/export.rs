//! `feedback export` and `feedback erase`.

use serde_json::{Value, json};

use crate::http::put_item;
use crate::operator::{Operator, failed, succeeded};
use crate::process::{only_line, run};

const RESPONSES: &str = r#"{"id":"rated","created":"2020-01-01T00:00:00.001Z","rating":10,"dismissed":false,"user":{"userId":"007","traits":{"n":0.1234567890123456789012345678901234567,"plan":"pro","s":"\u0000\"ü"}}}
{"id":"dismissed#1","created":"2020-01-02T00:00:00.000Z","dismissed":true,"user":{"userId":"m"}}
{"id":"pending","created":"2020-01-03T00:00:00.000Z","dismissed":false,"user":{"traits":{}}}
{"id":"nobody's","created":"2020-01-04T00:00:00.000Z","rating":0,"dismissed":false}
"#;

fn sorted(lines: &str) -> Vec<String> {
    let mut lines: Vec<_> = lines.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn what_is_exported_can_be_imported_elsewhere_and_is_the_same_there() {
    let operator = Operator::new();
    succeeded(&operator.run_with_input("import responses - --project acme", RESPONSES.as_bytes()));
    let exported = operator.run("export responses --project acme");
    assert_eq!(sorted(&succeeded(&exported)), sorted(RESPONSES));
    assert_eq!(
        String::from_utf8(exported.stderr).unwrap(),
        "4 exported, 0 damaged\n"
    );
    let users = operator.run("export users --project acme").stdout;
    // To a folder, and back under another name.
    for (kind, content) in [("users", &users), ("responses", &exported.stdout)] {
        let line = format!("import {kind} - --project moved --data folder");
        succeeded(&operator.run_with_input(&line, content));
        let moved = operator.run(&format!("export {kind} --project moved --data folder"));
        assert_eq!(
            sorted(&succeeded(&moved)),
            sorted(std::str::from_utf8(content).unwrap())
        );
    }
}

#[test]
fn a_damaged_record_is_named_and_left_out_of_an_export() {
    let operator = Operator::new();
    succeeded(&operator.run_with_input("import responses - --project acme", RESPONSES.as_bytes()));
    let address = operator.dynamodb();
    let key = json!({"shard": {"S": "acme#0"}, "at": {"S": "2020-01-01T00:00:00.000Z#bad"}, "rating": {"N": "11"}});
    put_item(
        address.trim_start_matches("http://"),
        "responses",
        &key.to_string(),
    );
    let output = operator.run("export responses --project acme");
    let told = failed(&output, 2);
    assert!(
        told.starts_with("left out \"2020-01-01T00:00:00.000Z#bad\""),
        "{told}"
    );
    assert_eq!(
        std::str::from_utf8(&output.stdout).unwrap().lines().count(),
        4
    );
}

#[test]
fn erasing_a_user_keeps_the_figures_and_nothing_of_the_person() {
    let operator = Operator::new();
    let record = |id: &str, user: &str| {
        format!(
            r#"{{"id":"{id}","created":"2020-01-01","rating":9,"user":{{"userId":"{user}","email":"{user}@x.org","traits":{{"plan":"pro","of":"{user}"}}}}}}"#
        )
    };
    let records = [record("r1", "a"), record("r2", "b"), record("r3", "a")].join("\n");
    succeeded(&operator.run_with_input("import responses - --project acme", records.as_bytes()));
    let before = operator.figures("");
    let told = failed(&operator.run("erase --project acme --user-id a"), 1);
    assert!(
        told.contains("1 user to delete, 2 of 3 response records") && told.contains("--yes"),
        "{told}"
    );
    assert_eq!(operator.users().len(), 2, "nobody said yes");
    succeeded(&operator.run("erase --project acme --user-id a --yes"));
    assert_eq!(operator.figures(""), before);
    assert_eq!(operator.figures(" --filter of=eq:b")["displays"], 1);
    let users: Vec<Value> = operator.users();
    assert_eq!((users.len(), &users[0]["userId"]), (1, &json!("b")));
    let left = operator.export("responses").concat() + &operator.export("users").concat();
    assert!(
        !left.contains(r#""a""#) && left.contains("b@x.org"),
        "{left}"
    );
    let told = operator.run("erase --project acme --user-id a");
    let told = String::from_utf8(told.stderr).unwrap();
    assert_eq!(
        told,
        "nothing is stored about this user; 3 response records were searched\n"
    );
}

#[test]
fn a_mistyped_folder_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let data = missing.to_str().unwrap();
    for command in [
        &["export", "users", "--project", "acme"][..],
        &["erase", "--project", "acme", "--user-id", "a", "--yes"],
        &["credentials", "list"],
        &["credentials", "revoke", "1a2b3c4d", "--yes"],
    ] {
        let line = only_line(&run(&[command, &["--data", data]].concat()));
        assert!(line.contains("there are no tables in"), "{line}");
    }
    assert!(!missing.exists());
}
