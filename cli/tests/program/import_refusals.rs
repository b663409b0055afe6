//! `feedback import`: files, options and data folders that it refuses.

use crate::operator::Operator;
use crate::process::{counts, error_line, failed, only_line, succeeded};

const RECORD: &str = r#"{"id":"r1","created":"2020-01-01","rating":9,"user":{"userId":"007"}}"#;

#[test]
fn an_unsuitable_file_or_option_is_refused_with_the_reason_before_anything_is_imported() {
    let operator = Operator::new();
    let spreadsheet = [b"PK\x03\x04".as_slice(), &[0; 30]].concat();
    operator.file("book.xlsx", spreadsheet);
    operator.file("pretty.json", "{\n  \"id\": \"r1\"\n}\n{\n}\n");
    operator.file("other.csv", "Date,Score\n2020-01-01,9\n");
    operator.file("twice.csv", "created,rating,rating\n2020-01-01,9,9\n");
    operator.file("good.ndjson", RECORD);
    for (arguments, reason) in [
        ("good.ndjson missing.json", "cannot open missing.json"),
        ("good.ndjson .", "cannot open .: it is a directory"),
        ("book.xlsx", "neither JSON nor CSV"),
        ("pretty.json", "write one on each line"),
        (
            "other.csv",
            "there is no column created; the columns are \"Date\", \"Score\"",
        ),
        ("twice.csv", "two columns map to the same field"),
        (
            "other.csv --map created=When",
            "there is no column \"When\"",
        ),
        ("other.csv --map when=Date", "unknown field"),
        ("other.csv --map created=Date --map created=Score", "twice"),
        ("good.ndjson --map created=Date", "has \"Date\" (--map)"),
        (
            "other.csv --map created=Date --map rating=Score --keep a",
            "--keep read members of JSON, but this is CSV",
        ),
        ("good.ndjson --keep a,a", "--keep names a twice"),
        ("good.ndjson --keep user.email", "say something of a person"),
        ("good.ndjson --rejects other.csv", "cannot create other.csv"),
    ] {
        let output = operator.run(&format!("import responses {arguments} --project acme"));
        let line = error_line(&output);
        assert!(line.contains(reason), "{arguments}: {line}");
    }
    assert_eq!(operator.figures("")["displays"], 0);
    succeeded(&operator.run("import responses good.ndjson --project acme"));
    assert_eq!(operator.figures("")["displays"], 1);
}

#[test]
fn the_records_before_the_truncated_end_of_a_file_are_imported() {
    let operator = Operator::new();
    operator.file("cut.json", format!("[{RECORD},\n{{\"id\":"));
    let output = operator.run("import responses cut.json --project acme");
    let line = error_line(&output);
    assert!(
        line.contains("cut.json: it is not valid JSON: EOF"),
        "{line}"
    );
    assert_eq!(
        counts(&output),
        "responses: 1 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(operator.figures("")["displays"], 1);
}

#[test]
fn a_record_of_more_than_16_mb_ends_the_import_after_the_records_before_it() {
    let operator = Operator::new();
    let long = "x".repeat(16 << 20);
    let object = format!(r#"{{"id":"long","created":"2020-01-01","note":"{long}"}}"#);
    for (file, content, reason) in [
        (
            "lines.ndjson",
            format!("{RECORD}\n{object}\n"),
            "line 2 is longer than 16 MB",
        ),
        (
            "list.json",
            format!("[{RECORD},{object}]"),
            "the record that begins on line 1 is longer than 16 MB",
        ),
        (
            "table.csv",
            format!("id,created,rating,userId\nr1,2020-01-01,9,007\n\"{long}"),
            "the row that begins on line 3 is longer than 16 MB",
        ),
    ] {
        operator.file(file, content);
        let output = operator.run(&format!("import responses {file} --project acme"));
        // On a slow machine, progress precedes the error.
        let errors = failed(&output, 1);
        assert!(errors.contains(reason), "{errors}");
        assert_eq!(operator.figures("")["displays"], 1, "{file}");
    }
}

#[test]
fn an_identifier_that_is_a_list_or_an_object_is_rejected() {
    let operator = Operator::new();
    operator.file(
        "ids.ndjson",
        r#"{"id":["r1"],"created":"2020-01-01"}
           {"id":"r2","created":"2020-01-01","user":{"userId":{"id":7}}}"#,
    );
    let errors = failed(
        &operator.run("import responses ids.ndjson --project acme"),
        2,
    );
    for reason in ["id must be a string", "userId must be a string"] {
        assert!(errors.contains(reason), "{errors}");
    }
    assert_eq!(operator.figures("")["displays"], 0);
}

#[test]
fn an_invalid_mapping_date_format_or_time_zone_is_a_usage_error() {
    let operator = Operator::new();
    operator.file("good.ndjson", RECORD);
    for (arguments, reason) in [
        ("--map created", "write it as FIELD=COLUMN"),
        ("--map created=", "write it as FIELD=COLUMN"),
        ("--map =Date", "write it as FIELD=COLUMN"),
        ("--id-from=", "a value is required for '--id-from"),
        ("--id-from=created,", "a value is required for '--id-from"),
        ("--date-format %Q", "is not a strftime format"),
        ("--timezone Europe/Prague", "--date-format <DATE_FORMAT>"),
        ("--date-format %F --timezone Mars", "'Mars' for '--timezone"),
    ] {
        let line = format!("import responses good.ndjson --project acme {arguments}");
        let message = failed(&operator.run(&line), 2);
        assert!(message.contains(reason), "{arguments}: {message}");
    }
    assert_eq!(operator.figures("")["displays"], 0);
}

#[test]
fn files_of_responses_are_refused_as_users_and_vice_versa_in_one_line() {
    let operator = Operator::new();
    let user = r#"{"userId":"007","created":"2020-01-01","name":"James"}"#;
    let page = |record: &str| format!(r#"{{"data":[{record}],"page":{{"hasNextPage":false}}}}"#);
    let responses = [
        format!("{{\"responses\":[{RECORD}]}}"),
        format!("[{RECORD},{RECORD}]"),
        format!("{RECORD}\n{RECORD}\n"),
        page(r#"{"id":"r1","created":"2020-01-01","user":{"userId":"007"},"answers":[]}"#),
        "created,rating,userId,Comment\n2020-01-01,9,007,\n".to_owned(),
    ];
    let users = [
        format!("{{\"page\":1,\"users\":[{user}]}}"),
        format!("[{user},{user}]"),
        format!("{user}\n{user}\n"),
        page(user),
        "userId,created,traits.plan\n007,2020-01-01,pro\n".to_owned(),
    ];
    for (files, [kind, other]) in [
        (responses, ["users", "responses"]),
        (users, ["responses", "users"]),
    ] {
        for file in files {
            operator.file("file", &file);
            let output = operator.run(&format!("import {kind} file --project acme"));
            let line = format!("file: these look like {other}: use feedback import {other}");
            assert!(error_line(&output).contains(&line), "{file}: {output:?}");
        }
    }
    assert_eq!(operator.figures("")["displays"], 0);
    assert_eq!(operator.users().len(), 0);
    // A later record is rejected alone, and the table may be meant where a mapping says so.
    let mixed = format!("{RECORD}\n{user}\n");
    let output = operator.run_with_input("import responses - --project acme", mixed);
    let reason = "-:2: it is a user: use feedback import users\n";
    assert_eq!(failed(&output, 2), reason);
    operator.file("file", "created,rating,userId\n2020-01-01,9,007\n");
    let import = "import users file --project acme --map traits.rating=rating";
    succeeded(&operator.run(import));
    assert_eq!(operator.users()[0]["traits"]["rating"], 9);
}

#[test]
fn a_display_with_a_user_id_of_its_own_is_no_user() {
    let display = r#"{"id":"a","created":"2020-01-01","userId":"007"}"#;
    let rated = r#"{"id":"b","created":"2020-01-01","userId":"007","rating":9}"#;
    let named = display.replace('}', r#","email":"j@example.com"}"#);
    let is_imported = |first: &str, map: &str| {
        let operator = Operator::new();
        operator.file("file", format!("{first}\n{rated}\n"));
        let line = format!("import responses file --project acme{map}");
        let output = operator.run(&line);
        if output.status.success() {
            assert_eq!(operator.figures("")["displays"], 2, "{line}");
        } else {
            assert!(
                error_line(&output).contains("these look like users"),
                "{line}"
            );
        }
        output.status.success()
    };
    for (first, map, expected) in [
        (display, "", true),
        (display, " --map userId=userId", true),
        (&named, " --map userId=userId", false),
        (&named, " --map userId=userId --map email=email", true),
        (r#"{"userId":"007","created":"2020-01-01"}"#, "", false),
    ] {
        assert_eq!(is_imported(first, map), expected, "{first}{map}");
    }
}

#[test]
fn a_table_is_what_the_mapping_of_its_decisive_field_says() {
    for (import, table) in [
        (
            "responses file --map rating=traits.score",
            "created,userId,traits.score\n2020-01-01,007,9\n",
        ),
        (
            "responses file --map rating=name",
            "id,created,userId,name,email\na,2020-01-01,007,9,j@example.com\n",
        ),
        (
            "users file --map userId=uid",
            "uid,created,rating\n007,2020-01-01,9\n",
        ),
    ] {
        let operator = Operator::new();
        operator.file("file", table);
        let output = operator.run(&format!("import {import} --project acme"));
        assert!(succeeded(&output).contains(": 1 written"), "{import}");
        assert_eq!(operator.users().len(), 1, "{import}");
    }
}

#[test]
fn a_store_that_cannot_be_opened_leaves_no_file_of_rejects_behind() {
    let operator = Operator::new();
    operator.file("mixed.ndjson", format!("{RECORD}\n[]\n"));
    operator.file("a-file", "");
    let used = operator.path("used");
    // Locked by a process that has noted no way to it.
    std::fs::create_dir(&used).unwrap();
    let lock = std::fs::File::create(used.join("lock")).unwrap();
    lock.lock().unwrap();
    let import = "import responses mixed.ndjson --project acme --rejects rejects.ndjson --data";
    for (folder, reason) in [
        ("used", "is in use by another feedback"),
        ("a-file", "cannot use the data folder a-file"),
    ] {
        let line = only_line(&operator.run(&format!("{import} {folder}")));
        assert!(line.contains(reason), "{line}");
        assert!(!operator.path("rejects.ndjson").exists(), "{line}");
    }
    drop(lock);
    // The same command works as soon as the folder is free.
    failed(&operator.run(&format!("{import} used")), 2);
    let rejected = std::fs::read_to_string(operator.path("rejects.ndjson")).unwrap();
    assert_eq!(rejected, "[]\n");
}
