//! The errors of `feedback stats` and `feedback users`: one line, without the credentials.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::http::ClosedPort;
use crate::operator::{Operator, PASSWORD, READ_KEY};
use crate::process::{error_line, feedback, output, printed, rows};

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
    let stats = format!("stats --project acme --url {}", operator.api());
    let users = format!("users --project acme --url {}", operator.api());
    for (line, variable, reason) in [
        (
            &stats,
            ("FEEDBACK_READ_KEY", ""),
            "set FEEDBACK_READ_KEY to the project's Read Key",
        ),
        (
            &stats,
            ("FEEDBACK_READ_KEY", "planted-key\nof-two-lines"),
            "cannot carry",
        ),
        (
            &stats,
            ("FEEDBACK_READ_KEY", "planted-key-of-nobody"),
            "the Read Key in FEEDBACK_READ_KEY is wrong: http://127.0.0.1:",
        ),
        (
            &users,
            ("FEEDBACK_USERNAME", ""),
            "set FEEDBACK_USERNAME to the account's username",
        ),
        (
            &users,
            ("FEEDBACK_PASSWORD", ""),
            "set FEEDBACK_PASSWORD to the account's password",
        ),
        (
            &users,
            ("FEEDBACK_PASSWORD", "planted-password-of-nobody"),
            "the account in FEEDBACK_USERNAME and FEEDBACK_PASSWORD is wrong: http://127.0.0.1:",
        ),
    ] {
        assert_fails(&operator, line, variable, reason);
    }
}

#[test]
fn a_refused_request_is_reported_in_one_line_without_the_credentials() {
    let operator = Operator::new();
    let planted = ("AWS_SECRET_ACCESS_KEY", "planted-secret-access-key");
    let url = operator.api();
    for (arguments, reason) in rows(
        "
        stats --project other => the Read Key in FEEDBACK_READ_KEY is not for this project
        users --project other => \
            the account in FEEDBACK_USERNAME and FEEDBACK_PASSWORD is not for this project
        stats --project acme --start soon => startDate must be an ISO 8601 timestamp, got \"soon\" (--start)
        ",
    ) {
        assert_fails(
            &operator,
            &format!("{arguments} --url {url}"),
            planted,
            reason,
        );
    }
}

#[test]
fn an_unreachable_or_foreign_service_is_reported_in_one_line_without_the_credentials() {
    let operator = Operator::new();
    let planted = ("AWS_SECRET_ACCESS_KEY", "planted-secret-access-key");
    let closed = ClosedPort::reserve();
    let (nowhere, foreign) = (closed.address(), operator.dynamodb());
    for command in ["stats", "users"] {
        let line = format!("{command} --project acme --url http://{nowhere}");
        let reason = format!("cannot reach http://{nowhere}/: Connection refused; is the");
        assert_fails(&operator, &line, planted, &reason);
        let line = format!("{command} --project acme --url {foreign}");
        assert_fails(&operator, &line, planted, "and not as this API does");
        let line = format!(
            "{command} --project acme --url https://{}",
            operator.served().api
        );
        assert_fails(&operator, &line, planted, "/ answers http, not https");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_an_error_and_a_reader_that_leaves_is_none() {
    use std::fs::File;

    let operator = Operator::new();
    let url = operator.api();
    for command in [
        "stats",
        "stats --csv",
        "stats --json",
        "users",
        "users --json",
    ] {
        let line = format!("{command} --project acme --url {url}");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = operator.command(&line).stdout(full).output().unwrap();
        assert_eq!(
            error_line(&output),
            "feedback: cannot write the output: No space left on device\n",
            "{line}"
        );
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let output = operator.command(&line).stdout(closed).output().unwrap();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{line}"
        );
    }
}

#[test]
fn an_address_with_a_query_or_a_fragment_is_refused() {
    let operator = Operator::new();
    for end in ["?project=acme", "?", "/#users"] {
        for command in ["stats", "users"] {
            let line = format!("{command} --project acme --url {}{end}", operator.api());
            let error = error_line(&output(&mut operator.command(&line)));
            assert!(
                error.contains("--url must not contain a query or a fragment"),
                "{line}: {error}"
            );
        }
    }
}

#[test]
fn no_proxy_comes_between_for_an_address_of_this_machine() {
    let operator = Operator::new();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    for host in ["127.0.0.2", "[::ffff:127.0.0.1]", "localhost"] {
        let line = format!("stats --project acme --url http://{host}:1");
        error_line(&output(operator.command(&line).env("http_proxy", &address)));
        assert!(proxy.accept().is_err(), "{host}");
    }
}

#[test]
fn an_address_with_credentials_is_refused_without_showing_them() {
    let operator = Operator::new();
    for command in ["stats", "users"] {
        let line = format!("{command} --project acme --url http://me:hunter2@127.0.0.1:1");
        let error = error_line(&output(&mut operator.command(&line)));
        assert!(
            error.contains("must not contain a username or password") && !error.contains("hunter2"),
            "{error}"
        );
    }
}

/// A service that sends this, and then nothing, or the same again and again.
fn sending(text: &'static str, is_endless: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            stream.write_all(text.as_bytes()).unwrap();
            while is_endless && stream.write_all(&[b'x'; 4096]).is_ok() {}
            held.push(stream);
        }
    });
    format!("http://{address}")
}

#[test]
fn an_error_without_an_end_is_read_to_eight_megabytes() {
    let operator = Operator::new();
    let url = sending("HTTP/1.1 500 Internal\r\n\r\n", true);
    let planted = ("AWS_SECRET_ACCESS_KEY", "planted-secret-access-key");
    for command in ["stats", "users"] {
        let line = format!("{command} --project acme --url {url}");
        assert_fails(&operator, &line, planted, "has more than 8 MB");
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
        let mut command = feedback(&["stats", "--project", "acme", "--url", &url]);
        let error = error_line(&output(
            command.env("FEEDBACK_READ_KEY", "any-read-key-0000"),
        ));
        assert!(error.contains(reason), "{error}");
    }
}
