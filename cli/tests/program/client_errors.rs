//! The errors of `feedback stats` and `feedback users`: one line, without the credentials.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::http::ClosedPort;
use crate::operator::Operator;
use crate::process::{error_line, output, printed};

/// Runs the command with this variable, beside the operator's valid credentials. Checks that it
/// fails with one line that contains `reason`, and prints none of the credentials.
#[track_caller]
fn assert_fails(operator: &Operator, line: &str, (name, value): (&str, &str), reason: &str) {
    let output = output(operator.command(line).env(name, value));
    let error = error_line(&output);
    assert!(error.contains(reason), "{line}: {error}");
    assert!(output.stdout.is_empty(), "{line}: {output:?}");
    let [read_key, password] = operator.secrets();
    let planted = value.lines().chain([read_key, password]);
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
    for (arguments, reason) in [
        (
            "stats --project other",
            "the service refused the request: forbidden: ",
        ),
        (
            "users --project other",
            "the service refused the request: forbidden: ",
        ),
        (
            "stats --project acme --start soon",
            "startDate must be an ISO 8601",
        ),
    ] {
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
        let reason = format!("cannot reach http://{nowhere}/: Connection refused");
        assert_fails(&operator, &line, planted, &reason);
        let line = format!("{command} --project acme --url {foreign}");
        assert_fails(&operator, &line, planted, "and not as this API does");
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
