//! `feedback import`: what the command does with files, options and records; crates/intake proves what it
//! reads.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::operator::Operator;
use crate::outcome::{counts, error_line, failed, imported, only_line, stderr, succeeded};
use crate::process::rows;

const RECORD: &str = r#"{"id":"r1","created":"2020-01-01","rating":9,"user":{"userId":"007"}}"#;

#[test]
fn a_bad_record_is_reported_and_kept_and_the_others_are_imported() {
    let operator = Operator::new();
    let bad = [r#"{"id":"bad","created":"2020-01-01","rating":11}"#, "[]"];
    let last = RECORD.replace("r1", "r2");
    operator.file("mixed", [RECORD, bad[0], bad[1], &last].join("\n"));
    let import = "import responses mixed --project acme";
    let reported = "mixed:2: rating must be a whole number from 0 to 10, got \"11\"\n\
        mixed:3: it is not a JSON object\n";
    let output = operator.run(&format!("{import} --dry-run"));
    assert_eq!(failed(&output, 2), reported);
    let told = "responses: 2 could be imported, 2 rejected; nothing was written\n";
    assert_eq!(counts(&output), told);
    assert_eq!(operator.figures("")["displays"], 0);
    let output = operator.run(&format!("{import} --rejects bad"));
    assert_eq!(failed(&output, 2), format!("{reported}bad: 2 rejected\n"));
    assert_eq!(
        counts(&output),
        "responses: 2 written, 0 unchanged, 2 rejected\n"
    );
    assert_eq!(operator.figures("")["displays"], 2);
    let kept = operator.read("bad");
    assert!(kept.lines().eq(bad), "the lines are unchanged");
    let mode = std::fs::metadata(operator.path("bad"))
        .unwrap()
        .permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}

#[test]
fn every_option_says_how_records_are_read() {
    let operator = Operator::new();
    let table = "Ratings\nDate|Visitor|Your_score|traits.n|traits.m\n7/1/2020|v1|9 - yes|7|\u{e9}\n7/3/2020|v3|none|7|8\n";
    let latin = table
        .chars()
        .map(|c| u8::try_from(c).unwrap())
        .collect::<Vec<_>>();
    operator.file("table", latin);
    let json = r#"{"id":"r1","created":"2020-01-01","rating":9,"campaign":"c","method":"m"}"#;
    let other = json.replace(r#""c""#, r#""d""#);
    operator.file("json", [json, &other].join("\n"));
    let all = "--map created=Date --map rating=Your_score --map userId=Visitor --date-format %m/%d/%Y \
        --timezone Europe/Prague --string-traits=n --encoding latin1 --delimiter | --skip-lines 1 --null none \
        --id-from Date,Visitor --no-users";
    for (import, summary, stored) in [
        (
            format!("table {all}"),
            "2 written, 0 unchanged, 0 rejected\n",
            &[
                r#""created":"2020-06-30T22:00:00.000Z","rating":9,"dismissed":false,"user":{"userId":"v1","traits":{"m":"é","n":"7"}}}"#,
                r#""created":"2020-07-02T22:00:00.000Z","dismissed":false,"user":{"userId":"v3","traits":{"m":"8","n":"7"}}}"#,
            ][..],
        ),
        (
            "json --where campaign=c --keep campaign,method".to_owned(),
            "1 written, 0 unchanged, 0 rejected, 1 skipped\n",
            &[
                r#""created":"2020-01-01T00:00:00.000Z","rating":9,"dismissed":false,"user":{"traits":{"survey.campaign":"c","survey.method":"m"}}}"#,
            ],
        ),
    ] {
        let folder = format!("--project acme --data {}", import.replace(' ', ""));
        let told = imported(&operator.run(&format!("import responses {import} {folder}")));
        assert_eq!(told, format!("responses: {summary}"));
        let export = succeeded(&operator.run(&format!("export responses {folder}")));
        for record in stored {
            assert!(export.contains(record), "{record}: {export}");
        }
        assert_eq!(export.lines().count(), stored.len());
        let users = operator.run(&format!("export users {folder}"));
        assert_eq!(succeeded(&users), "");
    }
}

#[test]
fn an_unsuitable_option_or_file_is_refused_before_anything_is_imported() {
    let operator = Operator::new();
    operator.file("good", RECORD);
    for (arguments, reason) in rows(
        "
        --map created => write it as FIELD=COLUMN
        --id-from= => a value is required for '--id-from
        --id-from=created, => a value is required for '--id-from
        --date-format %Q => neither a strftime format
        --timezone Europe/Prague => --date-format <FORMAT>
        --date-format %F --timezone Mars => 'Mars' for '--timezone
        --encoding klingon => is not an encoding
        --delimiter ;; => must be one character
        ",
    ) {
        let line = format!("import responses good --project acme {arguments}");
        let message = failed(&operator.run(&line), 2);
        assert!(message.contains(reason), "{arguments}: {message}");
    }
    for (arguments, reason) in rows(
        "
        missing => cannot open missing
        --map when=Date => unknown field
        --rejects good => cannot create good
        --map name=user.nick --rejects bad => has \"user.nick\" (--map)
        ",
    ) {
        let output = operator.run(&format!("import responses good {arguments} --project acme"));
        let line = error_line(&output);
        assert!(line.contains(reason), "{arguments}: {line}");
        let nothing = ["", "responses: 0 written, 0 unchanged, 0 rejected\n"];
        let told = String::from_utf8(output.stdout).unwrap();
        assert!(nothing.contains(&&*told), "{arguments}: {told}");
        assert!(!operator.path("bad").exists(), "nothing was rejected");
    }
    assert_eq!(operator.figures("")["displays"], 0);
    assert_eq!(operator.read("good"), RECORD);
}

#[test]
fn the_exit_code_says_whether_all_is_read_and_nothing_is_missing() {
    let operator = Operator::new();
    let page = |records: &str| format!(r#"{{"data":[{records}],"page":{{"hasNextPage":true}}}}"#);
    let cut = format!("{}{}", page(r#"{"id":"x"}"#), &page(RECORD)[..80]);
    for (content, code, errors, summary) in [
        (RECORD, 0, "", "1 written, 0 unchanged, 0 rejected"),
        (
            &page(RECORD),
            2,
            "a page is missing: ",
            "0 written, 1 unchanged, 0 rejected",
        ),
        (
            &cut,
            1,
            "file:1: created is missing\n",
            "0 written, 1 unchanged, 1 rejected",
        ),
    ] {
        operator.file("file", content);
        let output = operator.run("import responses file --project acme --rejects rejects");
        assert_eq!(output.status.code(), Some(code), "{content}");
        assert!(stderr(&output).starts_with(errors), "{output:?}");
        assert_eq!(counts(&output), format!("responses: {summary}\n"));
        assert_eq!(operator.path("rejects").exists(), code == 1, "{content}");
    }
}

#[test]
fn a_named_pipe_is_read_once() {
    let operator = Operator::new();
    let pipe = operator.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    // Opening it waits for the import.
    let written = std::thread::spawn(move || std::fs::write(pipe, RECORD));
    let output = operator.run("import responses pipe --project acme");
    let summary = "responses: 1 written, 0 unchanged, 0 rejected\n";
    assert_eq!(
        (imported(&output), stderr(&output)),
        (summary.to_owned(), String::new())
    );
    written.join().unwrap().unwrap();
}

#[test]
fn a_store_that_cannot_be_opened_leaves_no_file_of_rejects_behind() {
    let operator = Operator::new();
    operator.file("mixed.ndjson", format!("{RECORD}\n[]\n"));
    operator.file("a-file", "");
    let import = "import responses mixed.ndjson --project acme --rejects rejects.ndjson --data";
    let line = only_line(&operator.run(&format!("{import} a-file")));
    let reason = "cannot use the data folder a-file";
    assert!(line.contains(reason), "{line}");
    assert!(!operator.path("rejects.ndjson").exists(), "{line}");
    // The same command works in another folder.
    failed(&operator.run(&format!("{import} folder")), 2);
    assert_eq!(operator.read("rejects.ndjson"), "[]\n");
}
