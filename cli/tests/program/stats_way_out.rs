//! The way out that `feedback stats` shows of a period that is too large.

use std::process::Output;

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use serde_json::{Value, json};
use test_support::serve;

use crate::process::{error_line, feedback, output, printed};

const KEY: &str = "planted-read-key";

/// Asks a service that refuses every period with this `meta`; returns the service's address, too.
fn ask(options: &[&str], meta: &Value) -> (String, Output) {
    let error = json!({"code": "period_too_large", "detail": "Too many.", "meta": meta});
    let body = json!({"errors": [error]}).to_string();
    let refuse = move || async move { (StatusCode::GATEWAY_TIMEOUT, body).into_response() };
    let url = serve(Router::new().fallback(refuse));
    let mut command = feedback(&[&["stats", "--project", "acme", "--url", &url], options].concat());
    let output = output(command.env("FEEDBACK_READ_KEY", KEY));
    (url, output)
}

#[test]
fn the_same_command_with_a_start_that_can_be_read_is_a_line_to_paste() {
    let meta = json!({"records": 9_000_000, "startDate": "2026-03-01T10:20:30.400Z"});
    let filter = "team=eq:it's $HOME";
    for start in [&["--start", "2020-01-01"][..], &["--start=2020-01-01"], &[]] {
        let options = [start, &["--filter", filter, "--interval", "month"]].concat();
        let (url, output) = ask(&options, &meta);
        let printed = printed(&output);
        assert_eq!(output.status.code(), Some(1), "{printed}");
        assert!(
            output.stdout.is_empty() && !printed.contains(KEY),
            "{printed}"
        );
        let [error, _, line] = printed.lines().collect::<Vec<_>>()[..] else {
            panic!("{printed}");
        };
        assert!(error.ends_with("period_too_large: Too many."), "{error}");
        let shell = ["-c", &format!("printf '%s\\n' {line}")];
        let words = std::process::Command::new("sh").args(shell).output();
        let words = String::from_utf8(words.unwrap().stdout).unwrap();
        let words: Vec<_> = words.lines().skip(1).collect();
        let same = [
            "stats",
            "--project",
            "acme",
            "--url",
            &url,
            "--filter",
            filter,
        ];
        let rest = ["--interval", "month", "--start", "2026-03-01T10:20:30.400Z"];
        assert_eq!(words, [&same[..], &rest].concat());
    }
}

#[test]
fn without_a_start_that_can_be_read_or_shown_there_is_the_error_alone() {
    let escape = json!({"records": 9_000_000, "startDate": "\u{1b}[2J"});
    for meta in [json!({"records": 9_000_000}), json!(null), escape] {
        let (_, output) = ask(&[], &meta);
        let error = error_line(&output);
        assert!(error.contains("period_too_large: Too many."), "{error}");
    }
}
