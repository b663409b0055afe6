//! `feedback import`: files that are damaged, cut off or pipes.

use std::io::Write;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::operator::Operator;
use crate::process::{error_line, failed, imported, stderr, succeeded};

const LINES: [&[u8]; 3] = [
    br#"{"id":"r1","created":"2020-01-01","rating":9}"#,
    b"{\"id\":\"r2\",\"created\":\"2020-01-01\",\"user\":{\"name\":\"Zo\xff\"}}",
    br#"{"id":"r3","created":"2020-01-01","rating":9}"#,
];

/// Gzips without compression, so that what is cut off is known.
fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn one_byte_that_is_not_utf_8_rejects_its_record_alone() {
    let list = LINES.join(&b",\n"[..]);
    for (content, line) in [
        ([b"[", &*list, b"]\n"].concat(), 2),
        (
            [b"{\"page\":\"\xff\",\n\"responses\":[", &*list, b"]}"].concat(),
            3,
        ),
        (LINES.join(&b'\n'), 2),
    ] {
        let operator = Operator::new();
        operator.file("all", content);
        let output = operator.run("import responses all --project acme --rejects bad");
        let errors = failed(&output, 2);
        assert!(
            errors.contains(&format!("all:{line}: it is not UTF-8")),
            "{errors}"
        );
        assert_eq!(operator.figures("")["responses"], 2);
        let rejected = std::fs::read(operator.path("bad")).unwrap();
        assert_eq!(rejected, [LINES[1], b"\n"].concat());
    }
}

#[test]
fn an_element_that_is_not_json_is_rejected_alone_if_its_end_is_known() {
    let operator = Operator::new();
    operator.file(
        "all.json",
        "[{\"id\":\"r1\",\"created\":\"2020-01-01\"},{\"id\":\"r2\",\n\"created\":},\n7,{\"id\":\"r3\",\"created\":\"2020-01-01\"}]",
    );
    let output = operator.run("import responses all.json --project acme --rejects bad");
    let errors = failed(&output, 2);
    for reason in [
        "all.json:1: it is not a record",
        "all.json:3: it is not a JSON object",
    ] {
        assert!(errors.contains(reason), "{errors}");
    }
    let rejected = std::fs::read_to_string(operator.path("bad")).unwrap();
    assert_eq!(rejected, "{\"id\":\"r2\", \"created\":}\n7\n");
    assert_eq!(operator.figures("")["displays"], 2);
}

#[test]
fn an_array_whose_elements_cannot_be_told_apart_ends_the_import_with_the_line() {
    let first = r#"[{"id":"r1","created":"2020-01-01"}"#;
    for (rest, reason) in [
        (
            ",\n{\"id\":\"r2,\n\"created\":\"2020-01-01\"}]",
            "a string is not closed on line 2",
        ),
        (
            ",\n{\"id\":\"r2\"]",
            "expected `,` or `]` on line 2, found its end",
        ),
        (
            ",\n{\"id\":\"r2\",",
            ", in the record that begins on line 2",
        ),
        (
            ",\n{\"id\":\"r2,\"created\":\"\"}]",
            ", in the record that begins on line 2",
        ),
        (",]", "expected a value on line 1, found `]`"),
        (" 7]", "expected `,` or `]` on line 1, found `7`"),
        ("]\n]", "expected its end on line 2, found `]`"),
    ] {
        let operator = Operator::new();
        operator.file("all.json", format!("{first}{rest}"));
        let errors = failed(&operator.run("import responses all.json --project acme"), 1);
        let begins = errors.contains("feedback: all.json: it is not valid JSON: ");
        assert!(begins && errors.contains(reason), "{rest}: {errors}");
        assert_eq!(operator.figures("")["displays"], 1);
    }
}

#[test]
fn what_was_read_of_a_gzipped_file_is_imported() {
    let json = [LINES[0], LINES[2]];
    let lines = json.join(&b'\n');
    let array = [b"[", &*json.join(&b','), b"]"].concat();
    let table = b"id,created,rating\nr1,2020-01-01,9\nr3,2020-01-01,10";
    // Behind the content are eight bytes of checksum and length.
    for (content, cut, displays) in [
        (&*lines, 8 + 2, 1),
        (&*lines, 8, 2),
        (&*array, 8 + 3, 1),
        (&*array, 8, 2),
        (table, 8 + 1, 1),
        (table, 8, 1),
        (b"", 8, 0),
        (table, 8 + table.len(), 0),
    ] {
        let operator = Operator::new();
        let mut cut_off = gzipped(content);
        cut_off.truncate(cut_off.len() - cut);
        operator.file("all.gz", cut_off);
        let line = error_line(&operator.run("import responses all.gz --project acme"));
        assert!(line.contains("all.gz: cannot read it to its end"), "{line}");
        let cut = String::from_utf8_lossy(content);
        assert_eq!(operator.figures("")["displays"], displays, "{cut}");
    }
    for content in [&*lines, &*array, table] {
        let operator = Operator::new();
        let behind = [gzipped(content), vec![0; 512]].concat();
        operator.file("all.gz", behind);
        let line = error_line(&operator.run("import responses all.gz --project acme"));
        assert!(
            line.contains("other bytes follow its gzipped data"),
            "{line}"
        );
        assert_eq!(operator.figures("")["displays"], 2);
    }
}

#[test]
fn a_lone_surrogate_in_a_member_that_is_not_imported_does_not_matter() {
    let operator = Operator::new();
    operator.file(
        "all.ndjson",
        r#"{"created":"2020-01-01","rating":9,"comment":"\ud83d","answers":[{"\ude00":"\ude00"}]}
           {"created":"2020-01-01","rating":9,"comment":"\ud83e","\udfff":1,"\udffe":2}
           {"id":"r3","created":"2020-01-01","rating":9,"comment":"\ud83d"}"#,
    );
    for summary in ["3 written, 0 unchanged", "0 written, 3 unchanged"] {
        let output = operator.run("import responses all.ndjson --project acme");
        assert_eq!(
            imported(&output),
            format!("responses: {summary}, 0 rejected\n")
        );
    }
    operator.file(
        "name.ndjson",
        r#"{"created":"2020-01-01","user":{"userId":"u1","name":"\ud83d"}}"#,
    );
    let errors = failed(
        &operator.run("import responses name.ndjson --project acme"),
        2,
    );
    assert!(errors.contains("name is not valid text"), "{errors}");
}

#[test]
fn a_lone_surrogate_in_the_name_of_a_trait_rejects_the_record() {
    let operator = Operator::new();
    for traits in [r#"{"\ud800x":1}"#, r#"{"a":[{"\ud800x":1}]}"#] {
        let record = format!(
            r#"{{"created":"2020-01-01","rating":9,"user":{{"userId":"u1","traits":{traits}}}}}"#
        );
        operator.file("all.ndjson", record);
        let output = operator.run("import responses all.ndjson --project acme");
        let errors = failed(&output, 2);
        let reason = "all.ndjson:1: traits has a name that is not valid text";
        assert!(errors.contains(reason), "{errors}");
    }
    assert_eq!(operator.figures("")["displays"], 0);
}

#[test]
fn a_record_may_have_a_member_that_is_called_like_a_list() {
    let operator = Operator::new();
    operator.file(
        "users.ndjson",
        "{\"userId\":\"u1\",\"responses\":[{\"rating\":9}]}\n{\"userId\":\"u2\",\"users\":2}\n",
    );
    succeeded(&operator.run("import users users.ndjson --project acme"));
    assert_eq!(operator.users().len(), 2);
    operator.file(
        "responses.ndjson",
        "{\"users\":[1],\"responses\":[1],\"created\":\"2020-01-01\",\"rating\":9}\n{\"created\":\"2020-01-02\"}\n",
    );
    succeeded(&operator.run("import responses responses.ndjson --project acme"));
    assert_eq!(operator.figures("")["displays"], 2);
    operator.file(
        "number.ndjson",
        "{\"id\":\"1\",\"created\":\"2020-01-02\",\"responses\":3}\n",
    );
    succeeded(&operator.run("import responses number.ndjson --project acme"));
    assert_eq!(operator.figures("")["displays"], 3);
    // A document with both lists has records of both kinds.
    operator.file(
        "all.json",
        r#"{"responses":[{"created":"2020-01-03"}],"users":[{"userId":"u3"}]}"#,
    );
    succeeded(&operator.run("import users all.json --project acme"));
    succeeded(&operator.run("import responses all.json --project acme"));
    assert_eq!(operator.users().len(), 3);
    assert_eq!(operator.figures("")["displays"], 4);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_once() {
    let operator = Operator::new();
    let pipe = operator.path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // Opening it waits for the import.
    let written = std::thread::spawn(move || std::fs::write(pipe, LINES[0]));
    let output = operator.run("import responses pipe --project acme");
    assert_eq!(
        imported(&output),
        "responses: 1 written, 0 unchanged, 0 rejected\n"
    );
    assert_eq!(stderr(&output), "");
    written.join().unwrap().unwrap();
    let operator = Operator::new();
    operator.file("good.ndjson", LINES[0]);
    let line = error_line(&operator.run("import responses good.ndjson missing --project acme"));
    assert!(line.contains("cannot open missing"), "{line}");
    assert_eq!(operator.figures("")["displays"], 0);
}
