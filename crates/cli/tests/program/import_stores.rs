//! `feedback import` into a data folder and into a store with other writers.

use std::path::Path;

use serde_json::{Value, json};

use crate::http::put_item;
use crate::operator::Operator;
use crate::outcome::{failed, imported, succeeded};
use crate::process::Served;

/// Returns records of which several have one id, and more have one user; `seed` determines the facts that
/// they have.
fn arbitrary_records(seed: usize) -> String {
    let records = (0..200).map(|n| {
        let random = (seed + n).wrapping_mul(0x9E37_79B9).rotate_left(16);
        let [id, user, day] = [random % 90, random / 90 % 23, random % 28 + 1];
        let facts = [
            format!(r#","email":"{n}@{seed}""#),
            format!(r#","name":"Ann {n}""#),
            format!(r#","traits":{{"seats":{n},"plan":null}}"#),
            format!(r#","traits":{{"plan":"{random}","{}":[1.50,{{"a":"ü"}}]}}"#, n % 3),
        ];
        let fact = facts.get(random / 7 % 5).map_or("", String::as_str);
        let rating = random / 3 % 14;
        format!(
            r#"{{"id":"r{id}","created":"2020-01-{day:02}","rating":{},"user":{{"userId":"u{user}"{fact}}}}}"#,
            if rating > 10 { "null".to_owned() } else { rating.to_string() },
        )
    });
    records.collect::<Vec<_>>().join("\n")
}

/// Returns the items of all tables but the credentials, with their keys.
fn items_of(folder: &Path) -> Vec<(String, String, Value)> {
    let database = rusqlite::Connection::open(folder.join("tables.sqlite")).unwrap();
    let items = ["users", "responses"].map(|table| {
        let sql = format!("SELECT pk, sk, item_json FROM \"{table}\" ORDER BY pk, sk");
        let mut statement = database.prepare(&sql).unwrap();
        let items = statement.query_map([], |row| {
            let item = serde_json::from_str(&row.get::<_, String>(2)?);
            Ok((row.get(0)?, row.get(1)?, item.unwrap()))
        });
        items.unwrap().map(Result::unwrap).collect::<Vec<_>>()
    });
    items.concat()
}

#[test]
fn the_same_imports_leave_the_same_items_in_a_data_folder_a_served_one_and_dynamodb() {
    let operator = Operator::new();
    let served = Served::with_data(&operator.path("served"));
    for seed in 1..3 {
        let file = format!("import-{seed}.ndjson");
        operator.file(&file, arbitrary_records(seed * 1000));
        let import = format!("import responses {file} --project acme");
        let printed = imported(&operator.run(&import));
        for folder in ["alone", "served"] {
            let same = operator.run(&format!("{import} --data {folder}"));
            assert_eq!(imported(&same), printed, "{folder}");
        }
    }
    let items = items_of(&operator.path("alone"));
    assert!(items.len() > 100, "{}", items.len());
    served.end();
    for folder in ["data", "served"] {
        assert_eq!(items, items_of(&operator.path(folder)), "{folder}");
    }
}

#[test]
fn what_was_written_is_said_although_the_figures_cannot_be_read() {
    let operator = Operator::new();
    operator.file("one", r#"{"id":"a","created":"2020-03-01","rating":10}"#);
    let import = "import responses one --project acme --data folder";
    succeeded(&operator.run(import));
    let database = operator.path("folder").join("tables.sqlite");
    let database = rusqlite::Connection::open(database).unwrap();
    let damage =
        "UPDATE responses SET item_json = json_set(item_json, '$.rating', 5) WHERE rowid = 1";
    assert_eq!(database.execute(damage, []).unwrap(), 1);
    drop(database);
    operator.file("one", r#"{"id":"f","created":"2021-01-01","rating":9}"#);
    let output = operator.run(import);
    let error = failed(&output, 1);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(told, "responses: 1 written, 0 unchanged, 0 rejected\n");
    let reason = "feedback: the project's figures cannot be read: unavailable: ";
    assert!(error.lines().last().unwrap().starts_with(reason), "{error}");
}

#[test]
fn a_set_that_another_program_stored_keeps_its_type_when_its_values_are_imported() {
    let operator = Operator::new();
    let item = json!({
        "shard": {"S": "acme#c"}, "at": {"S": "2020-01-01T00:00:00.000Z#a"}, "rating": {"N": "9"},
        "traits": {"M": {"tags": {"SS": ["a", "b"]}}},
    });
    put_item(operator.served().dynamodb(), "responses", &item.to_string());
    operator.file("exported.ndjson", operator.export("responses").join("\n"));
    let counts = imported(&operator.run("import responses exported.ndjson --project acme"));
    assert_eq!(counts, "responses: 0 written, 1 unchanged, 0 rejected\n");
}
