//! The errors of `feedback stats`: one line, without the credentials.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::http::{ClosedPort, sending};
use crate::operator::{Operator, PASSWORD, READ_KEY};
use crate::outcome::{error_line, failed, printed};
use crate::process::{feedback, output, rows};

/// Runs the command with this variable, beside the operator's valid credentials. Checks that it
/// fails with one line that contains `reason`, and prints none of the credentials.
#[track_caller]
fn assert_fails(operator: &Operator, line: &str, (name, value): (&str, &str), reason: &str) {
    let output = output(operator.command(line).env(name, value));
    let error = error_line(&output);
    assert!(error.contains(reason), "{line}: {error}");
    assert!(output.stdout.is_empty(), "{line}: {output:?}");
    let planted = value.lines().chain([READ_KEY, PASSWORD]);
    for secret in planted.filter(|secret| !secret.is_empty()) {
        let pair = STANDARD.encode(format!("reports:{secret}"));
        for form in [secret, pair.as_str()] {
            assert!(!printed(&output).contains(form), "{line}: {error}");
        }
    }
}

#[test]
fn absent_or_unusable_credentials_are_reported_in_one_line_without_any_credentials() {
    let operator = Operator::new();
    let line = format!("stats --project acme --url {}", operator.api());
    let wrong = format!(
        "the Read Key in FEEDBACK_READ_KEY is wrong: {}",
        operator.api()
    );
    for (value, reason) in [
        ("", "set FEEDBACK_READ_KEY to the project's Read Key"),
        ("planted-key\nof-two-lines", "cannot carry"),
        ("planted-key-of-nobody", &wrong),
    ] {
        assert_fails(&operator, &line, ("FEEDBACK_READ_KEY", value), reason);
    }
}

#[test]
fn a_refusal_or_another_service_is_reported_in_one_line_without_the_credentials() {
    let operator = Operator::new();
    let planted = ("AWS_SECRET_ACCESS_KEY", "planted-secret-access-key");
    let closed = ClosedPort::reserve();
    let nowhere = format!("http://{}", closed.address());
    let endless = sending("HTTP/1.1 500 Internal\r\n\r\n", true);
    let api = operator.api();
    let https = api.replacen("http", "https", 1);
    for (url, reason) in [
        (
            &nowhere,
            &*format!("cannot reach {nowhere}/: Connection refused; is the"),
        ),
        (&operator.dynamodb(), "and not as this API does"),
        (&https, "/ answers http, not https"),
        (&endless, "has more than 8 MB"),
    ] {
        let line = format!("stats --project acme --url {url}");
        assert_fails(&operator, &line, planted, reason);
    }
    for (arguments, reason) in rows(
        "
        stats --project other => the Read Key in FEEDBACK_READ_KEY is not for this project
        stats --project acme --start 2026-03-02 --end 2026-03-01 => --start must not be after --end
        ",
    ) {
        let line = format!("{arguments} --url {api}");
        assert_fails(&operator, &line, planted, reason);
    }
    let line = format!("stats --project acme --url {api}/api/");
    assert_fails(&operator, &line, planted, "--url ends before /api");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_an_error_and_a_reader_that_leaves_is_none() {
    let operator = Operator::new();
    operator.file("users.ndjson", r#"{"userId":"007"}"#);
    let stats = format!("stats --project acme --url {}", operator.api());
    for line in [
        &*stats,
        &format!("{stats} --csv"),
        &format!("{stats} --json"),
        "--help",
        "stats --help",
        "--version",
        "completions bash",
        "import users users.ndjson --project acme",
        "credentials list",
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let output = operator.command(line).stdout(full.unwrap()).output();
        let error = "feedback: cannot write the output: No space left on device\n";
        assert_eq!(failed(&output.unwrap(), 1), error, "{line}");
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let output = operator.command(line).stdout(closed).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
    }
}

#[test]
#[ignore = "takes as long as a real limit: just limits"]
fn a_service_that_stops_answering_is_given_up() {
    for (text, reason) in [
        ("", "did not answer within 35 seconds"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
            "nothing arrived for 35 seconds",
        ),
    ] {
        let url = sending(text, false);
        let mut command = feedback(&format!("stats --project acme --url {url}"));
        command.env("FEEDBACK_READ_KEY", "any-read-key-0000");
        let error = error_line(&output(&mut command));
        assert!(error.contains(reason), "{error}");
    }
}
