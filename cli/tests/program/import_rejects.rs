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

/// Replaces the derived ids by `ID`.
fn without_ids(text: &str) -> String {
    let mut text = text.to_owned();
    let is_id = |part: &str| part.len() == 24 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let ids: Vec<_> = parts
        .filter(|part| is_id(part))
        .map(str::to_owned)
        .collect();
    for id in ids {
        text = text.replace(&id, "ID");
    }
    text
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
fn a_corrected_record_without_an_id_is_a_record_of_its_own() {
    for (arguments, all, rejects, corrections) in [
        (
            "",
            "created,rating\n2020-01-01,9\n2020-01-01,99\n2020-01-01,99\n2020-01-01\n",
            "id,created,rating\nID,2020-01-01,99\nID,2020-01-01,99\nID,2020-01-01\n",
            [(",99", ",9"), ("-01\n", "-01,9\n")],
        ),
        (
            " --map id=Number",
            "rating\tcreated\tNumber\n9\t2020-01-01\t\n99\t2020-01-01\t\n99\t2020-01-01\t\"\"\n",
            "rating\tcreated\tNumber\n99\t2020-01-01\tID\n99\t2020-01-01\t\"ID\"\n",
            [("99\t", "9\t"), ("", "")],
        ),
        (
            "",
            "{\"created\":\"2020-01-01\",\"rating\":9}\n{\"created\":\"2020-01-01\",\"rating\":99}\n\
             {\"rating\":99,\"id\": null,\"created\":\"2020-01-01\"}\n{\"rating\":9}\n",
            "{\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":99}\n\
             {\"rating\":99,\"id\": \"ID\",\"created\":\"2020-01-01\"}\n{\"id\":\"ID\",\"rating\":9}\n",
            [
                ("g\":9}", "g\":9,\"created\":\"2020-01-01\"}"),
                (":99", ":9"),
            ],
        ),
        (
            "",
            "created,rating,traits.a,id\r\n2020-01-01,9,,\r\n2020-01-01,9\r\n",
            "created,rating,traits.a,id\n2020-01-01,9,,ID\r\n",
            [("", ""), ("", "")],
        ),
        (
            "",
            "{\"created\":\"2020-01-01\",\"rating\":9}\n{\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
             {\"id\":null,\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n",
            "{\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
             {\"id\":\"ID\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n",
            [(",\"rating\":9,", ","), ("", "")],
        ),
    ] {
        let operator = Operator::new();
        operator.file("all", all);
        reject(&operator, &format!("all --rejects bad{arguments}"));
        let mut rejected = read(&operator, "bad");
        assert_eq!(without_ids(&rejected), rejects);
        for (wrong, right) in corrections.iter().filter(|(wrong, _)| !wrong.is_empty()) {
            rejected = rejected.replace(wrong, right);
        }
        operator.file("bad", rejected);
        let corrected = rejects.matches("ID").count();
        let summary = format!("{corrected} written, 0 unchanged, 0 rejected");
        let counts = import(&operator, &format!("bad{arguments}"));
        assert!(counts.contains(&summary), "{counts}");
        assert_eq!(operator.figures("")["displays"], corrected + 1);
    }
}

#[test]
fn a_record_with_an_id_and_a_name_twice_keeps_its_id() {
    let operator = Operator::new();
    let records = "{\"id\":\"r1\",\"created\":\"2020-01-01\",\"rating\":9,\"rating\":9}\n\
                   {\"id\":\"r2\",\"id\":null,\"created\":\"2020-01-01\",\"rating\":9}\n";
    operator.file("all", records);
    reject(&operator, "all --rejects bad");
    assert_eq!(read(&operator, "bad"), records);
}

#[test]
fn a_record_with_a_name_twice_is_not_the_one_with_its_last_value() {
    let operator = Operator::new();
    let twice = r#"{"created":"2020-01-01","rating":4,"rating":9}"#;
    operator.file("twice", twice);
    operator.file("once", r#"{"created":"2020-01-01","rating":9}"#);
    reject(&operator, "twice once --rejects bad");
    let corrected = read(&operator, "bad").replace(r#","rating":9}"#, "}");
    operator.file("bad", corrected);
    import(&operator, "bad");
    assert_eq!(operator.figures("")["displays"], 2);
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
fn a_row_whose_cells_cannot_be_told_is_kept_unchanged() {
    let operator = Operator::new();
    operator.file(
        "all.csv",
        b"created,rating,traits.a\n2020-01-01,99,x\n2020-01-01,9,\xff\n2020-01-01,9,\"open\n2020-01-02,9,y\n",
    );
    let errors = reject(&operator, "all.csv --rejects bad");
    assert!(
        errors.contains("bad: 1 rejected\nbad-2: 2 rejected\n"),
        "{errors}"
    );
    let rejected = read(&operator, "bad");
    assert_eq!(
        without_ids(&rejected),
        "id,created,rating,traits.a\nID,2020-01-01,99,x\n"
    );
    assert_eq!(
        std::fs::read(operator.path("bad-2")).unwrap(),
        b"created,rating,traits.a\n2020-01-01,9,\xff\n2020-01-01,9,\"open\n2020-01-02,9,y\n"
    );
}

#[test]
fn with_id_from_the_corrected_values_decide() {
    let operator = Operator::new();
    let table = "created,rating,Visitor\n2020-01-01,99,v1\n";
    operator.file("all.csv", table);
    operator.file(
        "all.ndjson",
        r#"{"created":"2020-01-01","rating":99,"Visitor":"v2"}"#,
    );
    reject(&operator, "all.csv --rejects bad --id-from Visitor");
    assert_eq!(read(&operator, "bad"), table);
    reject(
        &operator,
        "all.ndjson --rejects bad.ndjson --id-from Visitor",
    );
    assert!(read(&operator, "bad.ndjson").starts_with("{\"created\""));
    operator.file("all.csv", table.replace("99", "9"));
    operator.file("bad", table.replace("99", "9"));
    import(&operator, "all.csv bad --id-from Visitor");
    assert_eq!(operator.figures("")["displays"], 1);
}

#[test]
fn a_table_with_another_column_called_id_is_kept_unchanged() {
    let operator = Operator::new();
    let table = "id,created,rating\nu1,2020-01-01,99\n";
    operator.file("all.csv", table);
    reject(&operator, "all.csv --map userId=id --rejects bad");
    assert_eq!(read(&operator, "bad"), table);
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
