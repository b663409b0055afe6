//! `feedback import`: which records are the same.

use crate::operator::Operator;
use crate::process::{failed, imported};

fn import(operator: &Operator, arguments: &str) -> String {
    imported(&operator.run(&format!("import responses {arguments} --project acme")))
}

#[test]
fn a_corrected_mapping_updates_the_rows_that_it_imported() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,Score,Wrong,Plan\n2020-01-01,9,1,pro\n2020-01-01,9,1,free\n2020-01-02,3,2,pro\n",
    );
    assert_eq!(
        import(&operator, "survey.csv --map rating=Wrong"),
        "responses: 3 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(
        import(
            &operator,
            "survey.csv --map rating=Score --map traits.plan=Plan"
        ),
        "responses: 3 written, 0 unchanged, 0 rejected\n"
    );
    let figures = operator.figures("");
    assert_eq!(
        [&figures["displays"], &figures["promoters"]],
        [3, 2],
        "{figures}"
    );
    assert_eq!(operator.figures(" --filter plan=eq:pro")["displays"], 2);
}

#[test]
fn rows_that_differ_in_a_column_that_is_not_imported_stay_apart() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,rating,Comment\n2020-01-01,9,a\n2020-01-01,9,b\n2020-01-01,9,b\n",
    );
    import(&operator, "survey.csv");
    assert_eq!(operator.figures("")["displays"], 3);
    // The order of the columns does not matter.
    operator.file(
        "reordered.csv",
        "Comment,rating,created\nb,9,2020-01-01\na,9,2020-01-01\nb,9,2020-01-01\n",
    );
    assert_eq!(
        import(&operator, "reordered.csv"),
        "responses: 0 written, 3 unchanged, 0 rejected\n"
    );
}

#[test]
fn equal_records_are_the_same_in_every_file_of_an_import() {
    let operator = Operator::new();
    let row = r#"{"created":"2020-01-01","rating":9}"#;
    operator.file("day.ndjson", format!("{row}\n{row}"));
    operator.file("copy.ndjson", format!("{row}\n{row}"));
    import(&operator, "day.ndjson copy.ndjson");
    assert_eq!(operator.figures("")["displays"], 2);
}

#[test]
fn json_records_without_an_id_are_the_same_if_their_members_are() {
    let operator = Operator::new();
    operator.file(
        "first.ndjson",
        r#"{"created":"2020-01-01","rating":9,"answers":[{"a":1,"b":"x"}]}
           {"created":"2020-01-01","rating":9,"answers":[{"a":10000000000000000000000001}]}
           {"created":"2020-01-01","rating":9,"answers":[{"a":10000000000000000000000002}]}"#,
    );
    import(&operator, "first.ndjson");
    assert_eq!(operator.figures("")["displays"], 3);
    operator.file(
        "again.json",
        "[{ \"answers\": [{\"b\":\"\\u0078\", \"a\":1}], \"rating\": 9,\n \"created\":\"2020-01-01\"}]",
    );
    assert_eq!(
        import(&operator, "again.json"),
        "responses: 0 written, 1 unchanged, 0 rejected\n"
    );
}

#[test]
fn id_from_names_the_columns_that_identify_a_display() {
    let operator = Operator::new();
    operator.file(
        "pending.csv",
        "created,rating,Visitor\n2020-01-01,,v1\n2020-01-01,,v2\n",
    );
    operator.file(
        "rated.csv",
        "created,rating,Visitor,Device\n2020-01-01,9,v1,phone\n2020-01-01,3,v2,desk\n",
    );
    for file in ["pending.csv", "rated.csv"] {
        assert_eq!(
            import(&operator, &format!("{file} --id-from created,Visitor")),
            "responses: 2 written, 0 unchanged, 0 rejected\n"
        );
    }
    let figures = operator.figures("");
    assert_eq!([&figures["displays"], &figures["responses"]], [2, 2]);

    operator.file(
        "pending.ndjson",
        r#"{"created":"2020-02-01","user":{"userId":"007"}}"#,
    );
    operator.file(
        "rated.ndjson",
        r#"{"created":"2020-02-01","rating":9,"user":{"userId":"007"}}"#,
    );
    for file in ["pending.ndjson", "rated.ndjson"] {
        import(&operator, &format!("{file} --id-from created,user.userId"));
    }
    assert_eq!(operator.figures("")["displays"], 3);
}

#[test]
fn of_rows_that_id_from_makes_one_record_the_last_is_kept() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,rating,Visitor\n2020-01-01,9,v1\n2020-01-01,3,v1\n2020-01-01,3,v1\n",
    );
    import(&operator, "survey.csv --id-from created,Visitor");
    let figures = operator.figures("");
    assert_eq!([&figures["displays"], &figures["detractors"]], [1, 1]);
}

#[test]
fn id_from_without_a_value_or_a_column_is_refused() {
    let operator = Operator::new();
    operator.file("survey.csv", "created,rating,Visitor\n2020-01-01,9,\n");
    let errors = failed(
        &operator.run("import responses survey.csv --project acme --id-from Visitor"),
        2,
    );
    assert!(errors.contains("survey.csv:2: it has no value in \"Visitor\" (--id-from)"));
    let errors = failed(
        &operator.run("import responses survey.csv --project acme --id-from created,Visitor"),
        2,
    );
    assert!(errors.contains("survey.csv:2: it has no value in \"Visitor\" (--id-from)"));
    let errors = failed(
        &operator.run("import responses survey.csv --project acme --id-from Guest"),
        1,
    );
    assert!(
        errors.contains("there is no column Guest for --id-from"),
        "{errors}"
    );
}

#[test]
fn records_of_one_id_are_one_record_if_their_created_is_the_same() {
    let operator = Operator::new();
    let record = |day: u8, rating: u8| {
        format!("{{\"id\":\"r1\",\"created\":\"2020-01-0{day}\",\"rating\":{rating}}}\n")
    };
    operator.file(
        "all.ndjson",
        [record(1, 9), record(1, 3), record(2, 3)].concat(),
    );
    import(&operator, "all.ndjson");
    let figures = operator.figures("");
    assert_eq!([&figures["displays"], &figures["detractors"]], [2, 2]);
}

#[test]
fn a_record_that_is_nested_too_deeply_to_derive_its_id_is_rejected() {
    let operator = Operator::new();
    let nested = |levels| format!("{}7{}", "[".repeat(levels), "]".repeat(levels));
    let record = |levels| format!("{{\"created\":\"2020-01-01\",\"x\":{}}}\n", nested(levels));
    operator.file("deep.ndjson", [record(100_000), record(127)].concat());
    let errors = failed(
        &operator.run("import responses deep.ndjson --project acme"),
        2,
    );
    assert!(errors.starts_with("deep.ndjson:1: it is "), "{errors}");
    assert_eq!(operator.figures("")["displays"], 1);
}
