//! `feedback import --rejects`: rejected records can be corrected and imported.

use crate::operator::Operator;
use crate::process::{error_line, failed, imported, stderr};

/// Imports responses of which some are rejected; returns standard error.
#[track_caller]
fn reject(operator: &Operator, arguments: &str) -> String {
    let line = format!("import responses {arguments} --project acme");
    failed(&operator.run(&line), 2)
}

#[track_caller]
fn import(operator: &Operator, arguments: &str) -> String {
    imported(&operator.run(&format!("import responses {arguments} --project acme")))
}

fn read(operator: &Operator, name: &str) -> String {
    std::fs::read_to_string(operator.path(name)).expect(name)
}

#[test]
fn each_header_and_format_has_a_file_of_its_own() {
    let operator = Operator::new();
    operator.file("a.csv", "id,created,rating,traits.n\na1,2020-01-01,99,1\n");
    operator.file("b.csv", "id,traits.n,created,rating\nb1,9,2020-01-01,99\n");
    operator.file(
        "c.ndjson",
        r#"{"id":"c1","created":"2020-01-01","rating":99}"#,
    );
    operator.file("d.csv", "id,created,rating,traits.n\nd1,2020-01-01,99,1\n");
    let errors = reject(&operator, "a.csv b.csv c.ndjson d.csv --rejects bad");
    let names: Vec<_> = errors
        .lines()
        .filter(|line| line.starts_with("bad"))
        .collect();
    assert_eq!(
        names,
        ["bad: 2 rejected", "bad-2: 1 rejected", "bad-3: 1 rejected"]
    );
    assert_eq!(
        ["bad", "bad-2", "bad-3"].map(|name| read(&operator, name)),
        [
            "id,created,rating,traits.n\na1,2020-01-01,99,1\nd1,2020-01-01,99,1\n",
            "id,traits.n,created,rating\nb1,9,2020-01-01,99\n",
            "{\"id\":\"c1\",\"created\":\"2020-01-01\",\"rating\":99}\n",
        ]
    );
    for name in ["bad", "bad-2", "bad-3"] {
        operator.file(name, read(&operator, name).replace("99", "10"));
    }
    assert_eq!(
        import(&operator, "bad bad-2 bad-3"),
        "responses: 4 written, 0 unchanged, 0 rejected\n"
    );
    let figures = operator.figures("");
    assert_eq!(
        [&figures["displays"], &figures["promoters"]],
        [4, 4],
        "{figures}"
    );
}

#[test]
fn a_further_file_that_exists_is_kept_and_ends_the_import() {
    let operator = Operator::new();
    operator.file(
        "a.csv",
        "id,created,rating\na0,2020-01-01,9\na1,2020-01-01,99\n",
    );
    operator.file(
        "b.ndjson",
        r#"{"id":"b1","created":"2020-01-01","rating":99}"#,
    );
    operator.file("bad-2", "kept");
    let output = operator.run("import responses a.csv b.ndjson --project acme --rejects bad");
    let errors = failed(&output, 1);
    assert!(errors.contains("cannot create bad-2"), "{errors}");
    assert_eq!(read(&operator, "bad-2"), "kept");
    assert_eq!(
        read(&operator, "bad"),
        "id,created,rating\na1,2020-01-01,99\n"
    );
    assert_eq!(operator.figures("")["displays"], 1);
}

#[test]
fn a_record_that_is_too_large_with_its_user_is_rejected_once() {
    let operator = Operator::new();
    for name in ["a", "b"] {
        let traits = format!(r#"{{"{name}":"{}"}}"#, "x".repeat(250_000));
        let user = format!(r#"{{"userId":"u1","traits":{traits}}}"#);
        let record = format!(r#"{{"id":"r1","created":"2020-01-01","user":{user}}}"#);
        operator.file(name, record);
    }
    import(&operator, "a");
    let errors = reject(&operator, "b --rejects bad");
    assert_eq!(errors.matches("b:1: ").count(), 1, "{errors}");
    assert_eq!(read(&operator, "bad").lines().count(), 1);
}

#[test]
fn rejects_are_not_written_into_a_data_folder() {
    let operator = Operator::new();
    let import = "import responses - --project acme --data new";
    for options in ["", " --dry-run"] {
        let import = format!("{import} --rejects new/rejects{options}");
        let messages = failed(&operator.run_with_input(&import, "{}"), 1);
        assert!(
            messages.contains("it is inside the data folder"),
            "{messages}"
        );
    }
}

#[test]
fn the_file_of_rejects_is_refused_before_anything_is_imported_if_it_exists() {
    let operator = Operator::new();
    operator.file("a.csv", "id,created,rating\na1,2020-01-01,9\n");
    operator.file("bad", "kept");
    let output = operator.run("import responses a.csv --project acme --rejects bad");
    let line = error_line(&output);
    assert!(line.contains("cannot create bad"), "{line}");
    assert_eq!(operator.figures("")["displays"], 0);
    let output = operator.run("import responses a.csv --project acme --rejects none");
    assert_eq!(
        (imported(&output), stderr(&output)),
        (
            "responses: 1 written, 0 unchanged, 0 rejected\n".to_owned(),
            String::new()
        )
    );
    assert!(!operator.path("none").exists());
}

#[test]
fn after_ten_records_of_one_reason_the_others_are_counted_and_one_line_is_reported_once() {
    let operator = Operator::new();
    let rating =
        |n: usize| format!("{{\"created\":\"2020-01-01\",\"rating\":\"{n} \\\"a\\\"\"}}\n");
    let ratings: String = (0..1015).map(rating).collect();
    let rows = "a\na,\n".repeat(6);
    let range = "rating must be a whole number from 0 to 10, got";
    for (content, skipped, reported) in [
        (
            "[[],[]]".to_owned(),
            0,
            vec!["all:1: it is not a JSON object", "bad: 2 rejected"],
        ),
        (
            format!("{ratings}[]\n{{\"id\":\"x\"}}\n"),
            9,
            vec![
                &format!("all:10: {range} \"9 \\\"a\\\"\""),
                "all:1016: it is not a JSON object",
                "all:1017: created is missing",
                &format!("… and 1,005 more: {range} …"),
                "bad: 1017 rejected",
            ],
        ),
        // Numbers that differ are not shown.
        (
            format!("id,created,rating\n{rows}"),
            9,
            vec![
                "all:11: it has 2 cells where the header has 3",
                "… and 2 more: it has … cells where the header has …",
                "bad: 12 rejected",
            ],
        ),
    ] {
        operator.file("all", content);
        let errors = reject(&operator, "all --dry-run --rejects bad");
        let errors: Vec<_> = errors.lines().skip(skipped).collect();
        assert_eq!(errors, reported);
        std::fs::remove_file(operator.path("bad")).unwrap();
    }
}
