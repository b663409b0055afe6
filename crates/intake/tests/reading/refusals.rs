//! Files and options that are refused.

use intake::{Mapping, check};

use crate::import::{import, parse};

const RECORD: &str = r#"{"id":"r1","created":"2020-01-01","rating":9,"user":{"userId":"007"}}"#;

#[test]
fn an_unsuitable_file_is_refused_with_the_reason() {
    let damaged = format!("PK\x03\x04{}", "\0".repeat(30));
    let other = "Date,Score\n2020-01-01,9\n";
    #[rustfmt::skip]
    let rows = [
        ("responses", &*damaged, "it is a damaged zip archive"),
        ("responses", "id,created,rating\nr1,2020-01-01,\0\n", "neither JSON nor a table of text"),
        ("responses", "PAR1\u{15}", "it is Parquet: duckdb -csv"),
        ("responses", "%PDF-1.7\n", "it is a PDF document"),
        ("responses", "SQLite format 3\0", "it is a SQLite database"),
        ("responses", "<!DOCTYPE html>", "it is HTML"),
        ("responses", "created,rating,rating\n2020-01-01,9,9\n", "two columns are called rating"),
        ("responses --map created=When", other, "there is no column \"When\""),
        ("responses --map rating=Score", "created,rating\n", "there is no column \"Score\""),
        ("responses --map created=Date", RECORD, "has \"Date\" (--map)"),
        (
            "responses --map created=Date --map rating=Score --keep a",
            other,
            "--keep reads members of JSON, but this is a table",
        ),
        ("users --string-traits", r#"{"userId":"u1","traits":{"n":1}}"#, "but this is JSON"),
    ];
    for (options, text, reason) in rows {
        let imported = import(options, text);
        let error = imported.error.unwrap();
        let is_of_file = error.starts_with("file: ") || error.starts_with("no record");
        assert!(is_of_file, "{error}");
        assert!(error.contains(reason), "{options}: {error}");
        assert!(imported.responses.is_empty() && imported.users.is_empty());
    }
}

#[test]
fn unsuitable_options_are_refused_with_the_reason() {
    for (options, reason) in [
        ("responses --map when=Date", "unknown field"),
        (
            "responses --map created=Date --map created=Score",
            "--map names created twice",
        ),
        ("responses --map score=A --map created=B", "unknown field"),
        ("responses --keep a,a", "--keep names a twice"),
        ("responses --keep user.email", "say something of a person"),
    ] {
        let error = parse(options).0.check().unwrap_err().to_string();
        assert!(error.contains(reason), "{options}: {error}");
    }
    for text in ["created", "created=", "=Date"] {
        let error = text.parse::<Mapping>().unwrap_err();
        assert!(error.contains("write it as FIELD=COLUMN"), "{text}");
    }
    let (suitable, _) = parse("responses --map rating=A --map traits.plan=B");
    assert!(suitable.check().is_ok());
    let folder = std::env::temp_dir();
    for (path, reason) in [
        (folder.join("absent"), "cannot open "),
        (folder, ": it is a directory"),
    ] {
        assert!(format!("{:#}", check(&[path], &suitable).unwrap_err()).contains(reason));
    }
}

#[test]
fn files_of_responses_are_refused_as_users_and_vice_versa_in_one_line() {
    let user = r#"{"userId":"007","created":"2020-01-01","name":"James"}"#;
    let page = |record: &str| format!(r#"{{"data":[{record}],"page":{{"hasNextPage":false}}}}"#);
    let responses = [
        format!("{{\"responses\":[{RECORD}]}}"),
        format!("[{RECORD},{RECORD}]"),
        format!("{RECORD}\n{RECORD}\n"),
        page(r#"{"id":"r1","created":"2020-01-01","user":{"userId":"007"},"answers":[]}"#),
        RECORD.replace(r#""user":{"userId":"007"}"#, r#""userId":"007""#),
        // What begins the file can be of no kind.
        format!("{{\"id\":\"r0\",\"created\":\"2020-01-01\"}}\n{RECORD}\n"),
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
        (&responses[..], ["users", "responses"]),
        (&users, ["responses", "users"]),
    ] {
        for file in files {
            let error = import(kind, file).error.unwrap();
            let refused = format!("file: these look like {other}: use feedback import {other}");
            assert_eq!(error, refused, "{file}");
        }
    }
    // A later record is rejected alone.
    let mixed = import("responses", format!("{RECORD}\n{user}\n"));
    let user = "file:2: it is a user: use feedback import users";
    assert_eq!(mixed.rejects, [user]);
}

#[test]
fn a_file_is_what_the_mapping_of_its_decisive_field_says() {
    let display = r#"{"id":"a","created":"2020-01-01","userId":"007"}"#;
    let named = display.replace('}', r#","email":"j@example.com"}"#);
    let rated = r#"{"id":"b","created":"2020-01-01","userId":"007","rating":9}"#;
    #[rustfmt::skip]
    let rows = [
        ("responses", display, rated, true),
        ("responses --map userId=userId", display, rated, true),
        ("responses --map userId=userId", &named, rated, false),
        ("responses --map userId=userId --map email=email", &named, rated, true),
        ("responses", r#"{"userId":"007","created":"2020-01-01"}"#, rated, false),
        ("responses --map rating=traits.score", "created,userId,traits.score", "2020-01-01,007,9", true),
        (
            "responses --map rating=name",
            "id,created,userId,name,email",
            "a,2020-01-01,007,9,j@example.com",
            true,
        ),
        ("users --map userId=uid", "uid,created,rating", "007,2020-01-01,9", true),
        ("users --map traits.rating=rating", "created,rating,userId", "2020-01-01,9,007", true),
    ];
    for (options, first, rest, is_read) in rows {
        let imported = import(options, format!("{first}\n{rest}\n"));
        let refused = "file: these look like users: use feedback import users".to_owned();
        let refused = (!is_read).then_some(refused);
        assert_eq!(imported.error, refused, "{options}: {first}");
        let is_empty = imported.users.is_empty() && imported.responses.is_empty();
        assert_eq!(is_empty, !is_read, "{options}");
    }
}
