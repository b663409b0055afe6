//! The errors of commands whose store is unreachable or refuses requests: one line for an operator,
//! with the store's words, the cause and what to check, and without a secret.

use test_support::stub::Recorder;

use crate::http::ClosedPort;
use crate::outcome::{only_line, printed};
use crate::place::Place;
use crate::process::{at_store, output_of};

/// The commands that act on a store.
const COMMANDS: [&str; 10] = [
    "import responses responses --project acme",
    "import users users --project acme",
    "export responses --project acme",
    "export users --project acme",
    "erase --project acme --user-id 007 --yes",
    "credentials create --project acme --may statistics",
    "credentials create --project acme --may users --username reports",
    "credentials list",
    "credentials revoke 1a2b3c4d --yes",
    "tables create",
];

/// What every secret of the environment contains.
const PLANTED: &str = "planted";

/// Runs every command over the store at this endpoint, all at the same time because the SDK pauses
/// between its attempts. Checks that each fails with one line and no secret; returns the lines.
fn fail_all(endpoint: &str) -> Vec<(&'static str, String)> {
    let place = Place::new();
    place.file(
        "responses",
        r#"{"id":"r1","created":"2020-01-01","rating":9}"#,
    );
    place.file("users", r#"{"userId":"007","created":"2020-01-01"}"#);
    let start = |line: &str| {
        let mut command = place.command(line);
        at_store(&mut command, endpoint)
            .env("AWS_SECRET_ACCESS_KEY", "planted-secret-access-key")
            .env("AWS_SESSION_TOKEN", "planted-session-token")
            .env("FEEDBACK_READ_KEY", "planted-read-key")
            .env("FEEDBACK_PASSWORD", "planted-password");
        command.spawn().unwrap()
    };
    let processes = COMMANDS.map(|command| (command, start(command)));
    let lines = processes.into_iter().map(|(command, process)| {
        let output = output_of(process);
        let line = only_line(&output);
        assert!(!printed(&output).contains(PLANTED), "{command}: {line}");
        (command, line)
    });
    lines.collect()
}

/// Checks that the line has the error, and ends with its cause and what to check: clients of the API may try
/// again in a second, but an operator has to change something first.
#[track_caller]
fn assert_reported(command: &str, line: &str, [error, cause, hint]: [&str; 3]) {
    assert!(line.contains(error), "{command}: {line}");
    let end = format!("{cause}{hint}");
    assert!(line.ends_with(&end), "{command}: {line}");
    let is_for_clients = line.to_lowercase().contains("try again");
    assert!(!is_for_clients, "{command}: {line}");
}

#[test]
fn every_command_reports_an_unreachable_store_with_the_cause_and_without_secrets() {
    let store = ClosedPort::reserve();
    for (command, line) in fail_all(&format!("http://{}", store.address())) {
        let error = "the store is unavailable (";
        let cause = ": no connection: Connection refused)";
        let hint = "; check the AWS environment (region, credentials, AWS_ENDPOINT_URL_DYNAMODB), or pass --data DIR\n";
        assert_reported(command, &line, [error, cause, hint]);
    }
}

#[test]
fn every_command_reports_a_refusal_with_the_words_of_the_store_and_without_secrets() {
    let store = Recorder::refusing("ResourceNotFoundException", "Requested resource not found");
    for (command, line) in fail_all(store.url()) {
        let error = "the store refused the request (";
        let cause = ": ResourceNotFoundException: Requested resource not found)";
        let hint =
            "; check that the tables exist (feedback tables create) and that access is allowed\n";
        assert_reported(command, &line, [error, cause, hint]);
    }
}
