//! `feedback import`: rejected, repeated, older, corrected and equal records.

use std::fmt::Write;

use serde_json::json;

use crate::operator::Operator;
use crate::process::{counts, failed, imported, succeeded};

/// Returns bad response records, and the reason why each is rejected.
fn bad_records() -> Vec<(String, &'static str)> {
    let members = [
        (
            r#""rating":11"#,
            "rating must be a whole number from 0 to 10, got \"11\"",
        ),
        (r#""rating":"#, "it is not a record"),
        (
            r#""created":"yesterday""#,
            "created must be an ISO 8601 timestamp, got \"yesterday\"",
        ),
        (r#""created":null"#, "created is missing"),
        (r#""dismissed":"maybe""#, "dismissed must be true or false"),
        (r#""id":"""#, "id must be 1 to 999 bytes"),
        (r#""user":{"userId":""}"#, "userId must be 1 to 1024 bytes"),
        (
            r#""user":{"userId":"a\u0000b"}"#,
            "userId must not hold a NUL",
        ),
        (r#""user":{"traits":[]}"#, "traits must be an object"),
        (
            r#""user":{"traits":{"a":1,"a":2}}"#,
            "duplicate member \"a\"",
        ),
        (
            r#""user":{"traits":{"a":[{"b":1,"b":1}]}}"#,
            "duplicate member \"b\"",
        ),
        (
            r#""user":{"traits":{"n":123456789012345678901234567890123456789}}"#,
            "38 significant digits",
        ),
        (r#""user":{"traits":{"":1}}"#, "empty names"),
    ];
    let record = |member: &str| {
        if member.contains("created") {
            format!(r#"{{"id":"bad",{member}}}"#)
        } else if member.starts_with(r#""id""#) {
            format!(r#"{{"created":"2020-01-01",{member}}}"#)
        } else {
            format!(r#"{{"id":"bad","created":"2020-01-01",{member}}}"#)
        }
    };
    let with_trait = |value: &str| record(&format!(r#""user":{{"traits":{{"a":{value}}}}}"#));
    let nested = format!("{}1{}", "[".repeat(31), "]".repeat(31));
    let large = format!("\"{}\"", "x".repeat(409_600));
    let mut records: Vec<_> = members.map(|(member, why)| (record(member), why)).into();
    records.push((with_trait(&nested), "31 levels"));
    records.push((with_trait(&large), "400 KB"));
    records.push(("[]".to_owned(), "not a JSON object"));
    records
}

/// Writes `mixed.ndjson`: a good record, the bad ones, and another good one.
fn write_mixed(operator: &Operator, bad: &[(String, &str)]) {
    let good = |id: &str| format!(r#"{{"id":"{id}","created":"2020-01-01","rating":9}}"#);
    let mut lines = vec![good("first")];
    lines.extend(bad.iter().map(|(line, _)| line.clone()));
    lines.push(good("last"));
    operator.file("mixed.ndjson", lines.join("\n"));
}

#[test]
fn a_bad_record_is_reported_and_kept_and_the_others_are_imported() {
    let (operator, bad) = (Operator::new(), bad_records());
    write_mixed(&operator, &bad);
    let output =
        operator.run("import responses mixed.ndjson --project acme --rejects rejects.ndjson");
    let report = failed(&output, 2);
    let names = format!("rejects.ndjson: {} rejected", bad.len());
    assert!(report.lines().skip(bad.len()).eq([&*names]), "{report}");
    for (n, (line, reason)) in bad.iter().enumerate() {
        let place = format!("mixed.ndjson:{}: ", n + 2);
        let mut reported = report.lines();
        let reported = reported
            .find(|line| line.starts_with(&place))
            .expect(&place);
        let beginning = &line[..line.len().min(100)];
        assert!(reported.contains(reason), "{beginning}: {reported}");
    }
    let summary = format!(
        "responses: 2 written, 0 unchanged, {} rejected\n",
        bad.len()
    );
    assert_eq!(counts(&output), summary);
    assert_eq!(operator.figures("")["displays"], 2);
    let kept = std::fs::read_to_string(operator.path("rejects.ndjson")).unwrap();
    let expected = bad.iter().map(|(line, _)| line.as_str());
    assert!(kept.lines().eq(expected), "the lines are unchanged");
}

#[test]
fn a_dry_run_checks_all_records_and_writes_none() {
    let (operator, bad) = (Operator::new(), bad_records());
    write_mixed(&operator, &bad);
    let output = operator.run("import responses mixed.ndjson --project acme --dry-run");
    let report = failed(&output, 2);
    assert_eq!(report.lines().count(), bad.len(), "{report}");
    assert_eq!(
        counts(&output),
        format!(
            "responses: 2 could be imported, {} rejected; nothing was written\n",
            bad.len()
        )
    );
    assert_eq!(operator.figures("")["displays"], 0);
}

#[test]
fn rejected_rows_can_be_corrected_and_imported() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,rating,traits.note\n2020-01-01,12,\"two\nlines\"\n2020-01-02,9,fine\n2020-01-03,1\n",
    );
    let output = operator.run("import responses survey.csv --project acme --rejects bad.csv");
    let report = failed(&output, 2);
    for reason in ["survey.csv:2: rating", "survey.csv:5: it has 2 cells"] {
        assert!(report.contains(reason), "{report}");
    }
    let kept = std::fs::read_to_string(operator.path("bad.csv")).unwrap();
    let lines: Vec<_> = kept.lines().collect();
    assert_eq!(lines[0], "id,created,rating,traits.note");
    for (line, end) in [
        (1, ",2020-01-01,12,\"two"),
        (2, "lines\""),
        (3, ",2020-01-03,1"),
    ] {
        assert!(lines[line].ends_with(end), "{kept}");
    }
    let corrected = kept.replace(",12,", ",10,").replace("03,1", "03,1,");
    operator.file("bad.csv", corrected);
    let output = operator.run("import responses bad.csv --project acme --rejects none.csv");
    assert_eq!(
        imported(&output),
        "responses: 2 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(operator.figures("")["responses"], 3);
    assert!(!operator.path("none.csv").exists(), "nothing was rejected");
}

/// Two records of one user, the newer one first.
const RECORDS: [&str; 2] = [
    r#"{"id":"r1","created":"2020-01-02","rating":9,"user":{"userId":"007","name":"New","traits":{"plan":"pro","n":1.0}}}"#,
    r#"{"id":"r2","created":"2020-01-01","rating":1,"user":{"userId":"007","name":"Old","traits":{"plan":"free"}}}"#,
];

/// The same display before it was rated, and an older one.
const OLDER: [&str; 2] = [
    r#"{"id":"r1","created":"2020-01-02","user":{"userId":"007","name":"New","traits":{"plan":"pro","n":1}}}"#,
    r#"{"id":"r0","created":"2019-01-01","dismissed":true,"user":{"userId":"007","name":"Older","traits":{"plan":"none"}}}"#,
];

/// Imports these response records; returns the summary.
#[track_caller]
fn import(operator: &Operator, records: &[&str]) -> String {
    let line = "import responses - --project acme";
    imported(&operator.run_with_input(line, records.join("\n")))
}

#[test]
fn a_repeated_import_changes_nothing() {
    let operator = Operator::new();
    let summary = import(&operator, &RECORDS);
    assert_eq!(summary, "responses: 2 written, 0 unchanged, 0 rejected\n");
    let before = (operator.export("responses"), operator.export("users"));
    assert_eq!((before.0.len(), before.1.len()), (2, 1));
    let summary = import(&operator, &RECORDS);
    assert_eq!(summary, "responses: 0 written, 2 unchanged, 0 rejected\n");
    let after = (operator.export("responses"), operator.export("users"));
    assert_eq!(after, before);
}

#[test]
fn an_older_import_overwrites_neither_a_rating_nor_newer_facts_about_a_user() {
    let operator = Operator::new();
    import(&operator, &RECORDS);
    let summary = import(&operator, &OLDER);
    assert_eq!(summary, "responses: 1 written, 1 unchanged, 0 rejected\n");
    let figures = operator.figures("");
    let frequency = json!([0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    assert_eq!(figures["frequency"], frequency);
    assert_eq!(
        (&figures["displays"], &figures["dismissed"]),
        (&json!(3), &json!(1))
    );
    let expected = json!([{
        "id": null, "project": "acme", "userId": "007", "lastSeen": "2020-01-02T00:00:00.000Z",
        "created": "2019-01-01T00:00:00.000Z", "name": "New", "unsubscribed": false,
        "traits": {"plan": "pro", "n": 1},
    }]);
    let mut users = json!(operator.users());
    // The service derives an identifier for a user without one.
    users[0]["id"].take();
    assert_eq!(users, expected);
}

#[test]
fn a_corrected_record_replaces_the_stored_one() {
    let operator = Operator::new();
    import(&operator, &RECORDS);
    let corrected = RECORDS[0].replace("\"rating\":9", "\"rating\":10");
    let summary = import(&operator, &[&corrected]);
    assert_eq!(summary, "responses: 1 written, 0 unchanged, 0 rejected\n");
    let frequency = json!([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(operator.figures("")["frequency"], frequency);
}

#[test]
fn no_users_imports_the_responses_without_their_users() {
    let operator = Operator::new();
    let line = "import responses - --project acme --no-users";
    succeeded(&operator.run_with_input(line, RECORDS.join("\n")));
    assert_eq!(operator.users().len(), 0);
    assert_eq!(operator.figures(" --filter plan=eq:pro")["displays"], 1);
    import(&operator, &RECORDS);
    assert_eq!(operator.users().len(), 1);
}

#[test]
fn equal_records_without_an_id_are_neither_merged_nor_duplicated() {
    let operator = Operator::new();
    let mut table = "created,rating,traits.plan\n".to_owned();
    for plan in ["a", "b", "a", "a"] {
        writeln!(table, "2020-01-01,9,{plan}").unwrap();
    }
    operator.file("survey.csv", table);
    for summary in ["4 written, 0 unchanged", "0 written, 4 unchanged"] {
        let output = operator.run("import responses survey.csv --project acme");
        let expected = format!("responses: {summary}, 0 rejected\n");
        assert_eq!(imported(&output), expected);
        assert_eq!(operator.figures("")["displays"], 4);
        assert_eq!(operator.figures(" --filter plan=eq:a")["displays"], 3);
    }
}
