//! The example of docs/warehouse.md, which loads monthly figures into a database.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::operator::Operator;
use crate::process::{failed, output, succeeded};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/warehouse.py");

/// Runs the example, which writes this file of the operator's folder.
fn run(operator: &Operator, database: &str, options: &str, read_key: &str) -> Output {
    let line = format!(
        "{database} --url {} --project acme --group-by user.traits.string.plan --timezone Europe/Prague --first 2020-01 {options}",
        operator.api()
    );
    let mut command = Command::new("python3");
    command
        .arg(SCRIPT)
        .args(line.split_whitespace())
        .current_dir(operator.path(""))
        .env("FEEDBACK_READ_KEY", read_key)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    output(&mut command)
}

fn load(operator: &Operator, database: &str, options: &str) -> String {
    let [read_key, _] = operator.secrets();
    succeeded(&run(operator, database, options, read_key))
}

/// Returns the month, the plan, the responses and the displays of each row.
fn rows(operator: &Operator, database: &str) -> Vec<(String, Option<String>, u64, u64)> {
    let database = rusqlite::Connection::open(operator.path(database)).unwrap();
    let query =
        "SELECT substr(start, 1, 7), value, responses, displays FROM figures ORDER BY start, value";
    let mut statement = database.prepare(query).unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let rows = statement.query_map([], row).unwrap();
    rows.map(Result::unwrap).collect()
}

fn import(operator: &Operator, records: &[Value]) {
    let records: Vec<_> = records.iter().map(Value::to_string).collect();
    succeeded(&operator.run_with_input("import responses - --project acme", records.join("\n")));
}

fn rated(id: &str, created: &str, plan: &str) -> Value {
    json!({"id": id, "created": created, "rating": 9, "user": {"traits": {"plan": plan}}})
}

/// Returns a project with displays in four months, of which one is not rated yet.
fn operator() -> Operator {
    let operator = Operator::new();
    let traits = json!({"plan": "pro"});
    import(
        &operator,
        &[
            rated("a", "2020-01-05", "pro"),
            rated("b", "2020-02-05", "free"),
            json!({"id": "c", "created": "2020-04-05", "pending": true, "user": {"traits": traits}}),
            json!({"id": "d", "created": "2020-04-06", "rating": 3}),
        ],
    );
    operator
}

fn row(
    month: &str,
    plan: &str,
    responses: u64,
    displays: u64,
) -> (String, Option<String>, u64, u64) {
    let plan = (!plan.is_empty()).then(|| plan.to_owned());
    (month.to_owned(), plan, responses, displays)
}

#[test]
fn loading_again_replaces_what_changed_and_adds_what_is_new() {
    let operator = operator();
    let first = load(&operator, "figures.db", "--until 2020-05");
    assert_eq!(first, "2020-01-01 until 2020-05-01: 4 rows\n");
    let january = row("2020-01", "pro", 1, 1);
    let february = row("2020-02", "free", 1, 1);
    let without = row("2020-04", "", 1, 1);
    assert_eq!(
        rows(&operator, "figures.db"),
        [
            january.clone(),
            february.clone(),
            without.clone(),
            row("2020-04", "pro", 0, 1)
        ]
    );
    import(
        &operator,
        &[
            rated("c", "2020-04-05", "pro"),
            rated("e", "2020-05-31T21:59:59Z", "free"),
            rated("f", "2020-05-31T22:00:00Z", "pro"),
        ],
    );
    for _ in 0..2 {
        let again = load(&operator, "figures.db", "--until 2020-07 --overlap 3");
        assert!(again.contains(" until 2020-07-01"), "{again}");
        assert_eq!(
            rows(&operator, "figures.db"),
            [
                january.clone(),
                february.clone(),
                without.clone(),
                row("2020-04", "pro", 1, 1),
                row("2020-05", "free", 1, 1),
                row("2020-06", "pro", 1, 1),
            ]
        );
    }
    load(&operator, "other.db", "--until 2020-07");
    assert_eq!(rows(&operator, "figures.db"), rows(&operator, "other.db"));
}

#[test]
fn a_full_load_finds_what_was_imported_into_old_months() {
    let operator = operator();
    load(&operator, "figures.db", "--until 2020-05");
    import(
        &operator,
        &[rated("old", "2020-01-31T22:59:59.999Z", "free")],
    );
    let last = load(&operator, "figures.db", "--until 2020-05 --overlap 2");
    assert!(last.starts_with("2020-03-01 until "), "{last}");
    assert_eq!(rows(&operator, "figures.db").len(), 4);
    load(&operator, "figures.db", "--until 2020-05 --full");
    assert_eq!(
        rows(&operator, "figures.db").first(),
        Some(&row("2020-01", "free", 1, 1))
    );
}

#[test]
fn a_load_that_fails_changes_nothing() {
    let operator = operator();
    load(&operator, "figures.db", "--until 2020-05");
    let before = rows(&operator, "figures.db");
    for (options, read_key, reason) in [
        ("--full", "unknown-read-key", "unauthenticated"),
        ("--timezone UTC", operator.secrets()[0], "another question"),
        (
            "--url http://127.0.0.1:1",
            operator.secrets()[0],
            "cannot reach",
        ),
    ] {
        let error = failed(&run(&operator, "figures.db", options, read_key), 1);
        assert!(error.contains(reason), "{error}");
        assert_eq!(rows(&operator, "figures.db"), before);
    }
}
