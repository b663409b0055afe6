//! `feedback import`: members and columns that are not imported are named.

use crate::operator::Operator;
use crate::process::succeeded;

#[test]
fn members_that_are_not_imported_are_named_once_with_their_counts() {
    let operator = Operator::new();
    operator.file(
        "rich.ndjson",
        r#"{"id":"r1","created":"2020-01-01","rating":9,"feedback":"Good","answers":[1],"user":{"userId":"007","phone":"1"}}
           {"id":"r2","created":"2020-01-01","rating":9,"feedback":"Bad","campaign":null}"#,
    );
    operator.file(
        "users.ndjson",
        r#"{"userId":"007","project":"acme","segments":["a"]}"#,
    );
    for arguments in [" --dry-run", ""] {
        let output = operator.run(&format!(
            "import responses rich.ndjson --project acme{arguments}"
        ));
        let errors = String::from_utf8(output.stderr.clone()).unwrap();
        succeeded(&output);
        let expected = r#"rich.ndjson: members that are not imported: "answers" (1), "feedback" (2), "user.phone" (1)"#;
        assert_eq!(errors.matches(expected).count(), 1, "{errors}");
        let output = operator.run(&format!(
            "import users users.ndjson --project acme{arguments}"
        ));
        let errors = String::from_utf8(output.stderr.clone()).unwrap();
        succeeded(&output);
        assert!(
            errors.contains(r#"users.ndjson: members that are not imported: "segments" (1)"#)
                && !errors.contains("project\""),
            "{errors}"
        );
    }
}

#[test]
fn facts_of_a_user_without_a_user_id_are_named_as_not_imported() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,rating,name,email\n2020-07-01,5,Joe,j@x\n",
    );
    let output = operator.run("import responses survey.csv --project acme");
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    succeeded(&output);
    let expected = r#"members that are not imported: "user.email" (1), "user.name" (1)"#;
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn many_names_of_members_are_counted_together() {
    let operator = Operator::new();
    let mut lines: Vec<_> = (0..150)
        .map(|n| format!(r#"{{"id":"r{n}","created":"2020-01-01","odd{n}":1}}"#))
        .collect();
    lines.extend(
        (0..30).map(|n| format!(r#"{{"id":"s{n}","created":"2020-01-01","feedback":"x"}}"#)),
    );
    operator.file("odd.ndjson", lines.join("\n"));
    let output = operator.run("import responses odd.ndjson --project acme --dry-run");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains(r#""feedback" (30)"#) && errors.contains("and others (131)"),
        "{errors}"
    );
}

#[test]
fn members_beyond_ten_thousand_names_are_counted_too() {
    let operator = Operator::new();
    let members: Vec<_> = (0..10_100).map(|n| format!(r#","odd{n}":1"#)).collect();
    let members = members.concat();
    operator.file(
        "odd.ndjson",
        format!(r#"{{"id":"r","created":"2020-01-01"{members}}}"#),
    );
    let output = operator.run("import responses odd.ndjson --project acme --dry-run");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("and others (10080)"), "{errors}");
}
