//! `feedback import --rejects`: rejected records can be corrected and imported.

use crate::operator::Operator;
use crate::outcome::{failed, imported};
use crate::place::Place;

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

#[test]
fn each_header_and_format_has_a_file_of_its_own() {
    let operator = Operator::new();
    operator.file("a.csv", "id,created,rating,traits.n\na1,2020-01-01,99,1\n");
    operator.file("b.csv", "id,traits.n,created,rating\nb1,9,2020-01-01,99\n");
    let line = r#"{"id":"c1","created":"2020-01-01","rating":99}"#;
    operator.file("c.ndjson", line);
    operator.file("d.csv", "id,created,rating,traits.n\nd1,2020-01-01,99,1\n");
    let errors = reject(&operator, "a.csv b.csv c.ndjson d.csv --rejects bad");
    let names = errors.lines().filter(|line| line.starts_with("bad"));
    let expected = ["bad: 2 rejected", "bad-2: 1 rejected", "bad-3: 1 rejected"];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    assert_eq!(
        ["bad", "bad-2", "bad-3"].map(|name| operator.read(name)),
        [
            "id,created,rating,traits.n\na1,2020-01-01,99,1\nd1,2020-01-01,99,1\n",
            "id,traits.n,created,rating\nb1,9,2020-01-01,99\n",
            "{\"id\":\"c1\",\"created\":\"2020-01-01\",\"rating\":99}\n",
        ]
    );
    for name in ["bad", "bad-2", "bad-3"] {
        operator.file(name, operator.read(name).replace("99", "10"));
    }
    assert_eq!(
        import(&operator, "bad bad-2 bad-3"),
        "responses: 4 written, 0 unchanged, 0 rejected\n"
    );
    let figures = operator.figures("");
    let counts = ["displays", "promoters"].map(|name| &figures[name]);
    assert_eq!(counts, [4, 4], "{figures}");
}

#[test]
fn a_further_file_that_exists_is_kept_and_ends_the_import() {
    let operator = Operator::new();
    let table = "id,created,rating\na0,2020-01-01,9\na1,2020-01-01,99\n";
    operator.file("a.csv", table);
    let line = r#"{"id":"b1","created":"2020-01-01","rating":99}"#;
    operator.file("b.ndjson", line);
    operator.file("bad-2", "kept");
    let output = operator.run("import responses a.csv b.ndjson --project acme --rejects bad");
    let errors = failed(&output, 1);
    assert!(errors.contains("cannot create bad-2"), "{errors}");
    assert_eq!(operator.read("bad-2"), "kept");
    let rejected = "id,created,rating\na1,2020-01-01,99\n";
    assert_eq!(operator.read("bad"), rejected);
    assert_eq!(operator.figures("")["displays"], 1);
}

#[test]
fn rejects_are_not_written_into_a_data_folder() {
    let place = Place::new();
    let import = "import responses - --project acme --data new --rejects new/rejects";
    for option in ["", " --dry-run"] {
        let refused = place.run_with_input(&format!("{import}{option}"), "{}");
        let messages = failed(&refused, 1);
        let reason = "it is inside the data folder";
        assert!(messages.contains(reason), "{messages}");
    }
}

#[test]
fn after_ten_records_of_one_reason_the_others_are_counted_and_one_line_is_reported_once() {
    let operator = Operator::new();
    let rating =
        |n: usize| format!("{{\"created\":\"2020-01-01\",\"rating\":\"{n} \\\"a\\\"\"}}\n");
    let ratings: String = (0..1015).map(rating).collect();
    let rows = "a,2020-01-01,9,b\na,2020-01-01,9,b,c\n".repeat(6);
    let range = "rating must be a whole number from 0 to 10, got";
    for (content, skipped, reported) in [
        (
            "[7,7]".to_owned(),
            0,
            &["all:1: it is not a JSON object", "bad: 2 rejected"][..],
        ),
        (
            format!("{ratings}[]\n{{\"id\":\"x\"}}\n"),
            9,
            &[
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
            &[
                "all:11: it has 5 cells where the header has 3",
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
