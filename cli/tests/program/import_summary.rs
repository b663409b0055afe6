//! `feedback import`: the summary of the records that were read, to compare with the service that exported them.

use crate::operator::Operator;
use crate::process::{failed, imported, succeeded};

/// Returns the summary of an import of these lines.
#[track_caller]
fn summary(operator: &Operator, lines: &str, arguments: &str) -> String {
    operator.file("all", lines);
    let output = operator.run(&format!("import responses all --project acme{arguments}"));
    let told = succeeded(&output);
    told.split_once("\n\n").expect(&told).1.to_owned()
}

const LINES: &str = r#"{"id":"a","created":"2020-03-01","rating":10,"campaign":"c","user":{"userId":"u1"}}
{"id":"b","created":"2020-01-01","rating":6,"campaign":"c","user":{"userId":"u1"}}
{"id":"c","created":"2020-02-01","rating":8,"campaign":"c","user":{"userId":"u2"}}
{"id":"d","created":"2020-02-01","dismissed":true,"campaign":"c"}
{"id":"e","created":"2020-04-01","campaign":"c"}
"#;

#[test]
fn a_dry_run_and_an_import_end_with_the_same_summary() {
    let operator = Operator::new();
    let expected = "records     5\nrated       3\ndismissed   1\npending     1\npromoters   1\ndetractors  1\n\
        score       0.0\nfirst       2020-01-01T00:00:00.000Z\nlast        2020-04-01T00:00:00.000Z\n\
        people      2\ncampaigns   \"c\" (5)\n";
    for arguments in [" --dry-run", "", ""] {
        assert_eq!(summary(&operator, LINES, arguments), expected);
    }
    let nothing = summary(&operator, "", " --dry-run");
    assert!(
        nothing.contains("score       -\nfirst       -\nlast        -\n"),
        "{nothing}"
    );
    let line = |n: u8| {
        format!(
            "{{\"id\":\"r{n}\",\"created\":\"2020-01-01\",\"rating\":{}}}\n",
            if n == 0 { 9 } else { 8 }
        )
    };
    let sixteen = summary(
        &operator,
        &(0..16).map(line).collect::<String>(),
        " --dry-run",
    );
    assert!(sixteen.contains("score       6.3\n"), "{sixteen}");
    operator.file("users", r#"{"userId":"007"}"#);
    let output = operator.run("import users users --project acme");
    assert_eq!(
        imported(&output),
        succeeded(&output),
        "users have no figures"
    );
}

#[test]
fn each_record_counts_once_as_what_its_occurrences_are_merged_into() {
    let operator = Operator::new();
    let line = |members: &str| format!("{{\"id\":\"a\",\"created\":\"2020-01-01\"{members}}}\n");
    let [pending, dismissed] = [line(""), line(r#","dismissed":true"#)];
    let [rated, better] = [r#","rating":3"#, r#","rating":10"#].map(line);
    let elsewhere = rated.replace("2020-01-01", "2020-01-02");
    let of = |campaign| line(&format!(r#","campaign":"{campaign}""#));
    for (lines, [records, rated, dismissed, pending, promoters]) in [
        (vec![&pending, &rated], [1, 1, 0, 0, 0]),
        (vec![&rated, &pending, &dismissed], [1, 1, 0, 0, 0]),
        (vec![&dismissed, &pending], [1, 0, 1, 0, 0]),
        (vec![&pending, &dismissed], [1, 0, 1, 0, 0]),
        (vec![&rated, &better, &better], [1, 1, 0, 0, 1]),
        (
            vec![&pending, &elsewhere, &better, &elsewhere, &pending],
            [2, 2, 0, 0, 1],
        ),
        (vec![&of("x"), &of("y"), &pending], [1, 0, 0, 1, 0]),
    ] {
        let operator = Operator::new();
        let lines: String = lines.into_iter().cloned().collect();
        let told = summary(&operator, &lines, "");
        let expected = format!(
            "records     {records}\nrated       {rated}\ndismissed   {dismissed}\npending     {pending}\n\
             promoters   {promoters}\n"
        );
        assert!(told.starts_with(&expected), "{lines}{told}");
        let figures = operator.figures("");
        let stored =
            ["displays", "responses", "dismissed", "promoters"].map(|name| figures[name].as_u64());
        assert_eq!(
            stored,
            [records, rated, dismissed, promoters].map(Some),
            "{lines}"
        );
    }
    let told = summary(
        &operator,
        &[of("x"), of("y"), pending].concat(),
        " --dry-run",
    );
    assert!(told.ends_with("campaigns   \"y\" (1)\n"), "{told}");
}

#[test]
fn equal_rows_without_an_id_count_as_often_as_they_are_stored() {
    let operator = Operator::new();
    let row = "2020-01-01,9,u1\n";
    operator.file(
        "two.csv",
        format!("created,rating,userId\n{}", row.repeat(2)),
    );
    operator.file(
        "three.csv",
        format!("created,rating,userId\n{}2020-01-02,1,u2\n", row.repeat(3)),
    );
    for (files, records) in [
        ("two.csv", 2),
        ("two.csv three.csv", 4),
        ("three.csv two.csv", 4),
        ("two.csv two.csv three.csv two.csv", 4),
    ] {
        let operator_of_files = Operator::new();
        for name in ["two.csv", "three.csv"] {
            let content = std::fs::read(operator.path(name)).unwrap();
            operator_of_files.file(name, content);
        }
        let output = operator_of_files.run(&format!("import responses {files} --project acme"));
        let told = succeeded(&output);
        assert!(
            told.contains(&format!("\nrecords     {records}\n")),
            "{told}"
        );
        assert_eq!(operator_of_files.figures("")["displays"], records);
    }
}

#[test]
fn rejected_and_skipped_records_are_not_part_of_the_summary() {
    let operator = Operator::new();
    let skipped = summary(&operator, LINES, " --campaign other --dry-run");
    assert!(skipped.starts_with("records     0\n"), "{skipped}");
    operator.file(
        "all",
        format!(
            "{LINES}{}",
            LINES
                .replace(":10", ":11")
                .replace("\"id\":\"", "\"id\":\"x")
        ),
    );
    let output = operator.run("import responses all --project acme --dry-run");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("records     9\nrated       5\n"), "{told}");
    let large = "x".repeat(250 << 10);
    let user = format!(r#"{{"userId":"u","name":"{large}","email":"{large}"}}"#);
    operator.file(
        "all",
        format!(r#"{{"id":"a","created":"2020-01-01","rating":9,"user":{user}}}"#),
    );
    let output = operator.run("import responses all --project acme --dry-run");
    assert!(
        failed(&output, 2).contains("the user must not be larger"),
        "{output:?}"
    );
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.contains("records     0\n") && told.contains("people      0\n"),
        "{told}"
    );
}
