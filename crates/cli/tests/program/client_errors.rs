//! Outputs that cannot be written, and a service that stops answering.

use crate::http::sending;
use crate::operator::Operator;
use crate::outcome::{error_line, failed};
use crate::process::{feedback, output};

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
