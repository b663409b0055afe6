//! `feedback import`: what is rejected, repeated, older, interrupted.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::operator::{Operator, failed, succeeded};
use crate::process::run;

#[test]
fn a_bad_record_is_reported_and_kept_and_the_others_go_on() {
    let operator = Operator::new();
    let deep = format!("{}1{}", "[".repeat(31), "]".repeat(31));
    let good = |id: &str| format!(r#"{{"id":"{id}","created":"2020-01-01","rating":9}}"#);
    let bad: Vec<(String, &str)> = [
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
        (r#""user":{"traits":[]}"#, "traits must be an object"),
        (
            r#""user":{"traits":{"n":123456789012345678901234567890123456789}}"#,
            "38 significant digits",
        ),
        (r#""user":{"traits":{"":1}}"#, "empty names"),
    ]
    .map(|(member, why)| {
        let created = if member.contains("created") {
            ""
        } else {
            r#""created":"2020-01-01","#
        };
        (format!("{{{created}{member}}}"), why)
    })
    .into();
    let nested = format!(r#"{{"created":"2020-01-01","user":{{"traits":{{"a":{deep}}}}}}}"#);
    let large = format!(
        r#"{{"created":"2020-01-01","user":{{"traits":{{"a":"{}"}}}}}}"#,
        "x".repeat(409_600)
    );
    let bad = [
        bad,
        vec![
            (nested, "31 levels"),
            (large, "400 KB"),
            ("[]".to_owned(), "not a JSON object"),
        ],
    ]
    .concat();
    let mut lines = good("first") + "\n";
    for (line, _) in &bad {
        writeln!(lines, "{line}").unwrap();
    }
    lines += &good("last");
    operator.file("mixed.ndjson", &lines);
    let dry = operator.run("import responses mixed.ndjson --project acme --dry-run");
    failed(&dry, 2);
    assert_eq!(
        String::from_utf8(dry.stdout).unwrap(),
        format!(
            "responses: 2 could be imported, {} rejected; nothing was written\n",
            bad.len()
        )
    );
    assert_eq!(operator.figures("")["displays"], 0);
    let output =
        operator.run("import responses mixed.ndjson --project acme --rejects rejects.ndjson");
    let told = failed(&output, 2);
    for (n, (line, why)) in bad.iter().enumerate() {
        let place = format!("mixed.ndjson:{}: ", n + 2);
        let said = told.lines().find(|line| line.starts_with(&place));
        let said = said.unwrap_or_else(|| panic!("{place}{told}"));
        assert!(
            said.contains(why),
            "{}: {said}",
            &line[..line.len().min(100)]
        );
    }
    assert_eq!(operator.figures("")["displays"], 2);
    let kept = std::fs::read_to_string(operator.path("rejects.ndjson")).unwrap();
    let expected: Vec<_> = bad.iter().map(|(line, _)| line.as_str()).collect();
    assert!(kept.lines().eq(expected), "the lines as they were");
}

#[test]
fn rejected_rows_can_be_mended_and_imported_again() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,rating,traits.note\n2020-01-01,12,\"two\nlines\"\n2020-01-02,9,fine\n2020-01-03,1\n",
    );
    let output = operator.run("import responses survey.csv --project acme --rejects bad.csv");
    let told = failed(&output, 2);
    assert!(
        told.contains("survey.csv:2: rating") && told.contains("survey.csv:5: it has 2 cells"),
        "{told}"
    );
    let kept = std::fs::read_to_string(operator.path("bad.csv")).unwrap();
    assert_eq!(
        kept,
        "created,rating,traits.note\n2020-01-01,12,\"two\nlines\"\n2020-01-03,1\n"
    );
    operator.file("bad.csv", kept.replace("12", "10").replace("03,1", "03,1,"));
    let output = operator.run("import responses bad.csv --project acme --rejects none.csv");
    assert_eq!(
        succeeded(&output),
        "responses: 2 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(operator.figures("")["responses"], 3);
    assert!(!operator.path("none.csv").exists(), "nothing was rejected");
}

#[test]
fn a_repeated_or_older_import_changes_nothing() {
    let operator = Operator::new();
    let new = [
        r#"{"id":"r1","created":"2020-01-02","rating":9,"user":{"userId":"007","name":"New","traits":{"plan":"pro","n":1.0}}}"#,
        r#"{"id":"r2","created":"2020-01-01","rating":1,"user":{"userId":"007","name":"Old","traits":{"plan":"free"}}}"#,
    ];
    operator.file("new.ndjson", new.join("\n"));
    // The same display before it was rated, and what was known of the user then.
    operator.file(
        "old.ndjson",
        r#"{"id":"r1","created":"2020-01-02","user":{"userId":"007","name":"New","traits":{"plan":"pro","n":1}}}
           {"id":"r0","created":"2019-01-01","dismissed":true,"user":{"userId":"007","name":"Older","traits":{"plan":"none"}}}"#,
    );
    let import =
        |file: &str| succeeded(&operator.run(&format!("import responses {file} --project acme")));
    assert_eq!(
        import("new.ndjson"),
        "responses: 2 written, 0 unchanged, 0 rejected\n"
    );
    let user = json!({"plan": "pro", "n": 1});
    assert_eq!(operator.users()[0]["traits"], user);
    let (before, users) = (operator.export("responses"), operator.export("users"));
    assert_eq!(
        import("new.ndjson"),
        "responses: 0 written, 2 unchanged, 0 rejected\n"
    );
    assert_eq!(
        (&operator.export("responses"), &operator.export("users")),
        (&before, &users)
    );
    assert_eq!(
        import("old.ndjson"),
        "responses: 1 written, 1 unchanged, 0 rejected\n"
    );
    let [known] = &operator.users()[..] else {
        panic!()
    };
    assert_eq!((&known["name"], &known["traits"]), (&json!("New"), &user));
    assert_eq!(known["created"], "2019-01-01T00:00:00.000Z");
    assert_eq!(known["lastSeen"], "2020-01-02T00:00:00.000Z");
    assert_eq!(
        operator.figures("")["frequency"],
        json!([0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    );
    // A correction of what is known already.
    operator.file(
        "fix.ndjson",
        new[0].replace("\"rating\":9", "\"rating\":10"),
    );
    assert_eq!(
        import("fix.ndjson"),
        "responses: 1 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(
        operator.figures("")["frequency"],
        json!([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    );
    operator.file(
        "stranger.ndjson",
        r#"{"id":"r9","created":"2020-01-02","user":{"userId":"stranger"}}"#,
    );
    succeeded(&operator.run("import responses stranger.ndjson --project acme --no-users"));
    assert_eq!(operator.users().len(), 1);
}

#[test]
fn equal_records_without_an_id_are_not_merged_and_not_doubled() {
    let operator = Operator::new();
    operator.file(
        "survey.csv",
        "created,rating,traits.plan\n2020-01-01,9,a\n2020-01-01,9,b\n2020-01-01,9,a\n2020-01-01,9,a\n",
    );
    for told in ["4 written, 0 unchanged", "0 written, 4 unchanged"] {
        let output = operator.run("import responses survey.csv --project acme");
        assert_eq!(
            succeeded(&output),
            format!("responses: {told}, 0 rejected\n")
        );
        assert_eq!(operator.figures("")["displays"], 4);
        assert_eq!(operator.figures(" --filter plan=eq:a")["displays"], 3);
    }
}

#[test]
fn an_import_that_was_killed_is_resumed_without_loss_or_double() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut records = String::new();
    for n in 0..6000 {
        writeln!(
            records,
            r#"{{"id":"r{n}","created":"2020-01-01T00:{:02}:{:02}Z","rating":{},"user":{{"userId":"u{}","traits":{{"n":{n}}}}}}}"#,
            n / 60 % 60, n % 60, n % 11, n % 300
        )
        .unwrap();
    }
    std::fs::write(path("big.ndjson"), records).unwrap();
    let (file, killed, whole) = (path("big.ndjson"), path("killed"), path("whole"));
    let arguments = |data| {
        [
            "import",
            "responses",
            file.as_str(),
            "--project",
            "acme",
            "--data",
            data,
        ]
    };
    let mut process = crate::process::feedback(&arguments(&killed))
        .spawn()
        .unwrap();
    let started = Instant::now();
    // SQLite's journal grows as soon as the first records are written.
    let written = || {
        std::fs::metadata(format!("{killed}/tables.sqlite-wal"))
            .is_ok_and(|wal| wal.len() > 1 << 20)
    };
    while !written() {
        assert!(
            started.elapsed() < Duration::from_secs(30) && process.try_wait().unwrap().is_none()
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let export = |data: &str, kind: &str| {
        let exported = succeeded(&run(&["export", kind, "--project", "acme", "--data", data]));
        let mut lines: Vec<_> = exported.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let half = export(&killed, "responses").len();
    assert!(half < 6000, "it was killed on the way, not at its end");
    let resumed = succeeded(&run(&arguments(&killed)));
    assert_eq!(
        resumed,
        format!(
            "responses: {} written, {half} unchanged, 0 rejected\n",
            6000 - half
        )
    );
    succeeded(&run(&arguments(&whole)));
    for kind in ["responses", "users"] {
        assert!(export(&killed, kind) == export(&whole, kind), "{kind}");
    }
    assert_eq!(export(&whole, "responses").len(), 6000);
}
